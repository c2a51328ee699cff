/** A rollout for people: a bar for each wave, a line for each node. */
import { hasEnded, meantNodes, type RolloutNode, type RolloutsKnown } from '../../rollout/index.ts'
import { alignColumns } from '../call/table.ts'

export type ShownRollout = RolloutsKnown['rollouts'][number]

const barWidth = 20

export function printRollout(rollout: ShownRollout): string {
  const { id, definition, state, why, user, from, since, waves } = rollout
  const reason = why === undefined ? '' : `: ${why}`
  return [
    `${id}  ${definition.name} ${definition.version}  ${state}${reason}\n`,
    `Started by ${user} on ${from} at ${timeOf(since)}${rollout.ended === undefined ? '' : `, ended at ${timeOf(rollout.ended)}`}.\n`,
    ...waves.map((wave, at) => printWave(rollout, wave, at)),
    nextStep(rollout),
  ].join('')
}

function printWave(rollout: ShownRollout, { role }: { readonly role?: string }, at: number): string {
  const nodes = rollout.nodes.filter(({ wave }) => wave === at)
  const meant = meantNodes({ nodes }).length
  const done = nodes.filter(({ phase }) => phase === 'done').length
  const title = `Wave ${at + 1}${role === undefined ? '' : ` (${role})`}`
  const rows = nodes.map((node) => [
    node.node,
    phaseText(rollout, node),
    node.leftOut === true ? '' : (node.why ?? rollout.waiting?.[node.node] ?? ''),
  ])
  return `\n${title}  ${printBar(done, meant)}\n${alignColumns(rows, '  ')}`
}

export function printBar(done: number, of: number): string {
  const filled = Math.round((done / Math.max(of, 1)) * barWidth)
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]  ${done} of ${of}`
}

export function phaseText({ definition }: Pick<ShownRollout, 'definition'>, node: RolloutNode): string {
  const command = definition.commands[node.command]
  const attempt = node.attempt > 1 ? `, attempt ${node.attempt}` : ''
  switch (node.phase) {
    case 'holding':
    case 'undo-holding':
      return definition.hold === 'none' ? 'begins' : definition.hold
    case 'working':
      return `${command?.stage ?? ''}: ${command?.name ?? ''}${attempt}`
    case 'undoing':
      return `undo: ${command?.name ?? ''}${attempt}`
    case 'releasing':
    case 'undo-releasing':
      return 'is released'
    case 'undo-failed':
      return 'could not be put back'
    case 'back':
      return 'is as it was'
    case 'waiting':
      return node.leftOut === true ? 'was removed from the cluster' : node.phase
    case 'done':
    case 'failed':
      return node.phase
  }
}

/** What somebody is told beside the record: what each node does, in words, and the commands that come next. */
export interface RolloutFacts extends ShownRollout {
  readonly nodes: readonly (RolloutNode & { readonly doing: string })[]
  readonly next: readonly string[]
}

export const rolloutFacts = (rollout: ShownRollout): RolloutFacts => ({
  ...rollout,
  nodes: rollout.nodes.map((node) => ({ ...node, doing: phaseText(rollout, node) })),
  next: nextCommands(rollout),
})

/** A part of a rollout over clusters is continued and put back where that was started. */
function nextCommands({ id, state, partOf }: ShownRollout): readonly string[] {
  const words = partOf !== undefined && state === 'unconfirmed' ? [] : wordsIn(state)
  return words.map((word) => `systole rollout ${word} ${id}`)
}

/** What a person can say to a rollout in this state. */
export function wordsIn(state: ShownRollout['state'] | 'confirming'): readonly string[] {
  switch (state) {
    case 'running':
      return ['pause', 'abort']
    case 'paused':
    case 'halted':
      return ['resume', 'abort']
    case 'unconfirmed':
      return ['confirm', 'abort']
    case 'aborting':
    case 'confirming':
    case 'complete':
    case 'aborted':
      return []
  }
}

/** What a person can do now. */
function nextStep(rollout: ShownRollout): string {
  const { id, state, confirmBy, nodes, partOf } = rollout
  const tails = nodes.flatMap(({ node, tail, phase }) =>
    tail === undefined || (phase !== 'failed' && phase !== 'undo-failed')
      ? []
      : [`\nOutput of ${node}:\n${indented(tail)}`],
  )
  if (hasEnded(rollout)) return ''
  if (state === 'unconfirmed' && partOf !== undefined)
    return `\nIt is part of a rollout over several clusters (${partOf}) and stays open until that has ended: then it is confirmed or put back.\n`
  if (state === 'unconfirmed')
    return `\nConfirm it with \`systole rollout confirm ${id}\` until ${timeOf(confirmBy ?? 0)}, or it is put back.\n`
  if (state === 'halted' || state === 'paused')
    return `${tails.join('')}\nContinue with \`systole rollout resume ${id}\`, or put everything back with \`systole rollout abort ${id}\`.\n`
  return tails.join('')
}

const indented = (text: string): string =>
  `${text
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `  ${line}`)
    .join('\n')}\n`

export const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
