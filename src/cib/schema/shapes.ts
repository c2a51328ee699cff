/** What belongs together in an element and what excludes each other, as Pacemaker's schemas have it: one row for each element. */
import { childElements, type XmlElement } from '../document.ts'
import { isGoneOption, type SchemaNumber } from './schema-words.ts'

export function shapeMistakes(element: XmlElement, schema: SchemaNumber): readonly string[] {
  // A reference stands for the whole other element.
  if (element.attributes['id-ref'] !== undefined && element.name !== 'operations')
    return childElements(element).length === 0 && (element.name !== 'nvpair' || isPairReference(element, schema))
      ? []
      : [`<${element.name}> refers to another and has parts of its own`]
  const shape = Object.hasOwn(shapes, element.name) ? shapes[element.name] : undefined
  const holds = shape === undefined || shape(element, schema)
  return holds ? [] : [`<${element.name}> '${element.attributes.id ?? ''}' is not complete, or has too much`]
}

/** A name of its own: it had to have one before the schema 3.0, and may not since 4.0. */
const isPairReference: Shape = (element, schema) =>
  schema < 300 ? has(element, 'name') : schema < 400 || none(element, 'name')

type Shape = (element: XmlElement, schema: SchemaNumber) => boolean

const has = ({ attributes }: XmlElement, ...names: readonly string[]): boolean =>
  names.every((name) => attributes[name] !== undefined)
const none = ({ attributes }: XmlElement, ...names: readonly string[]): boolean =>
  names.every((name) => attributes[name] === undefined)
const count = (element: XmlElement, ...names: readonly string[]): number =>
  childElements(element).filter(({ name }) => names.includes(name)).length
/** At most one of them. */
const atMostOne = ({ attributes }: XmlElement, ...names: readonly string[]): boolean =>
  names.filter((name) => attributes[name] !== undefined).length <= 1
const exactlyOne = (element: XmlElement, ...names: readonly string[]): boolean =>
  atMostOne(element, ...names) && !none(element, ...names)
/** Children in that order of kinds. */
const inOrder = (element: XmlElement, ...names: readonly string[]): boolean => {
  const ranks = childElements(element).map(({ name }) => names.indexOf(name))
  return ranks.every((rank, index) => rank >= (ranks[index - 1] ?? 0))
}
const atMostOnce = (element: XmlElement, ...names: readonly string[]): boolean =>
  names.every((name) => count(element, name) <= 1)

const agent: Shape = (element) =>
  has(element, 'id', 'class', 'type') && (element.attributes.class === 'ocf') === has(element, 'provider')
const container: Shape = (element) => has(element, 'image') && atMostOne(element, 'masters', 'promoted-max')
const nvset: Shape = (element) => has(element, 'id') && count(element, 'rule') <= 1
const nameOfPair = ({ attributes }: XmlElement): string => attributes.name ?? ''
const pairsAre = (set: XmlElement, isAllowed: (name: string, value: string | undefined) => boolean): boolean =>
  childElements(set, 'nvpair').every((pair) => isAllowed(nameOfPair(pair), pair.attributes.value))
const setsAre = (element: XmlElement, isAllowed: (name: string) => boolean): boolean =>
  childElements(element, 'meta_attributes').every((set) => pairsAre(set, isAllowed))
/** Names that a resource may not have: isolation in the schemas 3.x, and since 4.0 what decided about restarts. */
const metaNames: Shape = (element, schema) =>
  schema < 300 ||
  setsAre(element, (name) =>
    schema < 400 ? !/^isolation(-host|-instance|-wrapper)?$/.test(name) : name !== 'restart-type',
  )
const goneOfOperations = ['can_fail', 'role_after_failure']
/** An operation's, in its place or among the defaults. */
const operationNames: Shape = (element, schema) =>
  setsAre(element, (name) => (schema < 400 ? schema < 300 || name !== 'requires' : !goneOfOperations.includes(name)))
/** A pair of resources, or sets of them. */
const pairOrSets =
  (pair: readonly string[], onlyOfPair: readonly string[]): Shape =>
  (element) =>
    count(element, 'resource_set') > 0 ? none(element, ...pair, ...onlyOfPair) : has(element, ...pair)

const shapes: Readonly<Record<string, Shape>> = {
  configuration: (element) =>
    ['crm_config', 'nodes', 'resources', 'constraints'].every((name) => count(element, name) === 1) &&
    atMostOnce(element, 'rsc_defaults', 'op_defaults', 'fencing-topology', 'acls', 'tags', 'alerts'),
  cluster_property_set: (element, schema) =>
    nvset(element, schema) && pairsAre(element, (name, value) => !isGoneOption(name, value, schema)),
  instance_attributes: nvset,
  meta_attributes: nvset,
  utilization: nvset,
  nvpair: (element, schema) => has(element, 'id', 'name') && (schema < 400 || has(element, 'value')),
  rsc_defaults: (element, schema) => schema < 400 || metaNames(element, schema),
  op_defaults: (element, schema) => schema < 400 || operationNames(element, schema),
  node: (element) => has(element, 'id', 'uname'),
  primitive: (element, schema) =>
    (has(element, 'template')
      ? has(element, 'id') && none(element, 'class', 'provider', 'type')
      : agent(element, schema)) &&
    atMostOnce(element, 'operations') &&
    metaNames(element, schema),
  template: (element, schema) =>
    agent(element, schema) && atMostOnce(element, 'operations') && metaNames(element, schema),
  group: (element, schema) =>
    has(element, 'id') && count(element, 'primitive') > 0 && (schema < 400 || metaNames(element, schema)),
  clone: (element, schema) =>
    has(element, 'id') && count(element, 'primitive', 'group') === 1 && (schema < 400 || metaNames(element, schema)),
  master: (element) => has(element, 'id') && count(element, 'primitive', 'group') === 1,
  bundle: (element, schema) =>
    has(element, 'id') &&
    (schema < 400 || metaNames(element, schema)) &&
    count(element, 'docker', 'podman', 'rkt') === 1 &&
    atMostOnce(element, 'network', 'storage', 'primitive'),
  docker: container,
  podman: container,
  rkt: container,
  'port-mapping': (element) =>
    has(element, 'id') && exactlyOne(element, 'port', 'range') && atMostOne(element, 'internal-port', 'range'),
  'storage-mapping': (element) =>
    has(element, 'id', 'target-dir') && exactlyOne(element, 'source-dir', 'source-dir-root'),
  op: (element, schema) =>
    has(element, 'id', 'name', 'interval') &&
    atMostOne(element, 'start-delay', 'interval-origin') &&
    operationNames(element, schema),
  rule: (element, schema) =>
    has(element, 'id') &&
    atMostOne(element, 'score', 'score-attribute') &&
    (schema >= 309 || !none(element, 'score', 'score-attribute')) &&
    childElements(element).length > 0,
  expression: (element) => has(element, 'id', 'attribute', 'operation'),
  date_expression: (element, schema) => has(element, 'id') && isDate(element, schema),
  duration: (element) => has(element, 'id'),
  date_spec: (element) => has(element, 'id'),
  rsc_expression: (element) => has(element, 'id'),
  op_expression: (element) => has(element, 'id', 'name'),
  lifetime: (element) => count(element, 'rule') > 0,
  rsc_location: (element, schema) =>
    has(element, 'id') &&
    (schema < 400 || count(element, 'rule') <= 1) &&
    (count(element, 'resource_set') > 0
      ? none(element, 'rsc', 'rsc-pattern', 'role')
      : exactlyOne(element, 'rsc', 'rsc-pattern')) &&
    (count(element, 'rule') > 0 ? none(element, 'node', 'score') : has(element, 'node', 'score')) &&
    inOrder(element, 'resource_set', 'rule', 'lifetime') &&
    atMostOnce(element, 'lifetime'),
  rsc_colocation: (element, schema) =>
    has(element, 'id') &&
    pairOrSets(['rsc', 'with-rsc'], ['node-attribute', 'rsc-role', 'with-rsc-role'])(element, schema) &&
    inOrder(element, 'lifetime', 'resource_set'),
  rsc_order: (element, schema) =>
    has(element, 'id') &&
    atMostOne(element, 'score', 'kind') &&
    pairOrSets(['first', 'then'], ['first-action', 'then-action'])(element, schema) &&
    inOrder(element, 'lifetime', 'resource_set'),
  rsc_ticket: (element, schema) => has(element, 'id', 'ticket') && pairOrSets(['rsc'], ['rsc-role'])(element, schema),
  resource_set: (element) =>
    has(element, 'id') && atMostOne(element, 'score', 'kind') && count(element, 'resource_ref') > 0,
  resource_ref: (element) => has(element, 'id'),
  tag: (element) => has(element, 'id') && count(element, 'obj_ref') > 0,
  obj_ref: (element) => has(element, 'id'),
  'fencing-level': (element, schema) =>
    has(element, 'id', 'index', 'devices') &&
    (schema < 400 || Number(element.attributes.index) <= 9) &&
    (has(element, 'target-attribute') || has(element, 'target-value')
      ? has(element, 'target-attribute', 'target-value') && none(element, 'target', 'target-pattern')
      : exactlyOne(element, 'target', 'target-pattern')),
  acl_role: (element) => has(element, 'id'),
  acl_target: (element) => has(element, 'id'),
  acl_group: (element) => has(element, 'id'),
  role: (element) => has(element, 'id'),
  acl_permission: (element) =>
    has(element, 'id', 'kind') &&
    exactlyOne(element, 'xpath', 'reference', 'object-type') &&
    (none(element, 'attribute') || has(element, 'object-type')),
  alert: (element) => has(element, 'id', 'path') && atMostOnce(element, 'select'),
  recipient: (element) => has(element, 'id', 'value'),
  select: (element) => atMostOnce(element, 'select_nodes', 'select_fencing', 'select_resources', 'select_attributes'),
  attribute: (element) => has(element, 'id', 'name'),
}

function isDate(element: XmlElement, schema: SchemaNumber): boolean {
  const [durations, patterns] = [count(element, 'duration'), count(element, 'date_spec')]
  switch (element.attributes.operation) {
    case 'gt':
      return has(element, 'start') && none(element, 'end') && durations + patterns === 0
    case 'lt':
      return has(element, 'end') && none(element, 'start') && durations + patterns === 0
    case 'date_spec':
      return none(element, 'start', 'end') && durations === 0 && patterns === 1
    case 'in_range':
      if (patterns > 0 || durations > 1) return false
      if (schema >= 309) return !none(element, 'start', 'end')
      return durations === 0 ? has(element, 'end') : has(element, 'start') && none(element, 'end')
    default:
      return false
  }
}
