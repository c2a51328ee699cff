import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  type CloneResource,
  type ClusterStatus,
  type PrimitiveResource,
  partsOf,
  type Resource,
} from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { activeOn, isFencing, statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const questions = [
  'exists',
  'is-stonith',
  'is-type',
  'get-type',
  'is-state',
  'is-in-group',
  'is-in-clone',
  'is-in-bundle',
  'get-nodes',
  'get-members',
  'get-index-in-group',
] as const

export const statusQuery: Command = {
  path: ['status', 'query', 'resource'],
  usage:
    '<resource> exists | is-stonith | is-type <type> | get-type | is-state <state> [on-node <node>] [members all|any|none] [instances all|any|none] | is-in-group|is-in-clone|is-in-bundle [<id>] | get-nodes | get-members | get-index-in-group [--quiet]',
  summary: 'Query the state of a resource; the exit code is 0 for yes and 2 for no',
  examples: ['systole status query resource web is-state started on-node n1'],
  flags: [{ name: 'quiet', summary: 'Only the exit code' }],
  completes: ['resource', { words: questions }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `status query resource ${call.command.usage}` })
    const [id = '', question, ...rest] = call.words
    const { cib } = await call.cluster.readCib()
    const status = statusOf(call, cib)
    const found = find(status.resources, id)
    if (question === 'exists') return yesOrNo(call, found !== undefined)
    if (!found) {
      const known = status.resources.flatMap(allIds)
      throw new Refusal({
        own: `There is no resource '${id}'.${didYouMean(similarWords(id, known))}`,
        about: { code: 'resource-not-found', id, similar: [] },
      })
    }
    return answer(call, { status, found, question: question ?? '', rest })
  },
}

interface Found {
  readonly resource: Resource
  /** The resources around it, outermost first. */
  readonly inside: readonly Resource[]
}

interface Question {
  readonly status: ClusterStatus
  readonly found: Found
  readonly question: string
  readonly rest: readonly string[]
}

function answer(call: Call, { status, found, question, rest }: Question): Outcome {
  const { resource, inside } = found
  const around = (kind: Resource['kind']): Outcome => {
    const parent = inside.findLast((candidate) => candidate.kind === kind)
    const name = parent && String(parent.configuredId)
    return yesOrNo(call, name !== undefined && (rest[0] === undefined || rest[0] === name), name)
  }
  switch (question) {
    case 'is-stonith':
      return yesOrNo(call, isFencing(resource))
    case 'is-type':
      return yesOrNo(call, isType(resource, rest))
    case 'get-type':
      return done(`${typeOf(resource).join(' ')}\n`, typeOf(resource))
    case 'is-state':
      return yesOrNo(call, hasState(status, allNamed(status.resources, resource.configuredId), rest))
    case 'is-in-group':
      return around('group')
    case 'is-in-clone':
      return around('clone')
    case 'is-in-bundle':
      return around('bundle')
    case 'get-nodes':
      return tell([...new Set(allNamed(status.resources, resource.configuredId).flatMap(activeOn))].sort())
    case 'get-members':
      return tell([...new Set(membersOf(resource).map(({ configuredId }) => String(configuredId)))])
    case 'get-index-in-group': {
      const group = inside.findLast((candidate) => candidate.kind === 'group')
      if (group?.kind !== 'group')
        throw new Refusal({
          own: `'${resource.configuredId}' is not in a group.`,
          about: { code: 'said-by-pcs', errors: [`Resource '${resource.configuredId}' is not in a group`] },
        })
      return tell([String(group.members.findIndex(({ configuredId }) => configuredId === resource.configuredId))])
    }
    default:
      throw new Refusal(
        `'${question}' is not a query.${didYouMean(similarWords(question, questions))} The queries are ${questions.join(', ')}.`,
      )
  }
}

function yesOrNo(call: Call, yes: boolean, detail?: string): Outcome {
  const text = call.flags.has('quiet')
    ? ''
    : `${yes ? 'True' : 'False'}\n${yes && detail !== undefined ? `${detail}\n` : ''}`
  return done(text, { answer: yes, ...(detail === undefined ? {} : { detail }) }, yes ? 0 : 2)
}

function tell(words: readonly string[]): Outcome {
  // As pcs: an empty list is an empty line.
  return done(words.length === 0 ? '\n' : words.map((word) => `${word}\n`).join(''), words)
}

function typeOf(resource: Resource): readonly string[] {
  const flags =
    resource.kind === 'clone'
      ? [...(resource.unique ? ['unique'] : []), ...(resource.promotable ? ['promotable'] : [])]
      : // As crm_mon has it: several replicas on a node are told apart.
        resource.kind === 'bundle' && resource.replicasPerHost > 1
        ? ['unique']
        : []
  return [resource.kind, ...flags]
}

function isType(resource: Resource, words: readonly string[]): boolean {
  const [kind, ...flags] = words
  if (kind === undefined || !['primitive', 'group', 'clone', 'bundle'].includes(kind))
    throw new Refusal(`'${kind ?? ''}' is not a resource type. Specify primitive, group, clone or bundle.`)
  const twice = flags.find((flag, index) => flags.indexOf(flag) < index)
  if (twice !== undefined) throw new Refusal(`'${twice}' is given twice.`)
  const own = typeOf(resource)
  return own[0] === kind && flags.every((flag) => own.includes(flag))
}

type State = (primitive: PrimitiveResource, around: Resource, node: string | undefined) => boolean

const roleState =
  (role: string): State =>
  ({ state }, _around, node) =>
    state.active.some((place) => place.role === role && (node === undefined || place.node === node))
const pendingState =
  (...operations: readonly string[]): State =>
  ({ state }, _around, node) =>
    state.pending !== undefined &&
    operations.includes(state.pending.operation) &&
    (node === undefined || state.pending.node === node)

const states: Readonly<Record<string, State>> = {
  active: ({ state }, _around, node) => state.active.some((place) => node === undefined || place.node === node),
  blocked: ({ state }) => state.blocked,
  demoting: pendingState('demote'),
  disabled: ({ meta }, around) => meta.targetRole === 'Stopped' || around.meta.targetRole === 'Stopped',
  enabled: ({ meta }, around) => meta.targetRole !== 'Stopped' && around.meta.targetRole !== 'Stopped',
  failed: ({ state }) => state.failed,
  failure_ignored: ({ state }) => state.failureIgnored,
  inactive: ({ state }) => state.active.length === 0,
  locked_to: ({ state }, _around, node) =>
    state.shutdownLock !== undefined && (node === undefined || state.shutdownLock.node === node),
  maintenance: ({ state }) => state.maintenance,
  managed: ({ state }) => state.managed,
  migrating: pendingState('migrate_to', 'migrate_from'),
  monitoring: pendingState('monitor'),
  orphaned: ({ orphan }) => orphan,
  pending: ({ state }) => state.pending !== undefined,
  promoted: roleState('Promoted'),
  promoting: pendingState('promote'),
  started: roleState('Started'),
  starting: pendingState('start'),
  stopped: ({ state }) => state.active.length === 0,
  stopping: pendingState('stop'),
  unmanaged: ({ state }) => !state.managed,
  unpromoted: roleState('Unpromoted'),
}

/**
 * A group or clone is in a state if any of its parts is, unless `members` or `instances` ask for all or none: of the members of each
 * instance first, then of the instances.
 */
function hasState(status: ClusterStatus, instances: readonly Resource[], words: readonly string[]): boolean {
  const [name = '', ...rest] = words
  const state = Object.hasOwn(states, name) ? states[name] : undefined
  if (!state) throw new Refusal(`'${name}' is not a state. The states are ${Object.keys(states).join(', ')}.`)
  const options = new Map<string, string>()
  for (let at = 0; at < rest.length; at += 2) {
    // The node that a lock is on may follow the state itself.
    if (name === 'locked_to' && at === 0 && !['on-node', 'members', 'instances'].includes(rest[0] ?? ''))
      return hasState(status, instances, [name, 'on-node', rest[0] ?? '', ...rest.slice(1)])
    options.set(rest[at] ?? '', rest[at + 1] ?? '')
  }
  const node = options.get('on-node')
  if (node !== undefined && !status.nodes.some(({ name: known }) => known === node))
    throw new Refusal(`There is no node '${node}'.`)
  const isSo = (resource: Resource): boolean =>
    resource.kind === 'clone'
      ? amount(
          resource.instances.map(isSo),
          options.get('instances') ?? (isOfGroups(resource) ? undefined : options.get('members')),
        )
      : amount(
          primitivesBelow(resource).map((primitive) => state(primitive, resource, node)),
          options.get(resource.kind === 'group' ? 'members' : 'instances'),
        )
  return instances.length === 1 && instances[0] !== undefined
    ? isSo(instances[0])
    : amount(instances.map(isSo), options.get('instances'))
}

const isOfGroups = ({ instances }: CloneResource): boolean => instances.some(({ kind }) => kind === 'group')

function amount(answers: readonly boolean[], how = 'any'): boolean {
  switch (how) {
    case 'any':
      return answers.some(Boolean)
    case 'all':
      return answers.length > 0 && answers.every(Boolean)
    case 'none':
      return !answers.some(Boolean)
    default:
      throw new Refusal(`'${how}' is not all, any or none.`)
  }
}

function primitivesBelow(resource: Resource): readonly PrimitiveResource[] {
  return resource.kind === 'primitive' ? [resource] : membersOf(resource).flatMap(primitivesBelow)
}

/** Of a bundle what was put into it: pcs knows nothing of its containers. */
function membersOf(resource: Resource): readonly Resource[] {
  return resource.kind === 'bundle' ? resource.replicas.flatMap(({ child }) => child ?? []) : partsOf(resource)
}

function find(resources: readonly Resource[], id: string, inside: readonly Resource[] = []): Found | undefined {
  for (const resource of resources) {
    if (resource.id === id || resource.configuredId === id) return { resource, inside }
    const below = find(membersOf(resource), id, [...inside, resource])
    if (below) return below
  }
  return undefined
}

/** Of what is cloned, each instance. */
function allNamed(resources: readonly Resource[], id: Resource['configuredId']): readonly Resource[] {
  return resources.flatMap((one) => (one.configuredId === id ? [one] : allNamed(membersOf(one), id)))
}

function allIds(resource: Resource): readonly string[] {
  return [String(resource.configuredId), ...membersOf(resource).flatMap(allIds)]
}
