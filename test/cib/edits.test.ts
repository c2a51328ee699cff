import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import {
  addFencingLevel,
  addNode,
  addOperation,
  addToGroup,
  adviceTaken,
  banNode,
  clearCliConstraints,
  cloneResource,
  composeCib,
  createColocation,
  createColocationSets,
  createLocation,
  createOrder,
  createOrderSets,
  createPrimitive,
  deleteConstraints,
  deleteResources,
  describeEditReport,
  disableResources,
  type Edited,
  type EditResult,
  element,
  enableResources,
  manageResources,
  type NewPrimitive,
  type NodeStateRecord,
  parseXml,
  preferNode,
  printXml,
  readConfiguration,
  removeFencingLevels,
  removeFromGroup,
  removeNode,
  removeOperation,
  setClusterOptions,
  setDefaults,
  setNodeAttributes,
  setResourceMeta,
  setStandby,
  uncloneResource,
  unmanageResources,
  updateResource,
  type XmlElement,
} from '../../src/cib/index.ts'

const dummy = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
const primitive = (id: string, more: Partial<NewPrimitive> = {}): NewPrimitive => ({
  id,
  agent: dummy,
  parameters: {},
  meta: {},
  operations: [],
  advisedOperations: [],
  ...more,
})
const fence = { class: 'stonith', type: 'fence_ipmilan' }

function must(result: EditResult): Edited {
  if (!result.ok) throw new Error(result.reports.map(describeEditReport).join(' '))
  return result.value
}

/** What the administrator is told; the document is untouched, for an edit that is refused returns none. */
function refusal(result: EditResult): readonly string[] {
  if (result.ok) throw new Error('The edit was expected to be refused.')
  return result.reports.map(describeEditReport)
}

function build(...edits: readonly ((cib: XmlElement) => EditResult)[]): XmlElement {
  const empty = element('cib', { 'validate-with': 'pacemaker-3.9', admin_epoch: '0', epoch: '0', num_updates: '0' }, [
    element(
      'configuration',
      {},
      ['crm_config', 'nodes', 'resources', 'constraints'].map((name) => element(name)),
    ),
  ])
  const nodes = [addNode, addNode].reduce(
    (cib, add, i) => must(add(cib, { id: String(i + 1), name: ['alpha', 'beta'][i] ?? '' })).cib,
    empty,
  )
  return edits.reduce((cib, edit) => must(edit(cib)).cib, nodes)
}

const part = (cib: XmlElement, section: string): string => {
  const text = printXml(cib)
  const match = new RegExp(`<${section}>[\\s\\S]*</${section}>`).exec(text)
  return (match?.[0] ?? '').replace(/^ {4}/gm, '')
}

const online = (node: string, i: number): NodeStateRecord => ({
  node: nodeName(node),
  id: String(i + 1),
  inCcm: true,
  crmd: 'online',
  join: 'member',
  expected: 'member',
})

/** The cluster of most tests: two services, a fence device, and every kind of thing that can refer to them. */
const cluster = (): XmlElement =>
  build(
    (cib) => createPrimitive(cib, primitive('web', { meta: { 'migration-threshold': '3' } })),
    (cib) => createPrimitive(cib, primitive('db')),
    (cib) => createPrimitive(cib, primitive('log')),
    (cib) => createPrimitive(cib, primitive('ipmi', { agent: fence, parameters: { pcmk_host_list: 'alpha' } })),
    (cib) =>
      createLocation(cib, { resource: { by: 'id', id: 'web' }, where: { by: 'node', node: 'alpha', score: 50 } }),
    (cib) => createColocation(cib, { dependent: 'web', primary: 'db', score: 1_000_000 }),
    // biome-ignore lint/suspicious/noThenProperty: the CIB's word.
    (cib) => createOrder(cib, { first: 'db', then: 'web' }),
    (cib) => createOrderSets(cib, { sets: [{ members: ['web', 'log'], sequential: false }, { members: ['db'] }] }),
    (cib) => addFencingLevel(cib, { index: 1, target: { by: 'node', node: 'alpha' }, devices: ['ipmi'] }),
  )

describe('the XML that edits make', () => {
  test('a primitive gets its parameters, the agent’s operations and a monitor', () => {
    const cib = build((before) =>
      createPrimitive(
        before,
        primitive('web', {
          parameters: { state: '/run/web' },
          operations: [{ name: 'monitor', attributes: { interval: '10s', OCF_CHECK_LEVEL: '10' } }],
          advisedOperations: [
            { name: 'start', attributes: { timeout: '20s' } },
            { name: 'monitor', attributes: { interval: '30s', timeout: '20s' } },
          ],
        }),
      ),
    )
    expect(part(cib, 'resources')).toMatchInlineSnapshot(`
      "<resources>
        <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
          <instance_attributes id="web-instance_attributes">
            <nvpair id="web-instance_attributes-state" name="state" value="/run/web"/>
          </instance_attributes>
          <operations>
            <op id="web-monitor-interval-10s" interval="10s" name="monitor">
              <instance_attributes id="web-monitor-interval-10s-instance_attributes">
                <nvpair id="web-monitor-interval-10s-instance_attributes-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
              </instance_attributes>
            </op>
            <op id="web-start-interval-0s" interval="0s" name="start" timeout="20s"/>
          </operations>
        </primitive>
      </resources>"
    `)
  })

  test('advised monitors with the same interval get different ones, and none is added beside one that is asked for', () => {
    const monitor = (attributes: Readonly<Record<string, string>>) => ({ name: 'monitor', attributes })
    const advised = [
      monitor({ interval: '15' }),
      monitor({ interval: '15s', role: 'Promoted' }),
      monitor({ interval: '16', role: 'Unpromoted' }),
      { name: 'start', attributes: { interval: '0s' } },
    ]
    expect(
      adviceTaken([], advised).map(({ operation, movedFrom }) => [operation.attributes.interval, movedFrom]),
    ).toEqual([
      ['15', undefined],
      ['16', '15s'],
      ['17', '16'],
      ['0s', undefined],
    ])
    const asked = [monitor({ interval: '15s', role: 'Promoted' }), monitor({ interval: '16s', role: 'Unpromoted' })]
    expect(adviceTaken(asked, advised).map(({ operation }) => operation.name)).toEqual(['start'])
  })

  test('a monitor without an interval is done every minute', () => {
    const cib = build((before) =>
      createPrimitive(
        before,
        primitive('f', { agent: fence, advisedOperations: [{ name: 'monitor', attributes: {} }] }),
      ),
    )
    expect(printXml(cib)).toContain('<op id="f-monitor-interval-60s" interval="60s" name="monitor"/>')
  })

  test('constraints, levels, options and defaults have the ids that pcs gives them', () => {
    const cib = must(
      setDefaults(must(setClusterOptions(cluster(), { values: { 'stonith-enabled': 'false' } })).cib, {
        of: 'resource',
        values: { 'resource-stickiness': '100' },
      }),
    ).cib
    expect(part(cib, 'constraints')).toMatchInlineSnapshot(`
      "<constraints>
        <rsc_location id="location-web-alpha-50" rsc="web" node="alpha" score="50"/>
        <rsc_colocation id="colocation-web-db-INFINITY" rsc="web" with-rsc="db" score="INFINITY"/>
        <rsc_order id="order-db-web-mandatory" first="db" first-action="start" then="web" then-action="start"/>
        <rsc_order id="order_set_wblgdb">
          <resource_set id="order_set_wblgdb_set" sequential="false">
            <resource_ref id="web"/>
            <resource_ref id="log"/>
          </resource_set>
          <resource_set id="order_set_wblgdb_set-1">
            <resource_ref id="db"/>
          </resource_set>
        </rsc_order>
      </constraints>"
    `)
    expect(part(cib, 'fencing-topology')).toMatchInlineSnapshot(`
      "<fencing-topology>
        <fencing-level id="fl-alpha-1" target="alpha" index="1" devices="ipmi"/>
      </fencing-topology>"
    `)
    expect(part(cib, 'crm_config')).toMatchInlineSnapshot(`
      "<crm_config>
        <cluster_property_set id="cib-bootstrap-options">
          <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="false"/>
        </cluster_property_set>
      </crm_config>"
    `)
    expect(part(cib, 'rsc_defaults')).toMatchInlineSnapshot(`
      "<rsc_defaults>
        <meta_attributes id="rsc_defaults-meta_attributes">
          <nvpair id="rsc_defaults-meta_attributes-resource-stickiness" name="resource-stickiness" value="100"/>
        </meta_attributes>
      </rsc_defaults>"
    `)
  })

  test("everything that edits make fits the schema of Pacemaker's crm_verify", () => {
    const cib = [
      (before: XmlElement) =>
        cloneResource(before, { resource: 'log', promotable: true, cloneMeta: { 'clone-max': '2' } }),
      (before: XmlElement) => addToGroup(before, { group: 'grp', resources: ['web', 'db'] }),
      (before: XmlElement) =>
        createColocationSets(before, {
          score: 5,
          sets: [{ members: ['grp'] }, { members: ['log-clone'], role: 'Promoted' }],
        }),
      (before: XmlElement) => disableResources(before, { ids: ['log-clone'] }),
      (before: XmlElement) => unmanageResources(before, { ids: ['grp'], monitors: true }),
      (before: XmlElement) => setStandby(before, { nodes: ['beta'], standby: true }),
      (before: XmlElement) =>
        setNodeAttributes(before, { nodes: ['alpha'], kind: 'utilization', values: { cpu: '4' } }),
      (before: XmlElement) =>
        preferNode(before, {
          resource: 'grp',
          node: 'beta',
          until: '2030-01-01T00:00:00Z',
          origin: { author: 'root--x', time: '2026-01-01T00:00:00Z' },
        }),
      (before: XmlElement) => banNode(before, { resource: 'log-clone', node: 'alpha', role: 'Promoted' }),
      (before: XmlElement) => setDefaults(before, { of: 'operation', values: { timeout: '30s' } }),
      (before: XmlElement) =>
        updateResource(before, {
          id: 'web',
          utilization: { cpu: '1' },
          operations: [{ name: 'start', attributes: { timeout: '5s' } }],
        }),
      (before: XmlElement) =>
        createLocation(before, {
          resource: { by: 'pattern', pattern: '^web' },
          where: {
            by: 'rule',
            rule: {
              score: 7,
              booleanOp: 'or',
              conditions: [
                { kind: 'attribute', attribute: 'rack', operation: 'defined', valueSource: 'literal' },
                { kind: 'date', operation: 'date_spec', spec: { hours: '9-17' } },
              ],
            },
          },
        }),
    ].reduce((before, edit) => must(edit(before)).cib, cluster())
    const verified = spawnSync('crm_verify', ['--xml-pipe', '-VV'], {
      input: printXml(
        composeCib({ configuration: cib, haveQuorum: true, dcId: '1', nodeStates: ['alpha', 'beta'].map(online) }),
      ),
      encoding: 'utf8',
    })
    expect(verified.stderr).toBe('')
    const origin = readConfiguration(cib).constraints.find(({ id }) => id === 'cli-prefer-grp')?.origin
    expect(origin).toEqual({ author: 'root--x', time: '2026-01-01T00:00:00Z' })
  })
})

describe('deleting', () => {
  test('a resource takes every reference to it along, and says so', () => {
    const { cib, removed } = must(deleteResources(cluster(), { ids: ['web'] }))
    expect(printXml(cib)).not.toContain('"web"')
    expect(removed).toEqual([
      { element: 'primitive', id: 'web' },
      { element: 'rsc_location', id: 'location-web-alpha-50' },
      { element: 'rsc_colocation', id: 'colocation-web-db-INFINITY' },
      { element: 'rsc_order', id: 'order-db-web-mandatory' },
      { element: 'resource_ref', id: 'web', from: 'order_set_wblgdb_set' },
    ])
  })

  test('the last device of a fencing level takes the level along', () => {
    const { removed } = must(deleteResources(cluster(), { ids: ['ipmi'] }))
    expect(removed).toContainEqual({ element: 'fencing-level', id: 'fl-alpha-1' })
  })

  test('the last member of a cloned group takes group and clone along', () => {
    const grouped = must(addToGroup(cluster(), { group: 'g', resources: ['log'] })).cib
    const cloned = must(cloneResource(grouped, { resource: 'g', promotable: false, cloneMeta: {} })).cib
    const { cib, removed } = must(deleteResources(cloned, { ids: ['log'] }))
    expect(removed.map(({ id }) => id)).toEqual(expect.arrayContaining(['g-clone', 'g', 'log']))
    expect(readConfiguration(cib).resources.map(({ id }) => id)).toEqual(['web', 'db', 'ipmi'])
  })

  test('what is deleted can be created again', () => {
    const gone = must(deleteResources(cluster(), { ids: ['web', 'db'] })).cib
    expect(must(createPrimitive(gone, primitive('web'))).created).toEqual(['web'])
  })
})

describe('groups', () => {
  test('a member is put beside another one', () => {
    const grouped = must(addToGroup(cluster(), { group: 'g', resources: ['web', 'db'] })).cib
    const { cib } = must(addToGroup(grouped, { group: 'g', resources: ['log'], before: 'db' }))
    expect(readConfiguration(cib).resources.at(-1)).toMatchObject({
      members: [{ id: 'web' }, { id: 'log' }, { id: 'db' }],
    })
  })

  test('a group that loses its last member to another is gone', () => {
    const grouped = must(addToGroup(cluster(), { group: 'g', resources: ['web'] })).cib
    const { cib, removed } = must(addToGroup(grouped, { group: 'h', resources: ['web'] }))
    expect(removed).toEqual([{ element: 'group', id: 'g' }])
    expect(readConfiguration(cib).resources.map(({ id }) => id)).toEqual(['db', 'log', 'ipmi', 'h'])
  })

  test('members that leave stay in the cluster, with the constraints on them', () => {
    const grouped = must(addToGroup(cluster(), { group: 'g', resources: ['web', 'db'] })).cib
    const one = must(removeFromGroup(grouped, { group: 'g', resources: ['web'] })).cib
    expect(readConfiguration(one).resources.map(({ id }) => id)).toEqual(['log', 'ipmi', 'g', 'web'])
    const all = must(removeFromGroup(grouped, { group: 'g', resources: [] })).cib
    expect(readConfiguration(all).resources.map(({ id }) => id)).toEqual(['log', 'ipmi', 'web', 'db'])
    expect(readConfiguration(all).constraints).toHaveLength(4)
  })
})

describe('clones', () => {
  test('unclone leaves the resource, and constraints on the clone hold for it', () => {
    const cloned = must(cloneResource(cluster(), { resource: 'log', promotable: false, cloneMeta: {} })).cib
    const placed = must(createColocation(cloned, { dependent: 'web', primary: 'log-clone', score: 10 })).cib
    const { cib } = must(uncloneResource(placed, { id: 'log' }))
    expect(printXml(cib)).not.toContain('"log-clone"')
    expect(readConfiguration(cib).constraints).toContainEqual(
      expect.objectContaining({ between: { by: 'pair', dependent: 'web', primary: 'log' } }),
    )
  })
})

describe('running and managed', () => {
  test('enable takes back what disable wrote, on the clone and on what is in it', () => {
    const cloned = must(cloneResource(cluster(), { resource: 'log', promotable: false, cloneMeta: {} })).cib
    const disabled = must(disableResources(cloned, { ids: ['log-clone', 'log'] })).cib
    expect(printXml(disabled).match(/target-role/g)).toHaveLength(4)
    expect(printXml(must(enableResources(disabled, { ids: ['log'] })).cib)).toBe(printXml(cloned))
  })

  test('manage takes back what unmanage wrote on the members of a group, monitors included', () => {
    const grouped = must(addToGroup(cluster(), { group: 'g', resources: ['web', 'db'] })).cib
    const unmanaged = must(unmanageResources(grouped, { ids: ['g'], monitors: true })).cib
    expect(printXml(unmanaged).match(/name="is-managed" value="false"/g)).toHaveLength(2)
    expect(printXml(unmanaged).match(/enabled="false"/g)).toHaveLength(2)
    expect(printXml(must(manageResources(unmanaged, { ids: ['g'], monitors: true })).cib)).toBe(printXml(grouped))
  })
})

describe('name/value pairs', () => {
  test('an empty value takes a name away, and with the last one its set', () => {
    const { cib } = must(setResourceMeta(cluster(), { id: 'web', meta: { 'migration-threshold': '' } }))
    expect(printXml(cib)).not.toContain('web-meta_attributes')
  })

  test('an option under its old name is replaced when the new one is set', () => {
    const old = must(setClusterOptions(cluster(), { values: { 'stonith-enabled': 'false' } })).cib
    const text = printXml(must(setClusterOptions(old, { values: { 'fencing-enabled': 'true' } })).cib)
    expect(text).not.toContain('name="stonith-enabled"')
    expect(text).toContain('name="fencing-enabled" value="true"')
  })

  test('standby is written and taken back without a trace', () => {
    const standby = must(setStandby(cluster(), { nodes: ['alpha'], standby: true })).cib
    expect(printXml(standby)).toContain('name="standby" value="on"')
    expect(printXml(must(setStandby(standby, { nodes: ['alpha'], standby: false })).cib)).toBe(printXml(cluster()))
  })
})

describe('operations', () => {
  test('are added, changed and removed by name, interval or id', () => {
    const added = must(
      addOperation(cluster(), {
        resource: 'web',
        operation: { name: 'monitor', attributes: { interval: '10s' } },
        force: true,
      }),
    ).cib
    expect(added).not.toEqual(cluster())
    const changed = must(
      updateResource(added, {
        id: 'web',
        operations: [{ name: 'monitor', attributes: { interval: '10', timeout: '3s' } }],
      }),
    ).cib
    expect(printXml(changed)).toContain('<op id="web-monitor-interval-10s" interval="10" name="monitor" timeout="3s"/>')
    const removed = must(
      removeOperation(changed, { by: 'name', resource: 'web', name: 'monitor', attributes: { interval: '10s' } }),
    ).cib
    expect(printXml(removed)).toBe(printXml(cluster()))
    expect(must(removeOperation(added, { by: 'id', id: 'web-monitor-interval-10s' })).removed).toEqual([
      { element: 'op', id: 'web-monitor-interval-10s', from: 'web' },
    ])
  })
})

describe('moves and bans', () => {
  test('a new preference replaces the last one and a ban on that node', () => {
    const banned = must(banNode(cluster(), { resource: 'web', node: 'beta' })).cib
    const moved = must(
      preferNode(must(preferNode(banned, { resource: 'web', node: 'alpha' })).cib, { resource: 'web', node: 'beta' }),
    )
    expect(moved.removed.map(({ id }) => id)).toEqual(['cli-ban-web-on-beta', 'cli-prefer-web'])
    expect(printXml(must(clearCliConstraints(moved.cib, { resource: 'web' })).cib)).toBe(printXml(cluster()))
  })

  test('clearing what has expired leaves what still holds', () => {
    const banned = must(banNode(cluster(), { resource: 'web', node: 'beta', until: '2026-01-02T00:00:00Z' })).cib
    const clear = (expiredAt: string) => must(clearCliConstraints(banned, { resource: 'web', expiredAt })).removed
    expect(clear('2026-01-01T00:00:00Z')).toEqual([])
    expect(clear('2026-01-03T00:00:00Z')).toHaveLength(1)
  })
})

test('constraints and levels are deleted by id or by what they say', () => {
  expect(must(deleteConstraints(cluster(), { ids: ['location-web-alpha-50'] })).removed).toHaveLength(1)
  expect(must(removeFencingLevels(cluster(), { target: { by: 'node', node: 'alpha' } })).removed).toHaveLength(1)
  expect(must(removeNode(cluster(), { name: 'alpha' })).removed.map(({ id }) => id)).toEqual([
    '1',
    'location-web-alpha-50',
    'fl-alpha-1',
  ])
})

const refusals: readonly {
  readonly name: string
  readonly edit: (cib: XmlElement) => EditResult
  readonly says: readonly string[]
}[] = [
  {
    name: 'a resource that is not there, with the one that was meant',
    edit: (cib) => deleteResources(cib, { ids: ['wbe'] }),
    says: ["There is no resource 'wbe'. Did you mean 'web'?"],
  },
  {
    name: 'an id that is taken, even by a constraint',
    edit: (cib) => createPrimitive(cib, primitive('order-db-web-mandatory')),
    says: ["'order-db-web-mandatory' already exists: the id is used by another element."],
  },
  {
    name: 'an id that XML does not allow',
    edit: (cib) => createPrimitive(cib, primitive('1 web')),
    says: ["'1 web' cannot be an id: ids begin with a letter or '_' and hold letters, digits, '_', '-' and '.'."],
  },
  {
    name: 'every mistake at once',
    edit: (cib) =>
      createPrimitive(cib, primitive('web', { meta: { 'migration-treshold': '3', 'is-managed': 'perhaps' } })),
    says: [
      "'web' already exists: the id is used by another element.",
      "There is no meta-attribute of a primitive 'migration-treshold'. Did you mean 'migration-threshold'?",
      "'perhaps' is not a valid value for is-managed: expected true or false.",
    ],
  },
  {
    name: 'an operation with a mistyped attribute or a bad duration',
    edit: (cib) =>
      addOperation(cib, {
        resource: 'web',
        operation: { name: 'monitor', attributes: { interval: '10x', 'on-fial': 'stop' } },
        force: true,
      }),
    says: [
      "'10x' is not a valid value for interval: expected a duration such as 20s, 5min or PT1M30S.",
      "There is no operation option 'on-fial'. Did you mean 'on-fail'?",
    ],
  },
  {
    name: 'the same colocation twice',
    edit: (cib) => createColocation(cib, { dependent: 'web', primary: 'db', score: 5 }),
    says: ["The same colocation already exists: 'colocation-web-db-INFINITY'."],
  },
  {
    name: 'a resource ordered after itself',
    // biome-ignore lint/suspicious/noThenProperty: the CIB's word.
    edit: (cib) => createOrder(cib, { first: 'web', then: 'web' }),
    says: ["'web' cannot refer to itself."],
  },
  {
    name: 'a node that is not there',
    edit: (cib) => setStandby(cib, { nodes: ['alhpa'], standby: true }),
    says: ["There is no node 'alhpa'. Did you mean 'alpha'?"],
  },
  {
    name: 'an unknown option',
    edit: (cib) => setClusterOptions(cib, { values: { 'no-quorum-polcy': 'stop', 'fencing-enabled': 'x' } }),
    says: [
      "There is no cluster option 'no-quorum-polcy'. Did you mean 'no-quorum-policy'?",
      "'x' is not a valid value for fencing-enabled: expected true or false.",
    ],
  },
  {
    name: 'a fencing level without a fence device',
    edit: (cib) => addFencingLevel(cib, { index: 10, target: { by: 'node', node: 'alpha' }, devices: ['web'] }),
    says: [
      "'10' is not a valid value for level: expected a whole number from 1 to 9.",
      "'web' is a primitive; this needs a fence device.",
    ],
  },
  {
    name: 'a service in a fencing level, with force as well',
    edit: (cib) =>
      addFencingLevel(cib, { index: 2, target: { by: 'node', node: 'alpha' }, devices: ['web', 'later'], force: true }),
    says: ["'web' is a primitive; this needs a fence device."],
  },
]
describe('an edit refuses', () => {
  for (const { name, edit, says } of refusals) test(name, () => expect(refusal(edit(cluster()))).toEqual(says))
})

test('a fencing level with a device that comes later is taken with force, as pcs 0.11 one with a service', () => {
  const level = { index: 2, target: { by: 'node', node: 'alpha' }, force: true } as const
  for (const edit of [
    { ...level, devices: ['later'] },
    { ...level, devices: ['web'], forceTakesServices: true },
  ])
    expect(must(addFencingLevel(cluster(), edit)).cib).not.toEqual(cluster())
})

test('an option that nobody knows is taken with force', () => {
  expect(must(setClusterOptions(cluster(), { values: { mine: '1' }, force: true })).cib).not.toEqual(cluster())
})

test('edits leave the document that they were given as it was', () => {
  const before = cluster()
  const text = printXml(before)
  must(deleteResources(before, { ids: ['web'] }))
  must(setStandby(before, { nodes: ['alpha'], standby: true }))
  expect(printXml(before)).toBe(text)
})

test('a section with an unexpected name is no trap for a deletion', () => {
  const parsed = parseXml(
    '<cib><configuration><constructor><x/></constructor><resources><primitive id="a" class="lsb" type="x"/></resources></configuration></cib>',
  )
  if (!parsed.ok) throw new Error('well-formed')
  expect(printXml(must(deleteResources(parsed.value, { ids: ['a'] })).cib)).toContain('<constructor>')
})

test('comments and unknown attributes survive edits', () => {
  const parsed = parseXml(
    '<cib><configuration x="1"><!-- keep --><resources><primitive id="a" class="lsb" type="x" y="2"/></resources></configuration></cib>',
  )
  if (!parsed.ok) throw new Error('well-formed')
  const text = printXml(must(setResourceMeta(parsed.value, { id: 'a', meta: { priority: '1' } })).cib)
  expect(text).toContain('<!-- keep -->')
  expect(text).toContain('y="2"')
})
