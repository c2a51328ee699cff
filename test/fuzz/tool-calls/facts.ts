/** The values of a call: names of the CIB that it is made on, now and then one that the CIB does not have. */
import { printXml, type XmlElement } from '../../../src/cib/index.ts'
import { allNamed, configurationOf, nodesOf, resourcesOf, statusOf, type Tree, tree } from '../cib-tree.ts'
import type { Random } from '../random.ts'
import type { Draw } from './template.ts'

/** A value is one of these in so many draws that is not in the CIB. */
const oneInSoManyIsUnknown = 12

const sections = (
  'nodes resources constraints crm_config rsc_defaults op_defaults acls fencing-topology tags alerts ' +
  'status configuration all cib none'
).split(' ')

const ofCrmMon = (
  'all default none attributes bans counts dc failcounts failures fencing nodes operations options resources ' +
  'stack summary tickets times list fencing-failed bans:cli'
).split(' ')

const always: Readonly<Record<string, readonly string[]>> = {
  meta: ['target-role', 'is-managed', 'clone-max', 'master-max', 'promoted-max', 'resource-stickiness', 'priority'],
  value: ['true', 'Stopped', '5', '-INFINITY', '', 'a b', 'value++', 'value+=3', '<&>"', '100', 'Started'],
  score: ['5', '100', '-5', 'INFINITY', '0', '', '10s'],
  duration: ['PT10M', 'P1D', 'bogus', '60', 'P1Y2M'],
  date: ['2020-01-01', '2030-06-15 12:00:00Z', 'bogus', ''],
  operation: ['monitor', 'start', 'stop', 'promote'],
  interval: ['10s', '10000', '0', '60s'],
  pattern: ['.*', 'cl.*', 's.*', '^p', 'nosuch', '('],
  property: ['cluster-name', 'stonith-enabled', 'maintenance-mode', 'no-quorum-policy', 'dc-version'],
  default: ['resource-stickiness', 'timeout', 'migration-threshold'],
  user: ['root', 'hacluster', 'nobody', 'daemon'],
  file: ['other.xml', 'other.xml', 'cib.xml', 'fragment.xml', 'missing.xml', 'junk.xml', 'patch.xml'],
  patch: ['patch.xml', 'patch.xml', 'patch.xml', 'other.xml', 'missing.xml'],
  word: ['nosuch', 'copy', 'x', ''],
  section: sections,
  'version-fragment': ['admin_epoch', 'epoch', 'num_updates'].flatMap((name) => [
    `<cib ${name}="${name}++"/>`,
    `<cib ${name}="7"/>`,
    `<cib ${name}="${name}+=5"/>`,
  ]),
}

/** What has the same name in one call is of one resource and one node. */
export function createDraw(cib: Tree, random: Random): Draw {
  let resource: Tree | undefined
  let node: Tree | undefined
  const configuration = configurationOf(cib)
  const one = (trees: readonly Tree[], name = 'id'): string | undefined => random.pick(trees)?.attributes[name]
  const pick = (known: readonly (string | undefined)[]): string | undefined => random.pick(known)
  const pairsBelow = (owner: Tree | undefined, kind: string): readonly Tree[] =>
    owner === undefined ? [] : allNamed(owner, kind).flatMap((set) => allNamed(set, 'nvpair'))
  const namesBelow = (owner: Tree | undefined, kind: string): string | undefined => one(pairsBelow(owner, kind), 'name')
  const ofResource = (kinds: readonly string[]): string | undefined => {
    resource = random.pick(resourcesOf(cib, ...kinds))
    return resource?.attributes.id
  }
  const drawn: Readonly<Record<string, () => string | undefined>> = {
    resource: () =>
      random.below(12) === 0
        ? (pick([one(allNamed(configuration, 'tag', 'template')), `${ofResource(['primitive'])}:0`]) ?? ofResource([]))
        : ofResource([]),
    primitive: () => ofResource(['primitive']),
    instance: () => {
      const id = ofResource(['primitive'])
      return random.below(2) === 0 ? id : `${id}:${random.below(3)}`
    },
    'its-parameter': () => namesBelow(resource, 'instance_attributes') ?? 'state',
    'its-utilization': () => namesBelow(resource, 'utilization') ?? 'cpu',
    meta: () => (random.below(2) === 0 ? namesBelow(resource, 'meta_attributes') : pick(always.meta ?? [])),
    node: () => {
      node = random.pick(nodesOf(cib))
      return random.below(6) === 0 ? one(allNamed(statusOf(cib), 'node_state'), 'uname') : node?.attributes.uname
    },
    'node-id': () => one(nodesOf(cib)),
    'its-attribute': () => namesBelow(node, 'instance_attributes') ?? 'standby',
    'its-transient': () => namesBelow(stateOf(cib, node), 'transient_attributes') ?? 'pingd',
    'node-utilization': () => namesBelow(node, 'utilization') ?? 'cpu',
    property: () =>
      random.below(2) === 0
        ? one(pairsBelow(configuration, 'cluster_property_set'), 'name')
        : pick(always.property ?? []),
    default: () =>
      random.below(2) === 0
        ? one(
            allNamed(configuration, 'rsc_defaults', 'op_defaults').flatMap((each) => allNamed(each, 'nvpair')),
            'name',
          )
        : pick(always.default ?? []),
    set: () => one(allNamed(configuration, 'cluster_property_set', 'meta_attributes', 'instance_attributes')),
    nvpair: () => one(allNamed(configuration, 'nvpair')),
    ticket: () => one(allNamed(cib, 'ticket_state')) ?? one(allNamed(cib, 'rsc_ticket'), 'ticket'),
    rule: () => one(allNamed(cib, 'rule')),
    sections: () => [...new Set([random.pick(ofCrmMon), random.pick(ofCrmMon)])].join(','),
    xpath: () => drawPath(cib, random),
    fragment: () => drawFragment(cib, random),
    'new-fragment': () => drawNew(cib, random),
    section: () => (random.below(2) === 0 ? pick(sections.slice(0, 6)) : pick(sections)),
  }
  return (kind) => {
    const isUnknown = random.below(oneInSoManyIsUnknown) === 0
    const value = drawn[kind]?.() ?? random.pick(always[kind] ?? [])
    if (isUnknown && always[kind] === undefined) return kind.includes('fragment') ? '<bogus id="9"/>' : 'nosuch'
    return value ?? 'nosuch'
  }
}

const stateOf = (cib: Tree, node: Tree | undefined): Tree | undefined =>
  allNamed(statusOf(cib), 'node_state').find(({ attributes }) => attributes.id === node?.attributes.id)

function drawPath(cib: Tree, random: Random): string {
  const found = random.pick(allNamed(cib, ...kindsOfElements))
  if (found === undefined) return '//nosuch'
  const { name, attributes } = found
  const pairs = Object.entries(attributes).filter(([, value]) => !value.includes("'"))
  const [attribute, value] = random.pick(pairs) ?? ['id', '']
  const paths = [
    `//${name}`,
    `//${name}[@${attribute}='${value}']`,
    `//${name}[@${attribute}="${value}"]`,
    `//${name}[@id='${attributes.id}']/..`,
    `//*[@${attribute}='${value}']`,
    `//${name}/@${attribute}`,
    `//configuration//${name}[1]`,
    `/cib/configuration//${name}`,
    `/cib/status//${name}`,
    `//${name}[not(@nothing) and @${attribute}]`,
    `//${name}[starts-with(@${attribute},'${value.slice(0, 2)}')]`,
    `//${name}|//node`,
    `//${name}[last()]`,
    `count(//${name})`,
    '/',
    '.',
    '//*',
    '/cib/configuration/resources',
  ]
  return random.pick(paths) ?? '//nosuch'
}

const kindsOfElements = (
  'nvpair primitive group clone bundle op node node_state lrm_resource lrm_rsc_op rsc_location rsc_colocation rsc_order ' +
  'meta_attributes cluster_property_set expression rule template resource_set tag'
).split(' ')

/** An element of the CIB: as it is, without children, with its id alone, or changed. */
function drawFragment(cib: Tree, random: Random): string {
  const sections = configurationOf(cib).children
  const found = random.below(4) === 0 ? random.pick(sections) : random.pick(allNamed(cib, ...kindsOfElements))
  if (found === undefined) return '<nothing/>'
  const { name, attributes, children } = found
  const [attribute] = random.pick(Object.entries(attributes).filter(([each]) => each !== 'id')) ?? []
  const changed = { ...attributes, [attribute ?? 'description']: 'changed' }
  const forms: readonly Tree[] = [
    found,
    tree(name, attributes),
    tree(name, attributes.id === undefined ? {} : { id: attributes.id }),
    tree(name, changed),
    tree(name, changed, children),
    tree(name, attributes, children.slice(1)),
  ]
  return print(random.pick(forms) ?? found)
}

/** An element as somebody would add it. */
function drawNew(cib: Tree, random: Random): string {
  const resource = random.pick(resourcesOf(cib))?.attributes.id ?? 'x'
  const node = random.pick(nodesOf(cib))?.attributes.uname ?? 'n'
  const set = random.pick(allNamed(cib, 'cluster_property_set'))?.attributes.id ?? 'cib-bootstrap-options'
  const forms = [
    '<primitive id="fresh" class="ocf" provider="pacemaker" type="Dummy"/>',
    '<group id="fresh-group"><primitive id="fresh" class="ocf" provider="pacemaker" type="Dummy"/></group>',
    `<rsc_location id="fresh-location" rsc="${resource}" node="${node}" score="5"/>`,
    `<rsc_order id="fresh-order" first="${resource}" then="nosuch"/>`,
    `<cluster_property_set id="${set}"><nvpair id="fresh-option" name="lock" value="me"/></cluster_property_set>`,
    '<cluster_property_set id="fresh-set"><nvpair id="fresh-option" name="lock" value="me"/></cluster_property_set>',
    '<node id="99" uname="fresh"/>',
    `<node id="98" uname="${node}"/>`,
    `<resources><primitive id="fresh" class="ocf" provider="pacemaker" type="Dummy"/></resources>`,
    '<constraints/>',
  ]
  return random.pick(forms) ?? ''
}

const print = (each: Tree): string =>
  printXml(each as XmlElement)
    .trim()
    .replaceAll(/>\s+</g, '><')
