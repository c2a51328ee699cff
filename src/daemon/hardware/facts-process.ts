/**
 * Reads what this machine is and prints it as one line of JSON. It is a process of its own, of the lowest priority: it starts a dozen programs, and any
 * of them may hang with the hardware that it asks. The daemon kills the whole group when the time is over; it ends by itself when the daemon is gone.
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { arch, release, setPriority } from 'node:os'
import { promisify } from 'node:util'
import { blockDevices, cpu, bios as firmware, mem, memLayout, osInfo, system } from 'systeminformation'
import type { HardwareReading } from '../../hardware/index.ts'
import { bmcAddressIn } from './bmc-address.ts'

const eachMs = 15_000
const lowest = 19

setPriority(lowest)
process.stdin.on('end', () => endGroup())
process.stdin.on('error', () => endGroup())
process.stdin.resume()

const reading = await read()
process.stdout.write(`${JSON.stringify(reading)}\n`, () => endGroup())

/** One after the other: nobody waits for them, and the machine has other work. */
async function read(): Promise<HardwareReading> {
  const processor = await inTime(cpu())
  const memory = await inTime(mem())
  const modules = await inTime(memLayout())
  const disks = await inTime(blockDevices())
  const machine = await inTime(system())
  const bios = await inTime(firmware())
  const os = await inTime(osInfo())
  return {
    cpus: processor?.cores,
    cores: processor?.physicalCores,
    sockets: processor?.processors,
    cpuModel: processor && `${processor.manufacturer} ${processor.brand}`,
    memoryBytes: memory?.total,
    moduleBytes: modules?.reduce((bytes, { size }) => bytes + size, 0),
    diskBytes: disks
      ?.filter(
        ({ name, type, size, removable }) =>
          type === 'disk' && size > 0 && !removable && !/^(zram|ram|nbd)\d/.test(name),
      )
      .map(({ size }) => size),
    nicSpeeds: nicSpeeds(),
    vendor: machine?.manufacturer,
    model: machine?.model,
    firmware: bios && `${bios.vendor} ${bios.version}`,
    os: os && [os.distro, os.release].filter((part) => part !== 'unknown').join(' '),
    kernel: release(),
    architecture: arch(),
    virtual: machine && (machine.virtual ? machine.virtualHost || 'yes' : isGuest() ? 'yes' : 'no'),
    bmcAddress: await bmcAddress(),
  }
}

/** What does not come, or not in time, is not known. */
async function inTime<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), eachMs)
  })
  const value = await Promise.race([asked.catch(() => undefined), late])
  clearTimeout(timer)
  return value
}

/** Interfaces of hardware only, by the kernel's own list: a hypervisor has hundreds of others, for each of which a program would be started. */
function nicSpeeds(): readonly number[] | undefined {
  const folder = '/sys/class/net'
  try {
    return readdirSync(folder)
      .filter((name) => existsSync(`${folder}/${name}/device`))
      .map((name) => speedOf(`${folder}/${name}/speed`))
  } catch {
    return undefined
  }
}

/** Without a carrier the kernel refuses to say, or says -1. */
function speedOf(file: string): number {
  try {
    return Math.max(0, Number(readFileSync(file, 'utf8')) || 0)
  } catch {
    return 0
  }
}

function isGuest(): boolean {
  try {
    return /^flags\s*:.*\bhypervisor\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'))
  } catch {
    return false
  }
}

async function bmcAddress(): Promise<string | undefined> {
  if (!['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0'].some(existsSync)) return undefined
  const { stdout } = await promisify(execFile)('ipmitool', ['-I', 'open', 'lan', 'print'], {
    timeout: eachMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024,
  }).catch(() => ({ stdout: '' }))
  return bmcAddressIn(stdout)
}

function endGroup(): void {
  process.kill(0, 'SIGKILL')
}
