import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  addScores,
  type Configuration,
  formatScore,
  nvSetsByPrecedence,
  parseScore,
  parseXml,
  readConfiguration,
} from '../../src/cib/index.ts'
import { havePacemakerCases, pacemakerCases } from '../support/pacemaker-cases.ts'

const read = (configuration: string): Configuration => {
  const parsed = parseXml(`<cib><configuration>${configuration}</configuration></cib>`)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return readConfiguration(parsed.value)
}

describe('scores', () => {
  const texts: readonly (readonly [string, number | undefined])[] = [
    ['INFINITY', 1_000_000],
    ['+INFINITY', 1_000_000],
    ['-infinity', -1_000_000],
    ['100', 100],
    ['-7', -7],
    ['5000000', 1_000_000],
    ['-5000000', -1_000_000],
    ['', undefined],
    ['1.0', 1],
    ['-1.5', -1],
    ['1 2', undefined],
    ['green', undefined],
  ]
  for (const [text, score] of texts) test(`'${text}' is ${score}`, () => expect(parseScore(text)).toBe(score))

  const sums: readonly (readonly [readonly number[], number])[] = [
    [[1, 2, 3], 6],
    [[1_000_000, -5], 1_000_000],
    [[1_000_000, -1_000_000], -1_000_000],
    [[-1_000_000, 1_000_000], -1_000_000],
    [[-5, -1_000_000], -1_000_000],
    [[999_999, 999_999], 1_000_000],
  ]
  for (const [scores, sum] of sums)
    test(`${scores.map(formatScore).join(' + ')} is ${formatScore(sum)}`, () => expect(addScores(...scores)).toBe(sum))
})

describe('old spellings', () => {
  test('a master element is a promotable clone', () => {
    const [clone] = read(
      '<resources><master id="ms"><meta_attributes id="m"><nvpair id="p" name="master-max" value="2"/></meta_attributes>' +
        '<primitive id="db" class="ocf" provider="linbit" type="drbd"/></master></resources>',
    ).resources
    expect(clone).toMatchObject({ kind: 'clone', isMasterElement: true, child: { id: 'db' } })
    expect(clone?.meta[0]?.pairs).toEqual([{ id: 'p', name: 'promoted-max', value: '2' }])
  })

  test('Master and Slave are Promoted and Unpromoted wherever a role is written', () => {
    const configuration = read(
      '<resources><primitive id="db" class="ocf" provider="linbit" type="drbd"><meta_attributes id="m">' +
        '<nvpair id="p" name="target-role" value="Slave"/></meta_attributes>' +
        '<operations><op id="o" name="monitor" interval="10" role="Master"/></operations></primitive></resources>' +
        '<constraints><rsc_colocation id="c" score="+INFINITY" rsc="ip" with-rsc="db" with-rsc-role="Master"/></constraints>',
    )
    expect(configuration.resources[0]).toMatchObject({
      meta: [{ pairs: [{ value: 'Unpromoted' }] }],
      operations: [{ intervalMs: 10_000, attributes: { role: 'Promoted' } }],
    })
    expect(configuration.constraints[0]).toMatchObject({ score: 1_000_000, between: { primaryRole: 'Promoted' } })
  })

  test('stonith options are read as fencing options, and the new name wins over the old in one set', () => {
    const [set] = read(
      '<crm_config><cluster_property_set id="s"><nvpair id="a" name="stonith-enabled" value="false"/>' +
        '<nvpair id="b" name="fencing-enabled" value="true"/><nvpair id="c" name="stonith-timeout" value="9s"/>' +
        '<nvpair id="d" name="no-quorum-policy" value="suicide"/></cluster_property_set></crm_config>',
    ).options
    expect(set?.pairs.map(({ name, value }) => [name, value])).toEqual([
      ['fencing-enabled', 'true'],
      ['fencing-timeout', '9s'],
      ['no-quorum-policy', 'fence'],
    ])
  })
})

describe('resources', () => {
  test("a primitive's own sets and operations win over its template's", () => {
    const [web] = read(
      '<resources><template id="t" class="ocf" provider="heartbeat" type="nginx">' +
        '<meta_attributes id="t-m"><nvpair id="t1" name="priority" value="1"/></meta_attributes>' +
        '<operations><op id="t-mon" name="monitor" interval="10s" timeout="1s"/><op id="t-start" name="start" interval="0" timeout="9s"/></operations></template>' +
        '<primitive id="web" template="t"><meta_attributes id="w-m"><nvpair id="w1" name="priority" value="2"/></meta_attributes>' +
        '<operations><op id="w-mon" name="monitor" interval="10" timeout="5s"/></operations></primitive></resources>',
    ).resources
    if (web?.kind !== 'primitive') throw new Error('web is a primitive')
    expect(web.agent).toEqual({ class: 'ocf', provider: 'heartbeat', type: 'nginx' })
    expect(nvSetsByPrecedence(web.meta)[0]?.id).toBe('w-m')
    expect(web.operations.map(({ id }) => id)).toEqual(['w-mon', 't-start'])
  })

  test('references stand for what they name; one that leads nowhere is left out', () => {
    const [a, b] = read(
      '<resources><primitive id="a" class="lsb" type="x"><meta_attributes id="m"><nvpair id="p" name="priority" value="7"/></meta_attributes></primitive>' +
        '<primitive id="b" class="lsb" type="x"><meta_attributes id-ref="m"/><meta_attributes id-ref="nowhere"/></primitive></resources>',
    ).resources
    expect(b?.meta).toEqual(a?.meta)
  })
})

describe('constraints', () => {
  test('a location is by node, by rule, by pattern or by set, and holds for a lifetime', () => {
    const constraints = read(
      '<constraints><rsc_location id="n" rsc="web" node="alpha" score="50"/>' +
        '<rsc_location id="p" rsc-pattern="!^web" node="alpha" score="-INFINITY" resource-discovery="never">' +
        '<lifetime><rule id="l"><date_expression id="d" operation="lt" end="2030-01-01"/></rule></lifetime></rsc_location>' +
        '<rsc_location id="r" rsc="web"><rule id="rr" score-attribute="pingd" boolean-op="or"><expression id="e" attribute="pingd" operation="gt" value="0" type="number"/></rule></rsc_location>' +
        '<rsc_location id="s" node="alpha" score="1"><resource_set id="rs"><resource_ref id="web"/></resource_set></rsc_location></constraints>',
    ).constraints
    expect(constraints).toMatchObject([
      { resource: { by: 'id', id: 'web' }, where: { by: 'node', node: 'alpha', score: 50 } },
      { resource: { by: 'pattern', pattern: '^web', negated: true }, discovery: 'never', lifetime: { id: 'l' } },
      {
        where: {
          by: 'rules',
          rules: [{ booleanOp: 'or', scoreAttribute: 'pingd', conditions: [{ kind: 'attribute', type: 'number' }] }],
        },
      },
      { resource: { by: 'sets', sets: [{ members: ['web'], sequential: true, sequentialWritten: false }] } },
    ])
  })

  test('an order of an unknown kind is mandatory', () => {
    expect(
      read('<constraints><rsc_order id="o" first="a" then="b" kind="foo"/></constraints>').constraints,
    ).toMatchObject([{ orderKind: 'Mandatory', requireAll: true, between: { first: 'a' } }])
  })
})

test("the later of two sets with equal scores wins, and the cluster's own option set wins over all", () => {
  const set = (id: string, score: number) => ({ id, score, pairs: [] })
  const sets = [set('first', 0), set('own', -5), set('second', 0), set('high', 10)]
  expect(nvSetsByPrecedence(sets, 'own').map(({ id }) => id)).toEqual(['own', 'high', 'second', 'first'])
})

const odd = [
  '<nodes><node/></nodes><resources><primitive/><clone id="c"/><bundle id="b"/><group/><foo/></resources>',
  '<constraints><rsc_location/><rsc_order id="x"/><rsc_colocation rsc="a"/><rsc_ticket/></constraints>',
  '<constraints><rsc_location rsc="a"><rule id="r"><rule id-ref="r"/></rule></rsc_location></constraints>',
  '<fencing-topology><fencing-level index="x"/></fencing-topology><tags><tag><obj_ref/></tag></tags>',
]
for (const text of odd)
  test(`odd input is read without failing: ${text.slice(0, 40)}`, () => expect(read(text)).toBeDefined())

test.runIf(havePacemakerCases)(
  'every CIB of the shared scheduler cases keeps its resources and constraints when it is read',
  () => {
    const folder = pacemakerCases
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(600)
    let resources = 0
    let constraints = 0
    for (const file of files) {
      const parsed = parseXml(readFileSync(new URL(file, folder), 'utf8'))
      if (!parsed.ok) throw new Error(`${file}: ${JSON.stringify(parsed.reports)}`)
      const configuration = readConfiguration(parsed.value)
      resources += configuration.resources.length
      constraints += configuration.constraints.length
    }
    expect({ resources, constraints }).toEqual({
      resources: 1910 + 734 + 225 + 104,
      constraints: 1283 + 1266 + 1156 + 126,
    })
  },
)

test('a document nested deeper than any CIB is refused instead of exhausting the stack', () => {
  const deep = `${'<group id="g">'.repeat(5000)}${'</group>'.repeat(5000)}`
  expect(parseXml(`<cib><configuration><resources>${deep}</resources></configuration></cib>`)).toMatchObject({
    ok: false,
    reports: [{ code: 'malformed-xml', message: 'elements are nested more than 256 deep' }],
  })
})

test('an interval may be an ISO 8601 duration, also in the short form of old CIBs', () => {
  const intervals = ['P10S', 'PT10S', '10', '10s', '10000ms'].map((interval) => {
    const operations = `<operations><op id="o" name="monitor" interval="${interval}"/></operations>`
    const [resource] = read(
      `<resources><primitive id="a" class="lsb" type="x">${operations}</primitive></resources>`,
    ).resources
    return resource?.kind === 'primitive' ? resource.operations[0]?.intervalMs : undefined
  })
  expect(intervals).toEqual(intervals.map(() => 10_000))
})
