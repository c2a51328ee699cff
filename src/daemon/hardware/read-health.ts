/**
 * Reads how this machine is: with ipmitool (through /dev/ipmi0, else over the network with what the node's own fence device has), with smartctl, and
 * from the kernel. Each program is a child with a time limit; what does not answer is not known.
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import * as v from 'valibot'
import type { Configuration, PrimitiveDefinition } from '../../cib/index.ts'
import { primitiveDefinitions } from '../../cib/index.ts'
import {
  conditionsOfSensors,
  diskCondition,
  filesystemCondition,
  type HealthReading,
  type LinkCounters,
  linkCondition,
  memoryCondition,
  mountedFilesystems,
} from '../../hardware/index.ts'

const programMs = 20_000
const longestOutput = 1024 * 1024
const mostDisks = 64

export interface BmcAccess {
  readonly arguments: readonly string[]
  readonly password?: string
}

/** What the next reading compares with. */
export interface HealthMemory {
  readonly writable: Set<string>
  links: ReadonlyMap<string, LinkCounters>
}

export const emptyMemory = (): HealthMemory => ({ writable: new Set(), links: new Map() })

/** Of this machine: what its BMC says, where it has one that is reached so, and what its kernel and its disks say. */
export async function readHealth(access: BmcAccess | undefined, memory: HealthMemory): Promise<HealthReading> {
  return { ...(await readBmc(access)), ...(await readHost(memory)) }
}

/** What a BMC says of its machine, which need not be this one. */
export async function readBmc(access: BmcAccess | undefined): Promise<HealthReading> {
  const sensors = access && (await output('ipmitool', [...access.arguments, 'sdr', 'elist'], access.password))
  const events = access && (await output('ipmitool', [...access.arguments, 'sel', 'elist'], access.password))
  return {
    ...(sensors === undefined ? {} : conditionsOfSensors(sensors)),
    ...(events === undefined ? {} : { memory: memoryCondition(events) }),
  }
}

async function readHost(memory: HealthMemory): Promise<HealthReading> {
  const disks = await smartStatuses()
  const links = linkCounters()
  const before = memory.links
  memory.links = links
  const mounted = mountedFilesystems(readFileSync('/proc/self/mounts', 'utf8'))
  const filesystems = filesystemCondition(mounted, memory.writable)
  for (const { source, isReadOnly } of mounted) if (!isReadOnly) memory.writable.add(source)
  return {
    ...(disks === undefined ? {} : { disks: diskCondition(disks) }),
    filesystems,
    links: linkCondition(before, links),
  }
}

/** Its output; undefined where it is not there, fails or takes too long. The password is in the environment, not among the arguments. */
async function output(program: string, words: readonly string[], password?: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile(
      program,
      words,
      {
        timeout: programMs,
        killSignal: 'SIGKILL',
        maxBuffer: longestOutput,
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          LC_ALL: 'C',
          ...(password === undefined ? {} : { IPMI_PASSWORD: password }),
        },
      },
      (error, stdout) => {
        // An event log without entries prints nothing, and smartctl's exit code is a set of bits.
        if (program === 'ipmitool') resolve(error === null ? stdout : undefined)
        else resolve(stdout === '' ? undefined : stdout)
      },
    )
  })
}

const scanForm = v.object({ devices: v.optional(v.array(v.object({ name: v.string(), type: v.string() })), []) })
const statusForm = v.object({ smart_status: v.optional(v.object({ passed: v.boolean() })) })

/** Undefined without smartctl. A disk that sleeps is left asleep. */
async function smartStatuses(): Promise<ReadonlyMap<string, boolean> | undefined> {
  const scanned = parse(scanForm, await output('smartctl', ['--scan', '--json']))
  if (scanned === undefined) return undefined
  const statuses = new Map<string, boolean>()
  for (const { name, type } of scanned.devices.slice(0, mostDisks)) {
    if (!/^\/dev\/[\w/-]+$/.test(name) || !/^[\w,+-]+$/.test(type)) continue
    const told = await output('smartctl', ['--health', '--json', '--nocheck=standby', `--device=${type}`, name])
    const passed = parse(statusForm, told)?.smart_status?.passed
    if (passed !== undefined) statuses.set(name, passed)
  }
  return statuses
}

function parse<Form extends v.GenericSchema>(form: Form, text: string | undefined): v.InferOutput<Form> | undefined {
  if (text === undefined) return undefined
  try {
    const parsed = v.safeParse(form, JSON.parse(text))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

function linkCounters(): ReadonlyMap<string, LinkCounters> {
  const folder = '/sys/class/net'
  const counters = new Map<string, LinkCounters>()
  for (const name of names(folder).filter((one) => existsSync(`${folder}/${one}/device`))) {
    const count = (what: string): number => Number(text(`${folder}/${name}/statistics/${what}`)) || 0
    counters.set(name, {
      packets: count('rx_packets') + count('tx_packets'),
      errors: count('rx_errors') + count('tx_errors'),
    })
  }
  return counters
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const lanAgents = [
  'fence_ipmilan',
  'fence_ipmilanplus',
  'fence_idrac',
  'fence_ilo3',
  'fence_ilo4',
  'fence_ilo5',
  'fence_imm',
]

/** How this node reaches its own BMC; undefined where nothing says so. */
export const bmcAccess = (node: string, configuration: Configuration): BmcAccess | undefined =>
  ownBmc() ?? bmcOfFenceDevice(node, configuration)

/** The BMC of this machine, where its kernel has the driver. */
export const ownBmc = (): BmcAccess | undefined =>
  ['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0'].some(existsSync) ? { arguments: ['-I', 'open'] } : undefined

/** A device that fences this node alone is its BMC. */
export function bmcOfFenceDevice(node: string, configuration: Configuration): BmcAccess | undefined {
  for (const device of configuration.resources.flatMap(primitiveDefinitions)) {
    if (device.agent.class !== 'stonith' || !lanAgents.includes(device.agent.type)) continue
    const parameter = parametersOf(device)
    if (parameter('pcmk_host_list')?.trim() !== node) continue
    const address = parameter('ip') ?? parameter('ipaddr')
    const user = parameter('username') ?? parameter('login')
    const password = parameter('password') ?? parameter('passwd')
    const cipher = parameter('cipher')
    const port = parameter('ipport')
    if (!/^[A-Za-z0-9.:][A-Za-z0-9.:-]*$/.test(address ?? '') || password === undefined) continue
    const isPlus = device.agent.type !== 'fence_ipmilan' || /^(?:1|true|yes|on)$/i.test(parameter('lanplus') ?? '')
    return {
      arguments: [
        ...['-I', isPlus ? 'lanplus' : 'lan', '-H', address ?? '', '-E', '-L', 'USER'],
        ...(user === undefined ? [] : ['-U', user]),
        ...(cipher !== undefined && /^\d{1,3}$/.test(cipher) ? ['-C', cipher] : []),
        ...(port !== undefined && /^\d{1,5}$/.test(port) ? ['-p', port] : []),
      ],
      password,
    }
  }
  return undefined
}

const parametersOf =
  ({ parameters }: PrimitiveDefinition) =>
  (name: string): string | undefined =>
    parameters.flatMap(({ rule, pairs }) => (rule === undefined ? pairs : [])).find((pair) => pair.name === name)?.value
