import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import {
  childElement,
  childElements,
  composeCib,
  type OperationResult,
  operationDigests,
  pacemakerVersion,
  parametersDigest,
  parseNodeStateRecord,
  parseOperationRecord,
  parseTransitionKey,
  parseXml,
  printXml,
  recordsOfResult,
  splitCib,
  type XmlElement,
} from '../../src/cib/index.ts'
import { havePacemakerCases, pacemakerCases } from '../support/pacemaker-cases.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const alpha = nodeName('alpha')
const dummy = { class: 'ocf', provider: 'pacemaker', type: 'Dummy' }
const started: OperationResult = {
  node: alpha,
  resource: resourceId('web'),
  agent: dummy,
  operation: 'start',
  intervalMs: 0,
  key: { action: 4, transition: 2, expectedExitCode: 0, uuid: 'b5a3a8a0-0000-4000-8000-000000000001' },
  callId: 11,
  status: 'done',
  exitCode: 0,
  lastChange: 1_700_000_000,
  execTimeMs: 20,
  queueTimeMs: 0,
  digests: operationDigests({ parameters: { state: '/run/web' }, restartNames: ['state'] }, md5),
}

describe('the records that a result leaves', () => {
  const cases: readonly { readonly name: string; readonly result: OperationResult; readonly ids: readonly string[] }[] =
    [
      { name: 'a start that worked is the last operation', result: started, ids: ['web_last_0'] },
      {
        name: 'a start that failed is the last operation and the last failure',
        result: { ...started, exitCode: 1 },
        ids: ['web_last_failure_0', 'web_last_0'],
      },
      {
        name: 'a probe that finds nothing, as expected, is no failure',
        result: { ...started, operation: 'monitor', exitCode: 7, key: { ...started.key, expectedExitCode: 7 } },
        ids: ['web_last_0'],
      },
      {
        name: 'a recurring monitor has a record of its own',
        result: { ...started, operation: 'monitor', intervalMs: 10_000 },
        ids: ['web_monitor_10000'],
      },
      {
        name: 'a recurring monitor that fails leaves its own record as it was',
        result: { ...started, operation: 'monitor', intervalMs: 10_000, exitCode: 7 },
        ids: ['web_last_failure_0'],
      },
      {
        name: 'a time-out is a failure whatever the exit code',
        result: { ...started, status: 'timeout' },
        ids: ['web_last_failure_0', 'web_last_0'],
      },
      {
        name: 'an operation that still runs is no failure',
        result: { ...started, status: 'pending', exitCode: 193 },
        ids: ['web_last_0'],
      },
      {
        name: 'half of a live migration is kept beside what comes after it',
        result: { ...started, operation: 'migrate_to', migration: { source: alpha, target: nodeName('beta') } },
        ids: ['web_migrate_to_0'],
      },
      {
        name: 'so is one that failed',
        result: {
          ...started,
          operation: 'migrate_from',
          exitCode: 1,
          migration: { source: nodeName('beta'), target: alpha },
        },
        ids: ['web_migrate_from_0'],
      },
      {
        name: 'a notification is recorded under its own name',
        result: { ...started, operation: 'notify', notification: { type: 'post', operation: 'start' } },
        ids: ['web_post_notify_start_0'],
      },
    ]
  for (const { name, result, ids } of cases)
    test(name, () => expect(recordsOfResult(result).map(({ recordId }) => recordId)).toEqual(ids))

  test('both ends of a live migration are named in its record', () => {
    const [record] = recordsOfResult({
      ...started,
      operation: 'migrate_to',
      migration: { source: alpha, target: nodeName('beta') },
    })
    expect(record?.attributes).toMatchObject({ migrate_source: 'alpha', migrate_target: 'beta' })
  })

  test('a reload that worked counts as a start', () => {
    const [record] = recordsOfResult({ ...started, operation: 'reload-agent' })
    expect(record?.attributes).toMatchObject({ operation: 'start', operation_key: 'web_start_0' })
  })

  test('the transition key is read back from the record', () => {
    expect(parseTransitionKey(recordsOfResult(started)[0]?.attributes['transition-key'] ?? '')).toEqual(started.key)
  })

  test('a record survives the store as JSON', () => {
    for (const record of recordsOfResult(started))
      expect(parseOperationRecord(JSON.parse(JSON.stringify(record)))).toEqual(record)
  })
})

test('JSON that is no record is not taken for one', () => {
  for (const value of [null, 1, [], {}, { node: 'alpha', id: '1', inCcm: 'yes', crmd: 'online' }])
    expect(parseNodeStateRecord(value)).toBeUndefined()
})

describe('digests', () => {
  test("no parameters have the digest that Pacemaker's histories show", () => {
    expect(parametersDigest({}, md5)).toBe('f2317cad3d54cec5d7d7aa7d0bf35cf8')
  })

  test('a value with quotes and a line break is hashed as Pacemaker 3.0 prints it', () => {
    expect(parametersDigest({ b: 'a"<b>\n', a: "it's" }, (text) => text)).toBe(
      ' <parameters a="it\'s" b="a&quot;&lt;b&gt;&#x0A;"/>\n',
    )
  })

  test.runIf(havePacemakerCases)(
    'most starts of the shared cases were recorded with the digest of the parameters that are configured',
    () => {
      let same = 0
      let different = 0
      for (const { cib } of sharedCases()) {
        const parameters = configuredParameters(cib)
        for (const record of splitCib(cib).operations) {
          const configured = parameters.get(record.resource.replace(/:\d+$/, ''))
          const digest = record.attributes['op-digest']
          if (configured === undefined || digest === undefined || record.attributes.interval !== '0') continue
          if (parametersDigest(configured, md5) === digest) same++
          else different++
        }
      }
      // The rest are cases about parameters that changed, and hand-made histories.
      expect(same).toBeGreaterThan(8000)
      expect(different).toBeLessThan(same / 10)
    },
  )
})

const nodeState = (node: string, id: string) => ({
  node: nodeName(node),
  id,
  inCcm: true,
  crmd: 'online' as const,
  join: 'member' as const,
  expected: 'member' as const,
})

const composed = composeCib({
  configuration: read(
    '<configuration><crm_config><cluster_property_set id="o"><nvpair id="o1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>' +
      '<nodes><node id="1" uname="alpha"/><node id="2" uname="beta"/></nodes>' +
      '<resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><instance_attributes id="ia"><nvpair id="ia1" name="state" value="/run/web"/></instance_attributes>' +
      '<operations><op id="web-m" name="monitor" interval="10s" timeout="20s"/></operations></primitive></resources><constraints/></configuration>',
  ),
  numUpdates: 3,
  haveQuorum: true,
  dcId: '1',
  nodeStates: [nodeState('alpha', '1'), nodeState('beta', '2')],
  operations: [
    ...recordsOfResult(started),
    ...recordsOfResult({
      ...started,
      operation: 'monitor',
      intervalMs: 10_000,
      callId: 12,
      digests: operationDigests({ parameters: { state: '/run/web' }, recurringTimeoutMs: 20_000 }, md5),
    }),
    ...recordsOfResult({
      ...started,
      node: nodeName('beta'),
      operation: 'monitor',
      exitCode: 7,
      key: { ...started.key, expectedExitCode: 7 },
    }),
  ],
  transientAttributes: [{ node: alpha, set: '', name: '#health-disk', value: 'green' }],
  tickets: [{ id: 'ticketA', granted: true, lastGranted: 1_700_000_000 }],
})

describe('a composed CIB', () => {
  test('holds the counters, the DC and the states of its parts', () => {
    expect(composed.attributes).toMatchObject({ admin_epoch: '0', epoch: '0', num_updates: '3', 'have-quorum': '1' })
    expect(printXml(composed)).toContain('<nvpair id="status-1-.health-disk" name="#health-disk" value="green"/>')
  })

  test('splits into what it was composed of', () => {
    const split = splitCib(composed)
    expect(printXml(composeCib({ ...split }))).toBe(printXml(composed))
  })

  test("is accepted by Pacemaker's own crm_verify, and crm_simulate finds nothing left to do", () => {
    const xml = printXml(composed)
    execFileSync('crm_verify', ['--xml-pipe'], { input: xml, stdio: ['pipe', 'pipe', 'pipe'] })
    const simulated = spawnSync('crm_simulate', ['--xml-pipe', '--simulate'], { input: xml, encoding: 'utf8' })
    expect(simulated.stderr).toBe('')
    expect(simulated.stdout).toMatch(/Online: \[ alpha beta \]/)
    expect(simulated.stdout).toMatch(/web\s+\(ocf:+pacemaker:Dummy\):\s+Started alpha/)
    const actions =
      simulated.stdout.split('Transition Summary:')[1]?.split('Using the original execution date')[0] ?? ''
    expect(actions).not.toMatch(/Resource action|\* (Start|Stop|Move|Restart|Reload)/)
  })
})

test('nodes that were never seen have no record, for no record means that', () => {
  const cib = read(
    '<cib><configuration/><status><node_state id="1" uname="alpha" in_ccm="true" crmd="online" join="member" expected="member"/>' +
      '<node_state id="2" uname="beta" crmd="offline" join="down"/></status></cib>',
  )
  expect(splitCib(cib).nodeStates.map(({ node }) => node)).toEqual(['alpha'])
})

const simulated = [
  'load-stopped-loop',
  'migrate-fencing',
  'ticket-clone-21',
  'shutdown-lock',
  'remote-recovery',
  'guest-node-host-dies',
]
for (const name of simulated)
  test.runIf(havePacemakerCases)(
    `Pacemaker's crm_simulate decides the same about ${name} after it was split and composed`,
    () => {
      const folder = pacemakerCases
      const text = readFileSync(new URL(`${name}.xml`, folder), 'utf8')
      const run = (xml: string): string =>
        spawnSync('crm_simulate', ['--xml-pipe', '--simulate', '-t', '2024-01-01 00:00:00'], {
          input: xml,
          encoding: 'utf8',
        }).stdout
      const original = run(text)
      expect(original).toContain('Revised Cluster Status')
      expect(run(printXml(composeCib({ ...splitCib(read(text)) })))).toBe(original)
    },
  )

test.runIf(havePacemakerCases)(
  'every history, attribute and ticket of the shared cases survives being split and composed',
  () => {
    for (const { name, cib } of sharedCases()) {
      const split = splitCib(cib)
      const again = splitCib(composeCib({ ...split }))
      // Hand-made cases name a resource twice on a node: composing puts such histories together.
      for (const part of ['operations', 'transientAttributes', 'tickets', 'shutdownLocks'] as const)
        expect(inAnyOrder(again[part]), `${name} ${part}`).toEqual(inAnyOrder(split[part]))
      expect(split.operations.length, name).toBe(count(cib, 'lrm_rsc_op'))
    }
  },
)

test('a watchdog and the version are those of the nodes that run, whatever is written; a CIB without a DC keeps what is written', () => {
  const configuration = (pairs: string): XmlElement =>
    read(
      `<configuration><crm_config><cluster_property_set id="o">${pairs}</cluster_property_set></crm_config></configuration>`,
    )
  const pair = (name: string, value: string): string => `<nvpair id="o-${name}" name="${name}" value="${value}"/>`
  const options = (cib: XmlElement): readonly string[] =>
    [...printXml(cib).matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => `${name}=${value}`)
  const written = configuration(pair('dc-version', '2.0') + pair('a', 'b') + pair('have-watchdog', 'true'))
  expect(options(composeCib({ configuration: written, dcId: '1', haveWatchdog: false }))).toEqual([
    'a=b',
    'have-watchdog=false',
    `dc-version=${pacemakerVersion}`,
  ])
  expect(options(composeCib({ configuration: written }))).toEqual(['dc-version=2.0', 'a=b', 'have-watchdog=true'])
  const plain = configuration(pair('a', 'b'))
  expect(options(composeCib({ configuration: plain, dcId: '1', haveWatchdog: false }))).toEqual(['a=b'])
  expect(options(composeCib({ configuration: plain, haveWatchdog: true }))).toEqual(['a=b', 'have-watchdog=true'])
  const right = configuration(pair('dc-version', pacemakerVersion))
  expect(
    composeCib({ configuration: right, dcId: '1' }).children[0],
    'the same element, for what was found out of it',
  ).toBe(right)
})

function inAnyOrder(records: readonly unknown[]): readonly string[] {
  return records.map((record) => JSON.stringify(record)).sort()
}

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

function sharedCases(): readonly { readonly name: string; readonly cib: XmlElement }[] {
  const folder = pacemakerCases
  return readdirSync(folder).map((name) => ({ name, cib: read(readFileSync(new URL(name, folder), 'utf8')) }))
}

function count(element: XmlElement, name: string): number {
  return childElements(element).reduce((sum, child) => sum + count(child, name), element.name === name ? 1 : 0)
}

/** Parameters of primitives that have neither a template nor more than one set. */
function configuredParameters(cib: XmlElement): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Readonly<Record<string, string>>>()
  const visit = (element: XmlElement): void => {
    const sets = childElements(element, 'instance_attributes')
    if (element.name === 'primitive' && element.attributes.template === undefined && sets.length < 2)
      found.set(
        element.attributes.id ?? '',
        Object.fromEntries(
          sets.flatMap((set) =>
            childElements(set, 'nvpair').map((pair) => [pair.attributes.name ?? '', pair.attributes.value ?? '']),
          ),
        ),
      )
    childElements(element).forEach(visit)
  }
  visit(childElement(cib, 'configuration') ?? cib)
  return found
}
