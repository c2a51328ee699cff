/** Which boundaries are tried: all of them take hours, so that they are tried in parts (`npm run boundaries`), each of which notes what it has done. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const { BOUNDARY_NODES = '3', BOUNDARY_FROM = '', BOUNDARY_DONE = '', BOUNDARY_LOGS = '' } = process.env
const { BOUNDARY_SINGLE = '', BOUNDARY_UNTIL = '' } = process.env

/** Where the logs of cases that failed are kept. */
export const logsFolder = BOUNDARY_LOGS

/** Of three nodes two are upgraded, of five all. */
export const nodesTried: readonly string[] = ['n1', 'n2', 'n3', 'n4', 'n5'].slice(0, Number(BOUNDARY_NODES))
export const nodesUpgraded: readonly string[] = nodesTried.length > 3 ? nodesTried : nodesTried.slice(0, 2)

/** With five nodes one rollout is struck at many boundaries (`boundary-rounds.ts`). */
export const inRounds = nodesTried.length > 3 && BOUNDARY_SINGLE === ''

/** What has begun is finished; nothing more begins. */
export const timeIsUp = (): boolean => BOUNDARY_UNTIL !== '' && Date.now() > Number(BOUNDARY_UNTIL)

const done = new Set(
  BOUNDARY_DONE !== '' && existsSync(BOUNDARY_DONE)
    ? readFileSync(BOUNDARY_DONE, 'utf8')
        .split('\n')
        .map((line) => line.split('\t')[0])
    : [],
)

/** Those from a boundary of a node on that have not been done yet. */
export function chosen<Case extends readonly [boundary: string, victim: string]>(
  cases: readonly Case[],
  way: string,
): readonly Case[] {
  const from = BOUNDARY_FROM === '' ? 0 : cases.findIndex(([boundary]) => boundary === BOUNDARY_FROM)
  const left = cases.slice(from < 0 ? cases.length : from)
  return left.filter(([boundary, victim]) => !done.has(caseName(boundary, victim, way)))
}

export const caseName = (boundary: string, victim: string, way: string): string => `${boundary}, ${victim}, ${way}`

/** A case that has passed, with what it took. */
export function note(name: string, seconds: number, gapMs: number): void {
  if (BOUNDARY_DONE !== '') appendFileSync(BOUNDARY_DONE, `${name}\t${seconds.toFixed(0)} s\t${gapMs} ms\n`)
}
