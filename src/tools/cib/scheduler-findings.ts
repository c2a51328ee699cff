/** What a configuration asks for and its cluster cannot do, as Pacemaker's scheduler says it when it reads one: `crm_verify` ends with 78 for each. */
import {
  type CloneDefinition,
  childElements,
  configurationElement,
  type OperationDefinition,
  parseBoolean,
  parseRole,
  primitiveDefinitions,
  type Role,
  type XmlElement,
} from '../../cib/index.ts'
import { type ClusterStatus, type PrimitiveResource, parseMoment, type Resource, utc } from '../../status/index.ts'
import { descendants } from './tree.ts'

export interface Finding {
  /** `remark`: with an error or a warning the configuration is refused, with a remark it is not. */
  readonly severity: 'error' | 'warning' | 'remark'
  readonly text: string
}

export function schedulerFindings(status: ClusterStatus, cib: XmlElement): readonly Finding[] {
  const found = [
    ...oldRoles(cib),
    ...oldWords(cib),
    ...dateFindings(cib, status.now),
    ...quorumFindings(status),
    ...ticketFindings(status, cib),
    ...status.configuration.resources.flatMap((one) => (one.kind === 'clone' ? cloneFindings(one) : [])),
    ...status.resources.filter(({ orphan }) => !orphan).flatMap((resource) => findingsOf(resource, status, false)),
  ]
  return [...new Map(found.map((finding) => [finding.text, finding])).values()]
}

const error = (text: string): Finding => ({ severity: 'error', text })
const warning = (text: string): Finding => ({ severity: 'warning', text })

/**
 * Master and Slave, wherever a role may stand. Pacemaker 3.0 ends with 78 here; 2.1, beside which programs such as crmsh 4 write these words, does
 * not, and such programs write nothing more to a cluster whose configuration is refused. So it counts from the schema on that 3.0 has brought.
 */
function oldRoles(cib: XmlElement): readonly Finding[] {
  const written = descendants(configurationElement(cib)).flatMap(({ name, attributes }) =>
    name === 'nvpair'
      ? attributes.name === 'target-role'
        ? [attributes.value]
        : []
      : [attributes.role, attributes['rsc-role'], attributes['with-rsc-role']],
  )
  const severity = /^pacemaker-[4-9]/.test(cib.attributes['validate-with'] ?? '') ? 'warning' : 'remark'
  return written.flatMap((role) => {
    const word = role?.toLowerCase()
    if (word !== 'master' && word !== 'slave') return []
    const [old, now] = word === 'master' ? ['Master', 'Promoted'] : ['Slave', 'Unpromoted']
    const text = `Support for the ${old} role is deprecated and will be removed in a future release. Use ${now} instead.`
    return [{ severity, text } as const]
  })
}

/** Others that a resource set or an option of clones has replaced; `true` is what groups do anyway. */
function oldWords(cib: XmlElement): readonly Finding[] {
  const all = descendants(configurationElement(cib))
  const groupSets = all
    .filter(({ name }) => name === 'group')
    .flatMap((group) => childElements(group, 'meta_attributes').flatMap((set) => childElements(set, 'nvpair')))
  const words = ['ordered', 'collocated'].filter((word) =>
    groupSets.some(({ attributes: { name, value } }) => name === word && parseBoolean(value) === false),
  )
  const requiresAll = all.some(
    ({ name, attributes }) => name === 'rsc_order' && attributes['require-all'] !== undefined,
  )
  const end = 'is deprecated and will be removed in a future release'
  return [
    ...words.map((word) =>
      warning(`Support for the '${word}' group meta-attribute ${end} (use a resource set instead)`),
    ),
    ...(requiresAll
      ? [warning(`Support for require-all in ordering constraints ${end} (use clone-min clone meta-attribute instead)`)]
      : []),
  ]
}

function dateFindings(cib: XmlElement, now: number): readonly Finding[] {
  const zone = { now, utcOffsetAt: utc }
  return descendants(configurationElement(cib))
    .filter(({ name }) => name === 'date_expression')
    .flatMap(({ attributes }) =>
      (['start', 'end'] as const).flatMap((side) => {
        const text = attributes[side]
        if (text === undefined || parseMoment(text, zone) !== undefined) return []
        return [error(`Treating date_expression ${attributes.id} as not passing because ${side} is invalid`)]
      }),
    )
}

function quorumFindings({ options }: ClusterStatus): readonly Finding[] {
  const policy = options.raw.get('no-quorum-policy')?.toLowerCase()
  if ((policy !== 'fence' && policy !== 'suicide') || options.fencingEnabled) return []
  return [error("Resetting no-quorum-policy to 'stop' because fencing is disabled")]
}

function ticketFindings({ options }: ClusterStatus, cib: XmlElement): readonly Finding[] {
  if (options.fencingEnabled) return []
  const constraints = childElements(configurationElement(cib), 'constraints').flatMap((one) => childElements(one))
  return constraints
    .filter(({ name, attributes }) => name === 'rsc_ticket' && attributes['loss-policy'] === 'fence')
    .map(({ attributes: { ticket } }) =>
      error(`Resetting 'loss-policy' for ticket '${ticket}' to 'stop' because fencing is not configured`),
    )
}

function findingsOf(resource: Resource, status: ClusterStatus, promotable: boolean): readonly Finding[] {
  const own = metaFindings(resource, status, promotable)
  switch (resource.kind) {
    case 'primitive':
      return [...own, ...resource.operations.flatMap((operation) => operationFindings(resource, operation, status))]
    case 'group':
      return [...own, ...resource.members.flatMap((member) => findingsOf(member, status, promotable))]
    case 'clone':
      return [
        ...metaFindings(resource, status, resource.promotable),
        ...resource.instances.flatMap((one) => findingsOf(one, status, resource.promotable)),
      ]
    case 'bundle':
      return resource.clone === undefined ? [] : findingsOf(resource.clone, status, false)
  }
}

/** Only OCF agents know roles, and only they and fence devices instances. A clone that breaks the first is none for the status. */
function cloneFindings(clone: CloneDefinition): readonly Finding[] {
  const isOn = (name: string): boolean =>
    clone.meta.flatMap(({ pairs }) => pairs).some((pair) => pair.name === name && parseBoolean(pair.value) === true)
  const promotable = clone.isMasterElement || isOn('promotable')
  const unique = isOn('globally-unique')
  return primitiveDefinitions(clone).flatMap(({ id, agent: { class: kind } }) => [
    ...(promotable && kind !== 'ocf'
      ? [error(`Resource ${id}:0 is of type ${kind} and therefore cannot be used as a promotable clone resource`)]
      : []),
    ...(unique && kind !== 'ocf' && kind !== 'stonith'
      ? [
          warning(
            `Ignoring globally-unique for ${clone.id} because ${kind} resources such as ${id}:0 can be used only as anonymous clones`,
          ),
        ]
      : []),
  ])
}

function metaFindings(resource: Resource, { options }: ClusterStatus, promotable: boolean): readonly Finding[] {
  const { id, meta } = resource
  const role = meta.raw.get('target-role')
  const requires = meta.raw.get('requires')?.toLowerCase()
  const isDevice = resource.kind === 'primitive' && resource.agent.class === 'stonith'
  return [
    ...(isOfPromotable(parseRole(role)) && !promotable
      ? [error(`Ignoring 'target-role' for ${id} because '${role}' only makes sense for promotable clones`)]
      : []),
    ...(requires === 'unfencing' && isDevice
      ? [warning(`Resetting "requires" for ${id} to "quorum" because fencing devices cannot require unfencing`)]
      : requires === 'unfencing' && !options.fencingEnabled
        ? [warning(`Resetting "requires" for ${id} to "quorum" because fencing is disabled`)]
        : requires === 'fencing' && !options.fencingEnabled
          ? [warning(`${id} requires fencing but fencing is disabled`)]
          : []),
  ]
}

const isOfPromotable = (role: Role | undefined): boolean => role === 'Promoted' || role === 'Unpromoted'

const neverRecurring = new Set(['start', 'stop', 'promote', 'demote', 'migrate_to', 'migrate_from'])

function operationFindings(
  resource: PrimitiveResource,
  definition: OperationDefinition,
  status: ClusterStatus,
): readonly Finding[] {
  const { id, name, intervalMs, attributes } = definition
  const meta = status.operationMeta(resource, { name, intervalMs, definition })
  const onFail = meta.get('on-fail')?.toLowerCase()
  const origin = meta.get('interval-origin')
  const role = parseRole(attributes.role)
  const mayDemote = name === 'promote' || (name === 'monitor' && intervalMs > 0 && role === 'Promoted')
  const { fencingEnabled } = status.options
  const needsFencing = (name === 'start' || name === 'promote') && attributes.requires?.toLowerCase() === 'fencing'
  return [
    ...(intervalMs > 0 && neverRecurring.has(name)
      ? [error(`Ignoring ${id} because ${name} action cannot be recurring`)]
      : []),
    ...(onFail === 'fence' && !fencingEnabled
      ? [
          error(
            `Resetting 'on-fail' for ${name} of ${resource.id} to 'stop' because 'fence' is not valid when fencing is disabled`,
          ),
        ]
      : []),
    ...(onFail === 'demote' && !mayDemote
      ? [
          error(
            `Resetting 'on-fail' for ${resource.id} ${name} action to default value because 'demote' is not allowed for it`,
          ),
        ]
      : []),
    ...(origin !== undefined && parseMoment(origin, { now: status.now, utcOffsetAt: utc }) === undefined
      ? [error(`Ignoring 'interval-origin' for operation '${id}' because '${origin}' is not valid`)]
      : []),
    ...(needsFencing && !fencingEnabled ? [warning(`${resource.id} requires fencing but fencing is disabled`)] : []),
  ]
}
