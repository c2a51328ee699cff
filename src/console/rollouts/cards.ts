/** What stands on the card of a rollout, of this cluster or over clusters of the fleet: pure. */
import type { FleetRolloutFacts, RolloutFacts } from '../../cli/index.ts'
import { momentOf } from '../base/time.ts'

export interface RolloutsAnswer {
  readonly rollouts: readonly RolloutFacts[]
  readonly fleet: readonly FleetRolloutFacts[]
}

export interface Row {
  readonly name: string
  readonly doing: string
  readonly why: string
  readonly sign: string
  readonly level: Card['level']
  /** The end of what its command has printed. */
  readonly output?: string
}

export interface Card {
  readonly id: string
  readonly title: string
  readonly state: string
  readonly level: 'good' | 'warning' | 'critical'
  readonly sign: string
  readonly begun: string
  readonly until?: string
  readonly waves: readonly {
    readonly title: string
    readonly done: number
    readonly of: number
    readonly rows: readonly Row[]
  }[]
  readonly actions: readonly { readonly title: string; readonly line: string }[]
}

const signs = { good: '●', warning: '▲', critical: '■' } as const

function levelOf(state: string): Card['level'] {
  if (state === 'halted') return 'critical'
  return state === 'complete' || state === 'running' || state === 'confirming' ? 'good' : 'warning'
}

/** Those of the fleet first: parts of them may be among the others. */
export const cardsOf = ({ rollouts, fleet }: RolloutsAnswer): readonly Card[] => [
  ...fleet.map(cardOfFleet),
  ...rollouts.map(cardOf),
]

export function cardOf(rollout: RolloutFacts): Card {
  const { definition, nodes, waves } = rollout
  return {
    ...headOf({ ...rollout, name: definition.name, version: definition.version }),
    waves: waves.map(({ role }, at) => {
      const inWave = nodes.filter(({ wave }) => wave === at)
      return {
        title: `Wave ${at + 1}${role === undefined ? '' : ` (${role})`}`,
        done: inWave.filter(({ phase }) => phase === 'done').length,
        of: inWave.filter(({ leftOut }) => leftOut !== true).length,
        rows: inWave.map((node) => {
          const hasFailed = node.phase === 'failed' || node.phase === 'undo-failed'
          const row = rowOf(node.node, node.doing, {
            hasFailed,
            isDone: node.phase === 'done',
            why: node.leftOut === true ? '' : (node.why ?? rollout.waiting?.[node.node] ?? ''),
          })
          return hasFailed && node.tail !== undefined ? { ...row, output: node.tail } : row
        }),
      }
    }),
  }
}

export function cardOfFleet(rollout: FleetRolloutFacts): Card {
  const { parts } = rollout
  const waves = [...new Set(parts.map(({ wave }) => wave))]
  const isDone = (phase: string): boolean => phase === 'done' || phase === 'confirmed'
  return {
    ...headOf(rollout),
    waves: waves.map((wave) => {
      const inWave = parts.filter((part) => part.wave === wave)
      return {
        title: `Wave ${wave + 1}`,
        done: inWave.filter(({ phase }) => isDone(phase)).length,
        of: inWave.filter(({ phase }) => phase !== 'left-out').length,
        rows: inWave.map(({ cluster, phase, doing, reason, seen, away }) =>
          rowOf(cluster, seen === undefined ? doing : `${doing}, ${seen.done} of ${seen.nodes} nodes`, {
            hasFailed: phase === 'refused' || seen?.state === 'halted' || away !== undefined,
            isDone: isDone(phase),
            why: reason,
          }),
        ),
      }
    }),
  }
}

interface Head {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly state: string
  readonly why?: string
  readonly user: string
  readonly from: string
  readonly since: number
  readonly ended?: number
  readonly confirmBy?: number
  readonly next: readonly string[]
}

function headOf({
  id,
  name,
  version,
  state,
  why,
  user,
  from,
  since,
  ended,
  confirmBy,
  next,
}: Head): Omit<Card, 'waves'> {
  const level = levelOf(state)
  const end = ended === undefined ? '' : `, ended ${momentOf(ended)}`
  return {
    id,
    title: `${name} ${version}`,
    state: why === undefined ? state : `${state}: ${why}`,
    level,
    sign: signs[level],
    begun: `Started by ${user} on ${from} at ${momentOf(since)}${end}`,
    ...(state === 'unconfirmed' && confirmBy !== undefined && { until: momentOf(confirmBy) }),
    actions: next.map((command) => actionOf(command.replace(/^systole /, ''))),
  }
}

const titles: Readonly<Record<string, string>> = {
  pause: 'Pause',
  resume: 'Continue',
  abort: 'Put back',
  confirm: 'Confirm',
}

/** What goes on for long is not waited for. */
function actionOf(line: string): Card['actions'][number] {
  const word = line.split(' ')[1] ?? ''
  const follows = word === 'resume' || word === 'abort'
  return { title: titles[word] ?? word, line: follows ? `${line} --no-wait` : line }
}

function rowOf(
  name: string,
  doing: string,
  { hasFailed, isDone, why }: { readonly hasFailed: boolean; readonly isDone: boolean; readonly why: string },
): Row {
  const level = hasFailed ? 'critical' : isDone ? 'good' : 'warning'
  return { name, doing, why, level, sign: hasFailed ? '✕' : isDone ? '●' : '○' }
}
