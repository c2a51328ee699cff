/** The real scheduler, on the CIB that a node's view composes into. */
import { createHash } from 'node:crypto'
import { type ClusterView, cibOfView } from '../../src/controller/index.ts'
import { schedule } from '../../src/scheduler/index.ts'
import type { TransitionGraph } from '../../src/transition/index.ts'

export interface Scheduled {
  readonly graph: TransitionGraph
  readonly noQuorumPolicy: string
  readonly recheckInMs?: number
}

export function scheduleView(view: ClusterView, haveQuorum: boolean, now: number): Scheduled {
  const cib = cibOfView(view, haveQuorum)
  if (cib === undefined) return { graph: { actions: [], attributes: {} }, noQuorumPolicy: 'stop' }
  const { graph, status } = schedule({ cib, now, md5, explain: false })
  const { recheckAt, options } = status
  return {
    graph,
    noQuorumPolicy: options.noQuorumPolicy,
    ...(recheckAt === undefined ? {} : { recheckInMs: Math.max(0, recheckAt - now) * 1000 }),
  }
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
