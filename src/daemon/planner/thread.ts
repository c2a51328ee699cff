/**
 * The planner thread: reads the CIB as a status and schedules it. It folds the same observations as the main thread into a
 * view of its own. Nothing here knows the time but the moment that a request names.
 */
import { parentPort } from 'node:worker_threads'
import { defined, type NodeName, utcOffsetAt } from '../../base/index.ts'
import type { NodeStateRecord, XmlElement } from '../../cib/index.ts'
import {
  type ClusterView,
  cibOfView,
  emptyView,
  type Observation,
  observe,
  viewOfItself,
} from '../../controller/index.ts'
import { type DecisionRecord, recordedPlan } from '../../transition/index.ts'
import { typedConfiguration } from '../configuration/typed-configuration.ts'
import type { FromPlanner, PlannerObservation, Question, ToPlanner } from './messages.ts'
import { plan } from './plan.ts'
import { InputKeeper, type Series, seriesOf } from './saved-inputs.ts'
import { servicesIn } from './services-in.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')
let view: ClusterView = emptyView

const keeper = new InputKeeper((kept) => port.postMessage({ kind: 'kept', kept } satisfies FromPlanner))

port.on('message', (message: ToPlanner) => {
  if (message.kind === 'services') answerServices(message)
  else if (message.kind === 'observe')
    view = observe(view, message.observations.map(readObservation), message.revision).view
  else answer(message)
})

function answer(asked: Extract<ToPlanner, { kind: 'schedule' }>): void {
  const say = (word: FromPlanner): void => port.postMessage(word)
  const { id, keepIn, now } = asked
  let cib: XmlElement | undefined
  const keep = (
    series: Series,
    options: ReadonlyMap<string, string>,
    outcome: () => Pick<DecisionRecord, 'plan' | 'error'>,
  ): void => {
    if (!cib || keepIn === undefined) return
    const version = process.env.SYSTOLE_VERSION ?? ''
    const decided = { version, utcOffset: utcOffsetAt(now), ...outcome() }
    keeper.keep(cib, { folder: keepIn, series, now, options, decided })
  }
  try {
    cib = cibOfView(viewFor(asked), asked.haveQuorum)
    if (!cib) throw new Error('There is no configuration yet.')
    const computedVersion = view.configuration?.version ?? 0
    const { planned, status } = plan(cib, asked)
    say({ kind: 'scheduled', id, planned: { ...planned, computedVersion } })
    keep(seriesOf(status), status.options.raw, () => ({ plan: recordedPlan(planned.graph) }))
  } catch (error) {
    // A bug of the scheduler stops no service: what runs goes on, and the DC says that it cannot decide.
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    say({ kind: 'failed', id, message, stack })
    keep('pe-error', new Map(), () => ({ error: message }))
  }
}

function answerServices({ id, ...asked }: Extract<ToPlanner, { kind: 'services' }>): void {
  const say = (word: FromPlanner): void => port.postMessage(word)
  try {
    const cib = cibOfView(view, asked.haveQuorum)
    const answer = cib === undefined ? noServices : servicesIn(cib, asked)
    say({ kind: 'services', id, answer })
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    say({ kind: 'failed', id, message, stack })
  }
}

const noServices = {
  catalogue: { services: [], mistakes: [] },
  checks: { due: [], left: [] },
  nodes: [],
  here: new Map(),
}

function viewFor({ lost, own }: Pick<Question, 'lost' | 'own'>): ClusterView {
  if (own !== undefined) return viewOfItself(view, own)
  return lost === undefined ? view : withoutNode(view, lost)
}

function withoutNode(known: ClusterView, node: NodeName): ClusterView {
  const state = known.nodeStates.get(node)
  if (state === undefined) return known
  const lost: NodeStateRecord = { ...state, inCcm: false, crmd: 'offline', join: 'down', reason: 'it is silent' }
  return { ...known, nodeStates: new Map(known.nodeStates).set(node, lost) }
}

function readObservation(observation: PlannerObservation): Observation {
  if (observation.kind === 'delete' || observation.configText === undefined) return observation
  const { configText, ...rest } = observation
  return { ...rest, configuration: typedConfiguration(configText) }
}
