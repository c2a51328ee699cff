/** A plan for people. */
import { compareText } from '../../base/index.ts'
import type { RolloutDefinition } from '../../rollout/index.ts'
import { alignColumns } from '../call/table.ts'
import type { PlannedAction } from '../change/planned-actions.ts'
import type { PlannedGroup, PlannedWave, RolloutPlan } from './plan.ts'

export function printPlan(plan: RolloutPlan): string {
  const { definition, waves, already, notes, refusals } = plan
  const nodes = waves.flatMap(({ groups, waiting }) => [...groups.flatMap((group) => group.nodes), ...waiting])
  return [
    `${definition.name} ${definition.version}: ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'} in ${waves.length} ${waves.length === 1 ? 'wave' : 'waves'}.\n`,
    already.length === 0 ? '' : `Version ${definition.version} already: ${already.join(', ')}\n`,
    ...waves.map((wave, at) => printWave(wave, at, definition)),
    printSteps(definition),
    printInterruptions(plan),
    ...notes.map((note) => `Note: ${note}\n`),
    ...refusals.map((sentence) => `Refused: ${sentence}\n`),
  ].join('')
}

function printWave({ role, groups, waiting }: PlannedWave, at: number, definition: RolloutDefinition): string {
  const title = `\nWave ${at + 1}${role === undefined ? '' : ` (role ${role})`}:\n`
  return [
    title,
    ...groups.map((group) => printGroup(group, definition)),
    ...waiting.map(({ node, why }) => `  ${node} waits: ${why}\n`),
  ].join('')
}

function printGroup({ nodes, held, released }: PlannedGroup, { hold }: RolloutDefinition): string {
  const lines = (actions: readonly PlannedAction[]): string => actions.map(({ text }) => `      ${text}\n`).join('')
  const begun = held.length === 0 ? 'nothing moves' : `${hold === 'none' ? 'leaves' : hold}:`
  const back = released.length === 0 ? '' : `    release:\n${lines(released)}`
  return `  ${nodes.join(', ')}\n    ${begun}\n${lines(held)}${back}`
}

function printSteps({ commands }: RolloutDefinition): string {
  const rows = commands.map(({ stage, name, argv, undo, playbook, undoPlaybook }) => [
    stage,
    name,
    playbook === undefined ? shellLine(argv) : `playbook ${playbook.path}, ${placeOf(playbook)}`,
    undo === undefined ? '' : `undo: ${undoPlaybook === undefined ? shellLine(undo) : `playbook ${undoPlaybook}`}`,
  ])
  return `\nOn each node:\n${alignColumns(rows, '  ')}`
}

const placeOf = ({ place }: { readonly place: 'node' | 'dc' }): string => (place === 'dc' ? 'on the DC' : 'on the node')

const shellLine = (argv: readonly string[]): string =>
  shortLine(argv[0] === '/bin/sh' && argv[1] === '-c' ? (argv[2] ?? '') : argv.join(' '))

const shortLine = (text: string): string => {
  const [first = '', ...more] = text.trim().split('\n')
  return more.length > 0 || first.length > 70 ? `${first.slice(0, 70)} …` : first
}

function printInterruptions({ interruptions }: RolloutPlan): string {
  if (interruptions.length === 0) return '\nNo resource is interrupted.\n'
  const rows = [...interruptions]
    .sort((a, b) => compareText(a.resource, b.resource))
    .map(({ resource, times, longestMs, ms, isUnknown }) => [
      resource,
      times === 1 ? 'once' : `${times} times`,
      `longest ${seconds(longestMs, isUnknown)}`,
      `together ${seconds(ms, isUnknown)}`,
    ])
  return `\nInterruptions, by recorded times of operations:\n${alignColumns(rows, '  ')}`
}

const seconds = (ms: number, isUnknown: boolean): string =>
  `${isUnknown ? 'more than ' : ''}${(ms / 1000).toFixed(1)} s`
