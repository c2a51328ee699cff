import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { monotonicMs, nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import {
  type Announcement,
  DeviceServer,
  type FenceDevice,
  type FenceHost,
  type FencingDemand,
  type FencingEffect,
  type FencingInput,
  fenceDeviceRunner,
  initialFencing,
  readFenceDevices,
  runDevice,
  stepFencing,
  usedFenceAgents,
} from '../../src/fencing/index.ts'
import { type AgentMetadata, metadataReader } from '../../src/resource-agents/index.ts'
import { Bmc, bmcPassword, bmcUser } from './bmc.ts'

const host: FenceHost = {
  ocfRoot: '/usr/lib/ocf',
  moreAgentFolders: [],
  toolsFolder: '/nonexistent',
  toolsSocket: '/nonexistent',
  runFolder: join(tmpdir(), 'systole-unused'),
  fenceFolders: [],
}

let bmc: Bmc
beforeEach(async () => {
  bmc = new Bmc()
  await bmc.start()
})
afterEach(() => bmc.close())

/** The device as the configuration has it, its agent's real metadata read. */
async function ipmi(more: Readonly<Record<string, string>> = {}): Promise<FenceDevice> {
  const parameters = {
    ip: '127.0.0.1',
    ipport: String(bmc.port),
    username: bmcUser,
    password: bmcPassword,
    lanplus: '1',
    cipher: '3',
    power_wait: '0',
    pcmk_host_list: 'alpha',
    ...more,
  }
  const pairs = Object.entries(parameters).map(
    ([name, value]) => `<nvpair id="p-${name}" name="${name}" value="${value}"/>`,
  )
  const cib = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
    <primitive id="ipmi-alpha" class="stonith" type="fence_ipmilan">
      <instance_attributes id="a">${pairs.join('')}</instance_attributes>
    </primitive></resources><constraints/></configuration><status/></cib>`)
  if (!cib.ok) throw new Error('bad test')
  const configuration = readConfiguration(cib.value)
  const metadata = new Map<string, AgentMetadata>()
  for (const type of usedFenceAgents(configuration)) {
    const answer = await metadataReader(host)({ class: 'stonith', type })
    if (answer.ok) metadata.set(type, answer.value)
  }
  const [device] = readFenceDevices(configuration, { metadata })
  if (!device) throw new Error('there is no device')
  return device
}

type FencingProgress = Extract<FencingEffect, { kind: 'record' }>['progress']

interface Fenced {
  readonly result: Announcement
  readonly history: readonly FencingProgress[]
  readonly tookMs: number
}

async function fence(device: FenceDevice, more: Partial<FencingDemand> = {}): Promise<Fenced> {
  const history: FencingProgress[] = []
  const server = new DeviceServer(host)
  server.configure([device])
  const began = performance.now()
  const result = await new Promise<Announcement>((resolve) => {
    let state = initialFencing
    const feed = (input: FencingInput): void => {
      const step = stepFencing(state, input, monotonicMs(performance.now()))
      state = step.state
      for (const effect of step.effects) perform(effect)
    }
    const perform = (effect: FencingEffect): void => {
      if (effect.kind === 'announce') resolve(effect)
      else if (effect.kind === 'record') {
        history.push(effect.progress)
        const { id, outcome } = effect.progress
        queueMicrotask(() => feed({ kind: 'recorded', id, outcome, written: true }))
      } else
        void server.run(effect).then((told) => {
          if (told.kind === 'old-term') throw new Error('old term')
          feed({ kind: 'device-answered', call: effect.call, answer: told.answer })
        })
    }
    feed({ kind: 'configured', setup: { devices: [device], topology: [], concurrent: true } })
    feed({
      kind: 'demanded',
      demand: {
        id: 'f1',
        target: nodeName('alpha'),
        attributes: new Map(),
        action: 'off',
        term: 1,
        timeoutMs: 20_000,
        delayMs: 0,
        random: 0,
        runners: [nodeName('beta')],
        reason: 'test',
        client: 'test',
        ...more,
      },
    })
  })
  return { result, history, tookMs: performance.now() - began }
}

test('fence_ipmilan switches a node off, which its status then confirms', async () => {
  const { result, history, tookMs } = await fence(await ipmi())
  expect(result).toMatchObject({ outcome: 'succeeded', target: 'alpha' })
  expect(bmc.power).toBe('off')
  expect(history.map(({ outcome }) => outcome)).toEqual(['pending', 'succeeded'])
  expect(history[1]).toMatchObject({ device: 'ipmi-alpha', executedBy: 'beta', client: 'test' })
  console.info(`off confirmed after ${Math.round(tookMs)} ms`)
})

test('a reboot is told when the node is off, and ends with the node on', async () => {
  const { result } = await fence(await ipmi(), { action: 'reboot' })
  expect(result.outcome).toBe('succeeded')
  expect(bmc.power).toBe('off')
  await expect.poll(() => bmc.power, { timeout: 10_000 }).toBe('on')
})

test('method=cycle, which proves nothing, is not what a reboot rests on', async () => {
  const { result } = await fence(await ipmi({ method: 'cycle' }), { action: 'reboot' })
  expect(result.outcome).toBe('succeeded')
  expect(bmc.power).toBe('off')
  await expect.poll(() => bmc.power, { timeout: 10_000 }).toBe('on')
})

test('a wrong password is a failure whose message does not hold it', async () => {
  const { result } = await fence(await ipmi({ password: 'wrong-secret', pcmk_off_retries: '1' }))
  expect(result.outcome).toBe('failed')
  expect(result.message).toContain('ipmi-alpha on beta: off failed')
  expect(result.message).not.toContain('wrong-secret')
  expect(bmc.power).toBe('on')
})

test('a controller that is dead is a failure within the time limit', async () => {
  const device = await ipmi({ pcmk_off_timeout: '3s' })
  await bmc.die()
  const { result, tookMs } = await fence(device)
  expect(result.outcome).toBe('failed')
  expect(tookMs).toBeLessThan(10_000)
})

test('a controller that cannot switch the power is a failure', async () => {
  const device = await ipmi({ pcmk_off_retries: '1', pcmk_off_timeout: '8s' })
  bmc.breakHook(true)
  expect((await fence(device)).result.outcome).toBe('failed')
  expect(bmc.power).toBe('on')
})

test('a controller that says it did, and did not, is a failure', async () => {
  const device = await ipmi({ pcmk_off_retries: '1', pcmk_off_timeout: '8s' })
  bmc.breakHook('deaf')
  expect((await fence(device)).result.outcome).toBe('failed')
})

test('the password is in no argument or environment of the agent', async () => {
  const device = await ipmi()
  const seen: string[] = []
  const watching = setInterval(() => seen.push(...agentsSecrets()), 5)
  await runDevice({ device, action: 'status', target: 'alpha', timeoutMs: 20_000 }, host)
  clearInterval(watching)
  expect(seen).toEqual([])
})

/** Our own children that are fence agents and show the password to others. */
function agentsSecrets(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [args, env] = ['cmdline', 'environ'].map((file) => readProc(pid, file))
      return args?.includes('fence_ipmilan') && (args + env).includes(bmcPassword) ? [args] : []
    })
}

/** Processes end while they are looked at. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    if (error instanceof Error) return ''
    throw error
  }
}

test('a device is started and monitored as a resource, and fails when its controller does not answer', async () => {
  const device = await ipmi()
  const runner = fenceDeviceRunner(() => device, host)
  const call = { agent: { class: 'stonith', type: 'fence_ipmilan' }, resource: device.id, timeoutMs: 20_000 }
  const run = (operation: string, attributes = {}) => runner.run({ ...call, operation, attributes }).finished
  expect(await run('monitor')).toMatchObject({ status: 'done', exitCode: 7 })
  expect(await run('start')).toMatchObject({ status: 'done', exitCode: 0 })
  expect(await run('monitor')).toMatchObject({ status: 'done', exitCode: 0 })
  expect(await run('monitor', { CRM_meta_interval: '60000' })).toMatchObject({ status: 'done', exitCode: 0 })
  await bmc.die()
  const failed = await runner.run({
    ...call,
    operation: 'monitor',
    timeoutMs: 3000,
    attributes: { CRM_meta_interval: '60000' },
  }).finished
  expect(failed).toMatchObject({ exitCode: 1 })
  expect(await run('stop')).toMatchObject({ exitCode: 0 })
  expect(await run('monitor')).toMatchObject({ exitCode: 7 })
})

test('a command of an old term is refused by the node that would run the device', async () => {
  const server = new DeviceServer(host)
  server.configure([await ipmi()])
  const command = {
    id: 'f',
    device: 'ipmi-alpha',
    action: 'status',
    target: nodeName('alpha'),
    timeoutMs: 20_000,
  } as const
  expect(await server.run({ ...command, term: 7 })).toMatchObject({ kind: 'answered', answer: { power: 'on' } })
  expect(await server.run({ ...command, term: 6 })).toEqual({ kind: 'old-term', highestTerm: 7 })
})
