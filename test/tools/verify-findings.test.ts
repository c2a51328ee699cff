/** What crm_verify refuses and what it lets pass, as Pacemaker 3.0's does with the same text (`npm run fuzz:tools -- --file`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'

const cluster = readFileSync(join(import.meta.dirname, 'cases/cluster.xml'), 'utf8')

async function verify(from: string, to: string) {
  expect(cluster).toContain(from)
  return await check(cluster.replace(from, to))
}

const check = async (cib: string) =>
  await replyTo({ tool: 'crm_verify', arguments: ['-V', '-X', cib], files: callerFiles({}) }, {})

const managed = 'name="is-managed" value="true"'
const clusterName = 'name="cluster-name" value="test"'
const operation = 'name="monitor" interval="10s"/>'
const ping = '<primitive id="ping" class="ocf" provider="pacemaker"'
const clonePair = (name: string, agent: string): string =>
  `<meta_attributes id="m"><nvpair id="m-1" name="${name}" value="true"/></meta_attributes><primitive id="ping" class="${agent}"`
const constraint = (text: string): string => `<constraints>${text}`
const date = (attributes: string): string =>
  constraint(
    `<rsc_location id="l" rsc="web"><rule id="r" score="5"><date_expression id="d" ${attributes}/></rule></rsc_location>`,
  )

test.for<[from: string, to: string, said: RegExp]>([
  [managed, 'name="target-role" value="Promoted"', /'Promoted' only makes sense for promotable clones/],
  [managed, 'name="target-role" value="Unpromoted"', /'Unpromoted' only makes sense for promotable clones/],
  [managed, 'name="requires" value="fencing"', /web requires fencing but fencing is disabled/],
  [managed, 'name="requires" value="unfencing"', /because fencing is disabled/],
  [managed, 'name="priority" value="bogus"', /bogus/],
  [clusterName, 'name="no-quorum-policy" value="suicide"', /no-quorum-policy to 'stop' because fencing is disabled/],
  [clusterName, 'name="default-action-timeout" value="5"', /default-action-timeout|nvpair/],
  [clusterName, 'name="batch-limit" value="x"', /batch-limit/],
  [operation, 'name="start" interval="10s"/>', /start action cannot be recurring/],
  [operation, 'name="migrate_to" interval="10s"/>', /migrate_to action cannot be recurring/],
  [operation, 'name="monitor" interval="10s" on-fail="fence"/>', /'fence' is not valid when fencing is disabled/],
  [operation, 'name="monitor" interval="10s" on-fail="demote"/>', /'demote' is not allowed/],
  [operation, 'name="monitor" interval="10s" interval-origin="bogus"/>', /interval-origin/],
  [ping, clonePair('promotable', 'systemd'), /ping:0 is of type systemd/],
  [ping, clonePair('globally-unique', 'lsb'), /lsb resources such as ping:0 can be used only as anonymous clones/],
  ['<constraints>', constraint('<rsc_ticket id="t" rsc="web" ticket="T" loss-policy="fence"/>'), /loss-policy/],
  ['<constraints>', constraint('<rsc_order id="o" first="web" then="vip" kind="bogus"/>'), /kind/],
  ['<constraints>', date('operation="gt" start="bogus"'), /date_expression d .* start is invalid/],
  [
    '<constraints>',
    constraint('<rsc_order id="o" first="ping-clone" then="web" require-all="false"/>'),
    /Support for require-all in ordering constraints is deprecated/,
  ],
  [
    '<group id="front">',
    '<group id="front"><meta_attributes id="m"><nvpair id="m-1" name="ordered" value="false"/></meta_attributes>',
    /'ordered' group meta-attribute is deprecated/,
  ],
  [' validate-with="pacemaker-3.9"', '', /missing validate-with/],
  ['"pacemaker-3.9"', '"pacemaker-9.9"', /unknown validate-with/],
  ['"pacemaker-3.9"', '"none"', /deprecated/],
])('refused: %s → %s', async ([from, to, said]) => {
  const { exitCode, errors } = await verify(from, to)
  expect(errors).toMatch(said)
  expect(exitCode).toBe(78)
})

test.for<[from: string, to: string]>([
  [managed, 'name="target-role" value="Stopped"'],
  [managed, 'name="requires" value="quorum"'],
  [managed, 'name="failure-timeout" value="bogus"'],
  [managed, 'name="allow-migrate" value="bogus"'],
  ['name="cpu" value="2"', 'name="cpu" value="x"'],
  [clusterName, 'name="batch-limit" value="-5"'],
  [clusterName, 'name="stonith-watchdog-timeout" value="bogus"'],
  [operation, 'name="monitor" interval="bogus"/>'],
  [operation, 'name="start" interval="0"/>'],
  [operation, 'name="monitor" interval="10s" interval-origin="2020-01-01"/>'],
  [ping, clonePair('promotable', 'ocf" provider="pacemaker')],
  [ping, clonePair('globally-unique', 'stonith')],
  [
    '<constraints>',
    constraint('<rsc_order id="o1" first="web" then="vip"/><rsc_order id="o2" first="vip" then="web"/>'),
  ],
  [
    '<group id="front">',
    '<group id="front"><meta_attributes id="m"><nvpair id="m-1" name="ordered" value="true"/></meta_attributes>',
  ],
  ['<constraints>', date('operation="gt" start="2020-01-01"')],
])('let pass: %s → %s', async ([from, to]) => {
  expect(await verify(from, to)).toMatchObject({ exitCode: 0 })
})

/** On purpose other than 3.0, and as 2.1: programs that were written for that keep the words. */
test('Master and Slave are told, and refused only from the schemas of 3.0 on', async () => {
  const [from, to] = [operation, 'name="monitor" interval="10s" role="Master"/>']
  const told = await verify(from, to)
  expect(told).toMatchObject({ exitCode: 0 })
  expect(told.errors).toMatch(/warning: Support for the Master role is deprecated.* Use Promoted instead/)
  const newest = cluster.replace('pacemaker-3.9', 'pacemaker-4.0')
  expect((await check(newest.replace(from, 'name="monitor" interval="10s" role="Promoted"/>'))).exitCode).toBe(0)
  expect((await check(newest.replace(from, to))).exitCode).toBe(78)
})

test('a call without a source needs no cluster to be refused', async () => {
  const environment = { SYSTOLE_TOOLS_SOCKET: '/nonexistent/socket' }
  const codeOf = async (tool: string, ...words: readonly string[]) =>
    (await replyTo({ tool, arguments: words, files: callerFiles(environment) }, environment)).exitCode
  expect(await codeOf('crm_verify')).toBe(1)
  expect(await codeOf('crm_rule')).toBe(64)
  expect(await codeOf('crm_rule', '--check')).toBe(64)
  expect(await codeOf('crm_rule', '--check', '--rule', 'r')).toBe(102)
})
