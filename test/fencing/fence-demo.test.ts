import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type DeviceAction, readFenceDevices, runDevice } from '../../src/fencing/index.ts'
import { metadataReader, processStart } from '../../src/resource-agents/index.ts'

const fenceFolder = join(dirname(fileURLToPath(import.meta.url)), '../../agents/fence')
let folder: string
const started: number[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-demo-'))
  for (const node of ['alpha', 'beta']) mkdirSync(join(folder, node))
})
afterEach(() => {
  for (const pid of started.splice(0)) if (processStart(pid)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true })
})

const host = () => ({
  ocfRoot: '/usr/lib/ocf',
  moreAgentFolders: [],
  toolsFolder: '/nonexistent',
  toolsSocket: '/nonexistent/tools.sock',
  runFolder: folder,
  fenceFolders: [fenceFolder],
})

async function ask(action: DeviceAction, target = 'alpha') {
  const cib = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
    <primitive id="demo" class="stonith" type="fence_demo"><instance_attributes id="a">
      <nvpair id="f" name="folder" value="${folder}"/></instance_attributes></primitive>
    </resources><constraints/></configuration><status/></cib>`)
  const metadata = await metadataReader(host(), [fenceFolder])({ class: 'stonith', type: 'fence_demo' })
  if (!cib.ok || !metadata.ok) throw new Error('bad test')
  const [device] = readFenceDevices(readConfiguration(cib.value), {
    metadata: new Map([['fence_demo', metadata.value]]),
  })
  if (!device) throw new Error('there is no device')
  return runDevice({ device, action, target, timeoutMs: 10_000 }, host())
}

/** A process of a node, in a session of its own. */
async function processOf(environment: Readonly<Record<string, string>>): Promise<number> {
  const child = spawn('sleep', ['600'], {
    env: { PATH: '/usr/bin:/bin', ...environment },
    detached: true,
    stdio: 'ignore',
  })
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  started.push(pid)
  return pid
}

test('off kills the daemon, the agents and the services of a node, and nothing of another', async () => {
  const daemon = await processOf({ SYSTOLE_ROOT: join(folder, 'alpha') })
  const service = await processOf({ SYSTOLE_TOOLS_SOCKET: join(folder, 'alpha/run/systole/tools.sock') })
  const other = await processOf({ SYSTOLE_ROOT: join(folder, 'beta') })
  const alike = await processOf({ SYSTOLE_ROOT: join(folder, 'alpha2') })
  expect(await ask('status')).toMatchObject({ succeeded: true, power: 'on' })
  expect(await ask('off')).toMatchObject({ succeeded: true })
  expect(await ask('status')).toMatchObject({ succeeded: true, power: 'off' })
  expect([daemon, service].map(processStart)).toEqual([undefined, undefined])
  expect([other, alike].map((pid) => processStart(pid) !== undefined)).toEqual([true, true])
})

test('off and on leave word for whoever runs the demonstration', async () => {
  await ask('off')
  expect(readFileSync(join(folder, 'alpha.power'), 'utf8')).toBe('off\n')
  await ask('on')
  expect(readFileSync(join(folder, 'alpha.power'), 'utf8')).toBe('on\n')
})

test('a node that is not there cannot be fenced', async () => {
  expect(await ask('off', 'gamma')).toMatchObject({
    succeeded: false,
    message: expect.stringContaining('no node gamma'),
  })
  expect(await ask('off', '../alpha')).toMatchObject({ succeeded: false })
})

test('it lists its nodes', async () => {
  expect((await ask('list')).output).toBe('alpha,\nbeta,\n')
})
