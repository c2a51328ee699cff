/** What a word would do to a rollout as it is now, in sentences: pure. */
import type { FleetRolloutFacts, RolloutFacts } from '../../cli/index.ts'
import type { RolloutsAnswer } from './cards.ts'

export function effectOf(word: string, answer: RolloutsAnswer): readonly string[] {
  const [over] = answer.fleet
  const [rollout] = answer.rollouts
  if (over !== undefined) return effectOnClusters(word, over)
  return rollout === undefined ? [] : effectOnNodes(word, rollout)
}

function effectOnNodes(word: string, { definition, nodes }: RolloutFacts): readonly string[] {
  const named = (is: (node: RolloutFacts['nodes'][number]) => boolean): readonly string[] =>
    nodes.filter((node) => node.leftOut !== true && is(node)).map(({ node }) => node)
  const failed = named(({ phase }) => phase === 'failed' || phase === 'undo-failed')
  const waiting = named(({ phase }) => phase === 'waiting' || phase === 'back')
  const done = named(({ phase }) => phase === 'done')
  const underWay = named(({ node }) => ![...failed, ...waiting, ...done].includes(node))
  switch (word) {
    case 'pause':
      return ['No further node begins.', ...said(underWay, 'is finished first', 'are finished first')]
    case 'resume':
      return [
        ...said(failed, 'goes on with the command that failed', 'go on with the command that failed'),
        ...said(underWay, 'goes on', 'go on'),
        ...said(waiting, 'begins when its turn comes', 'begin when their turns come'),
      ]
    case 'abort':
      return backOn(
        named(({ touched, phase }) => touched > 0 && phase !== 'back'),
        definition.commands.filter(({ undo }) => undo === undefined).map(({ name }) => name),
      )
    case 'confirm':
      return [
        `${listed(done)} keep${done.length === 1 ? 's' : ''} ${definition.version}. It can no longer be put back by 'rollout abort'.`,
      ]
    default:
      return []
  }
}

function backOn(changed: readonly string[], withoutUndo: readonly string[]): readonly string[] {
  if (changed.length === 0) return ['No command has begun on any node: there is nothing to put back.']
  return [
    `The undo commands run on ${listed(changed)}, in reverse order.`,
    ...said(withoutUndo, 'has no undo: what it did stays', 'have no undo: what they did stays'),
  ]
}

function effectOnClusters(word: string, { parts, version }: FleetRolloutFacts): readonly string[] {
  const named = (...phases: readonly string[]): readonly string[] =>
    parts.filter(({ phase }) => phases.includes(phase)).map(({ cluster }) => cluster)
  switch (word) {
    case 'pause':
      return [
        'No further cluster begins.',
        ...said(named('starting', 'running'), 'begins no further node', 'begin no further node'),
      ]
    case 'resume':
      return [
        ...said(named('running', 'refused'), 'goes on', 'go on'),
        ...said(named('waiting'), 'begins when its turn comes', 'begin when their turns come'),
      ]
    case 'abort':
      return said(named('starting', 'running', 'done'), 'puts its nodes back', 'put their nodes back')
    case 'confirm':
      return said(named('done'), `keeps ${version}`, `keep ${version}`)
    default:
      return []
  }
}

function said(names: readonly string[], one: string, more: string): readonly string[] {
  return names.length === 0 ? [] : [`${listed(names)} ${names.length === 1 ? one : more}.`]
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
