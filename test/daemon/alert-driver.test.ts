import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { type OperationRecord, parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { AlertDriver, type AlertPorts } from '../../src/daemon/alerts/alert-driver.ts'
import { runAlert } from '../../src/daemon/alerts/run-alert.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import type { Store } from '../../src/store/index.ts'

const self = nodeName('n1')
const agent = '/usr/share/pacemaker/alerts/alert_file.sh.sample'
let folder = ''
let hands: AlertDriver | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-alerts-'))
  chmodSync(folder, 0o777)
})

afterEach(async () => {
  await hands?.close()
  rmSync(folder, { recursive: true, force: true })
})

function viewOf(alerts: string): ClusterView {
  const parsed = parseXml(`<cib><configuration><alerts>${alerts}</alerts></configuration></cib>`)
  if (!parsed.ok) throw new Error('bad CIB')
  return {
    ...emptyView,
    configuration: { version: 1, cib: parsed.value, typed: readConfiguration(parsed.value) },
  }
}

function open(
  alerts: string,
  more: Partial<AlertPorts> = {},
): { readonly hands: AlertDriver; readonly warnings: string[] } {
  const view = viewOf(alerts)
  const warnings: string[] = []
  const ignore = (): void => undefined
  const log = {
    debug: ignore,
    info: ignore,
    warn: (_message: string, fields?: object) => warnings.push(JSON.stringify(fields)),
    error: ignore,
  }
  hands = new AlertDriver({
    self,
    log,
    paths: pathsBelow(folder),
    store: () => ({}) as Store,
    view: () => view,
    below: () => [],
    term: () => undefined,
    ...more,
  })
  return { hands, warnings }
}

function started(callId: number, attributes: Readonly<Record<string, string>> = {}): OperationRecord {
  return {
    node: self,
    resource: resourceId('work'),
    agent: { class: 'ocf', provider: 'pacemaker', type: 'Dummy' },
    recordId: 'work_last_0',
    attributes: {
      operation: 'start',
      'call-id': String(callId),
      'rc-code': '0',
      'op-status': '0',
      interval: '0',
      'transition-key': '1:2:0:00000000-0000-4000-8000-000000000001',
      'transition-magic': '0:0;1:2:0:00000000-0000-4000-8000-000000000001',
      ...attributes,
    },
  }
}

const lines = (name: string): readonly string[] => {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

test("Debian's agent writes what a resource did, once however often the result is written", async () => {
  const { hands: alerts } = open(`<alert id="file" path="${agent}"><recipient id="r" value="${folder}/log"/></alert>`)
  alerts.result([started(7)])
  alerts.result([started(7)])
  await vi.waitFor(() => expect(lines('log')).toHaveLength(1), 5000)
  alerts.result([started(8)])
  await vi.waitFor(() => expect(lines('log')).toHaveLength(2), 5000)
  expect(lines('log')[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{6}: Resource operation 'start' for 'work' on 'n1': ok$/)
})

test('a program that cannot be run, fails or hangs is told; one that works again is told no more', async () => {
  const script = join(folder, 'script')
  const write = (text: string): void => {
    writeFileSync(script, `#!/bin/sh\n${text}\n`)
    chmodSync(script, 0o755)
  }
  const timeout = '<meta_attributes id="m"><nvpair id="t" name="timeout" value="1s"/></meta_attributes>'
  const { hands: alerts, warnings } = open(
    `<alert id="script" path="${script}">${timeout}</alert><alert id="relative" path="script"/>`,
  )
  alerts.result([started(1)])
  await vi.waitFor(() => expect(alerts.troubles).toHaveLength(2), 5000)
  expect(alerts.troubles[0]).toContain('The alert relative fails: script is not an absolute path.')
  expect(alerts.troubles[1]).toContain('could not be started: it is gone')
  write('echo why >&2; exit 3')
  alerts.result([started(2)])
  await vi.waitFor(() => expect(alerts.troubles[1]).toContain('ended with exit code 3: why'), 5000)
  write(`sleep 4321 & echo $! > ${folder}/pid; yes; wait`)
  chmodSync(folder, 0o777)
  alerts.result([started(3)])
  await vi.waitFor(() => expect(alerts.troubles[1]).toContain('did not end within 1 s'), 8000)
  const pid = Number(lines('pid')[0])
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), 5000)
  write('exit 0')
  alerts.result([started(4)])
  await vi.waitFor(() => expect(alerts.troubles).toHaveLength(1), 5000)
  expect(warnings.length).toBeGreaterThanOrEqual(6)
}, 20_000)

test('what was wrong with an alert is told no longer once the alert is another, and what is wrong with others still is', async () => {
  const script = join(folder, 'script')
  writeFileSync(script, '#!/bin/sh\n[ -n "$CRM_alert_recipient" ] || { echo "There is no recipient." >&2; exit 78; }\n')
  chmodSync(script, 0o755)
  const other = `<alert id="other" path="${script}"/>`
  let view = viewOf(`<alert id="mail" path="${script}"/>${other}`)
  const { hands: alerts } = open('', { view: () => view })
  const configured = (): void => alerts.take([], [{ kind: 'configuration' }])
  configured()
  alerts.result([started(1)])
  await vi.waitFor(() => expect(alerts.troubles).toHaveLength(2), 5000)
  expect(alerts.troubles[0]).toMatch(/The alert mail fails: .*There is no recipient\.$/)
  configured()
  expect(alerts.troubles).toHaveLength(2)
  view = viewOf(`<alert id="mail" path="${script}"><recipient id="r" value="ops"/></alert>${other}`)
  configured()
  expect(alerts.troubles).toEqual([expect.stringMatching(/^The alert other fails: .*There is no recipient\.$/)])
})

test('how a call of another definition ends is no trouble of the alert', async () => {
  const script = join(folder, 'script')
  writeFileSync(
    script,
    `#!/bin/sh\necho begun >> ${folder}/log\nuntil [ -e ${folder}/go ]; do sleep 0.05; done\nexit 78\n`,
  )
  chmodSync(script, 0o755)
  let view = viewOf(`<alert id="mail" path="${script}"/>`)
  const { hands: alerts, warnings } = open('', { view: () => view })
  alerts.take([], [{ kind: 'configuration' }])
  alerts.result([started(1)])
  await vi.waitFor(() => expect(lines('log')).toHaveLength(1), 5000)
  view = viewOf(`<alert id="mail" path="${script}"><recipient id="r" value="ops"/></alert>`)
  alerts.take([], [{ kind: 'configuration' }])
  writeFileSync(join(folder, 'go'), '')
  await vi.waitFor(() => expect(warnings).toHaveLength(1), 5000)
  expect(alerts.troubles).toEqual([])
})

test('a result is told whatever becomes of its alert', async () => {
  const { hands: alerts, warnings } = open('', {
    view: () => {
      throw new Error('odd')
    },
  })
  alerts.result([started(1)])
  expect(warnings).toHaveLength(1)
  const event = { at: 0, node: self, kind: 'node', nodeId: '1', desc: 'lost' } as const
  const unused = { retryMs: 0, repeatMs: 0, event, sequence: 1 }
  const call = { alert: 'a', lane: 'a', path: '/bin/\0', environment: {}, timeoutMs: 1000, ...unused }
  expect((await runAlert(call, pathsBelow(folder)).ended).failure).toMatch(/could not be started/)
})

test('what a program gets is complete, and begins from nothing', async () => {
  const script = join(folder, 'script')
  writeFileSync(
    script,
    `#!/bin/sh\nenv > ${folder}/env.part\nid -un >> ${folder}/env.part\nmv ${folder}/env.part ${folder}/env\n`,
  )
  chmodSync(script, 0o755)
  process.env.SYSTOLE_TEST_LEAK = 'leaked'
  const { hands: alerts } = open(
    `<alert id="script" path="${script}"><instance_attributes id="i"><nvpair id="d" name="debug" value="yes"/></instance_attributes></alert>`,
  )
  alerts.result([started(1)])
  // Whole, once it has this name.
  await vi.waitFor(() => expect(lines('env').length).toBeGreaterThan(20), 20_000)
  delete process.env.SYSTOLE_TEST_LEAK
  const got = lines('env')
  expect(got).toContain('CRM_alert_kind=resource')
  expect(got).toContain('CRM_notify_rsc=work')
  expect(got).toContain('debug=yes')
  expect(got.join('\n')).not.toMatch(/leaked|CRM_alert_recipient/)
  if (process.getuid?.() === 0) expect(got.at(-1)).toMatch(/^(hacluster|nobody)$/)
}, 30_000)

test('a test is a marked event for the recipients that were named, once, and beside what waits', async () => {
  const script = join(folder, 'told')
  writeFileSync(
    script,
    `#!/bin/sh\ncase $CRM_alert_recipient in *away) echo 'not there' >&2; exit 75;; esac\necho "$CRM_alert_kind $CRM_alert_node $CRM_alert_desc" >> "$CRM_alert_recipient"\n`,
  )
  chmodSync(script, 0o755)
  const off = '<meta_attributes id="m"><nvpair id="e" name="enabled" value="false"/></meta_attributes>'
  const recipients = ['log', 'other', 'away'].map((name) => `<recipient id="${name}" value="${folder}/${name}"/>`)
  const { hands: alerts } = open(
    `<alert id="told" path="${script}"><select><select_nodes/></select>${recipients.join('')}</alert><alert id="off" path="${script}">${off}</alert>`,
  )
  const one = await alerts.try({ alert: 'told', recipients: ['log'] })
  expect(one).toEqual({ node: 'n1', results: [{ recipient: 'log', value: `${folder}/log`, outcome: 'sent' }] })
  expect(lines('log')).toEqual(['test n1 Test of the alert told'])
  expect(lines('other')).toEqual([])
  const { results } = await alerts.try({ alert: 'told', recipients: [] })
  expect(results.map(({ recipient, outcome }) => `${recipient ?? ''} ${outcome}`)).toEqual([
    ...['log sent', 'other sent', 'away failed'],
  ])
  expect(results[2]?.why).toContain('could not deliver: not there')
  // What fails in a test is said to whoever asked, and is not tried again.
  expect(alerts.troubles).toEqual([])
  expect((await alerts.try({ alert: 'off', recipients: [] })).results[0]?.why).toMatch(/disabled/)
  await expect(alerts.try({ alert: 'tols', recipients: [] })).rejects.toThrow(/no alert 'tols'.*told/)
  await expect(alerts.try({ alert: 'told', recipients: ['lig'] })).rejects.toThrow(/no recipient 'lig'.*log/)
  const first = alerts.try({ alert: 'told', recipients: [] })
  await expect(alerts.try({ alert: 'told', recipients: [] })).rejects.toThrow(/Another test/)
  await first
})

test('what a program said last is read, also where it comes after its end; what it leaves running holds up nobody', async () => {
  const script = join(folder, 'late')
  writeFileSync(
    script,
    '#!/bin/sh\n{ sleep 0.1; echo "no route" >&2; sleep 2; } &\necho $! > "$CRM_alert_recipient"\nexit 75\n',
  )
  chmodSync(script, 0o755)
  const { hands: alerts } = open(`<alert id="late" path="${script}"><recipient id="r" value="${folder}/pid"/></alert>`)
  const { results } = await alerts.try({ alert: 'late', recipients: [] })
  expect(results[0]?.why).toContain('could not deliver: no route')
})
