/**
 * `npm run e2e:openstack`: the control plane of osp-ha-deploy on three controllers that lose power while clients use it. Prints the
 * longest gap that they saw of each service and whether anything that they were told to be safe is lost; fails where it must not be.
 *   --json           the same facts as JSON
 *   --svg FILE       a drawing of the gaps over time
 *   --answers FILE   everything that clients were answered and that was done meanwhile, as it comes, a line of JSON each
 *   --only A,B       only these scenarios
 *   --drain          the lines are changed so that a VIP leaves a controller before its haproxy stops
 *   --look           no scenario: the control plane stays until Ctrl-C, and how to get into its controllers is printed
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isThere, missing } from '../cli/deployment/shared-commands.ts'
import { ControlPlane } from './control-plane.ts'
import type { ServiceAnswer } from './gaps.ts'
import { Load, services } from './load.ts'
import { printReport, type Run, report } from './report.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { type Happening, timelineSvg } from './timeline-svg.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    svg: { type: 'string' },
    answers: { type: 'string' },
    only: { type: 'string' },
    drain: { type: 'boolean', default: false },
    look: { type: 'boolean' },
  },
})
const only = values.only?.split(',')
const unknown = only?.filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? []
if (unknown.length > 0)
  fail(`There is no scenario ${unknown.join(', ')}: ${scenarios.map(({ name }) => name).join(', ')}.`)
if (!isThere) fail(missing)
const chosen = scenarios.filter(({ name }) => only === undefined || only.includes(name))

const began = Date.now()
const plane = new ControlPlane()
let load: Load | undefined
// Whoever interrupts the run finds no namespaces left.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(130)))
try {
  await plane.start(tell, values)
  if (values.look) await look()
  tell('everything runs; clients begin')
  load = new Load(plane.lab.network, plane.controllers, note)
  const runs: Run[] = []
  for (const scenario of chosen) runs.push(await play(scenario, load))
  tell('clients look for what was acknowledged to them')
  const account = await load.account()
  const found = report(runs, load.answers, account)
  process.stdout.write(values.json ? `${JSON.stringify(found, null, 2)}\n` : printReport(found))
  if (values.svg !== undefined) writeFileSync(values.svg, drawing(runs, load))
  if (found.violations.length > 0) process.exitCode = 1
} finally {
  await close()
}

/** From a moment before to a moment after everything is complete again and every client was answered. */
async function play(scenario: Scenario, clients: Load): Promise<Run> {
  tell(scenario.title)
  await untilAnswered(clients, Date.now())
  const happenings: Happening[] = []
  const from = Date.now()
  const happened = (what: string): void => {
    tell(`  ${what}`)
    const happening = { at: Date.now(), what }
    happenings.push(happening)
    note(happening)
  }
  await scenario.run(plane, happened)
  await plane.untilComplete()
  happened('everything runs again')
  await untilAnswered(clients, Date.now())
  await delay(3000)
  return { scenario, window: { from, to: Date.now() }, happenings }
}

async function look(): Promise<never> {
  for (const { name } of plane.controllers) tell(`${name}: ${plane.lab.doorTo(name)} bash`)
  tell(`the clients' side: ip netns exec ${plane.lab.network.clientSpace} bash`)
  return await new Promise<never>(() => setInterval(() => undefined, 60_000))
}

async function untilAnswered(clients: Load, since: number): Promise<void> {
  await plane.lab.until(
    'every client is answered',
    () => {
      const silent = clients.silentSince(since)
      if (silent.length === 0) return true
      throw new Error(`no good answer to: ${silent.join(', ')} (${clients.lastErrors(silent)})`)
    },
    900_000,
  )
}

function drawing(runs: readonly Run[], clients: Load): string {
  const from = Math.min(...runs.map(({ window }) => window.from))
  const to = Math.max(...runs.map(({ window }) => window.to))
  const happenings = runs.flatMap((run) => run.happenings)
  return timelineSvg({ answers: clients.answers, services, happenings, window: { from, to } })
}

async function close(): Promise<void> {
  await load?.close()
  await plane.close()
}

function note(fact: ServiceAnswer | Happening): void {
  if (values.answers !== undefined) appendFileSync(values.answers, `${JSON.stringify(fact)}\n`)
}

function tell(step: string): void {
  process.stderr.write(`${((Date.now() - began) / 1000).toFixed(0).padStart(4)} s  ${step}\n`)
}

function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
