import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveFenceAgent } from '../../src/cli/host/agents.ts'
import { deviceObjections } from '../../src/cli/host/device-test.ts'

/** `--agent-validation` with Debian's agents, on a CIB in a file. */
const folder = mkdtempSync(join(tmpdir(), 'systole-validation-'))
const file = join(folder, 'cib.xml')
const program = join(import.meta.dirname, '../../bin/systole')
beforeAll(() =>
  writeFileSync(
    file,
    '<cib validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>',
  ),
)
afterAll(() => rmSync(folder, { recursive: true }))

async function systole(line: string): Promise<{ readonly code: number; readonly errors: string }> {
  return await promisify(execFile)(program, ['-f', file, ...line.split(' ')]).then(
    ({ stderr }) => ({ code: 0, errors: stderr }),
    (error: { code: number; stderr: string }) => ({ code: error.code, errors: error.stderr }),
  )
}

const address = 'ocf:heartbeat:IPaddr2'

test('parameters that the agent refuses are not taken, unless forced', async () => {
  const refused = await systole(`resource create vip ${address} ip=999 --agent-validation`)
  expect(refused.code).toBe(1)
  expect(refused.errors).toMatch(
    /^Error: ocf:heartbeat:IPaddr2 does not take these parameters \(exit code \d+\): .*999/,
  )
  expect(readFileSync(file, 'utf8')).not.toContain('vip')
  const forced = await systole(`resource create vip ${address} ip=999 --agent-validation --force`)
  expect([forced.code, forced.errors]).toEqual([0, expect.stringContaining('Warning: ocf:heartbeat:IPaddr2 does not')])
  expect((await systole('resource update vip nic=lo --agent-validation')).code).toBe(1)
  expect((await systole('resource update vip ip=127.0.0.9 nic=lo --agent-validation')).code).toBe(0)
})

test('a fence agent checks its parameters, too; without the flag nobody is asked', async () => {
  const refused = await systole('stonith create f fence_ipmilan username=x --agent-validation')
  expect(refused.errors).toContain('You have to enter fence address')
  expect(
    (await systole('stonith create f fence_ipmilan ip=127.0.0.1 username=x password=y --agent-validation')).code,
  ).toBe(0)
  expect((await systole(`resource create other ${address} ip=999`)).code).toBe(0)
})

test('a fence device in a file says that nobody was asked, and --no-test that nobody is to be', async () => {
  const line = 'stonith create untested fence_ipmilan ip=127.0.0.1 username=x password=y'
  const { code, errors } = await systole(line)
  expect([code, errors]).toEqual([
    0,
    "untested was not tested, as it is in no cluster yet. Run 'systole stonith test untested' on a node once it is.\n",
  ])
  expect((await systole(`${line.replace('untested', 'other-device')} --no-test`)).errors).toBe('')
  expect((await systole(`${line} --test --no-test`)).errors).toContain('--test and --no-test exclude each other')
})

test('a device that does not answer holds nobody up for longer than the time it is given', async () => {
  const installed = await resolveFenceAgent('fence_ipmilan', { force: false, exact: false, unasked: false })
  const given = { ip: '127.0.0.1', username: 'x', password: 'y' }
  expect(await deviceObjections(installed, given, 10)).toEqual([
    'stonith:fence_ipmilan had no answer from the device within 0.01 s. Check its address.',
  ])
  // What the cluster runs instead of the monitor is what is run here.
  expect(await deviceObjections(installed, { ...given, pcmk_monitor_action: 'metadata' })).toEqual([])
})
