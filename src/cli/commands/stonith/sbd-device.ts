/** SBD's disks themselves: set up and written to by Debian's `sbd` of this host, as pcs does it. */
import { execFileSync } from 'node:child_process'
import { type Call, type Command, done, Refusal } from '../../command.ts'
import { liveCluster } from '../../live.ts'
import { expectWords } from '../../words.ts'
import { watchdogSettingOf } from './watchdog-setting.ts'

/** sbd(8): the number by which each time is given. */
const timeOptions: ReadonlyMap<string, string> = new Map([
  ['watchdog-timeout', '-1'],
  ['allocate-timeout', '-2'],
  ['loop-timeout', '-3'],
  ['msgwait-timeout', '-4'],
])
const messages = ['test', 'reset', 'off', 'crashdump', 'exit', 'clear']

const setupUsage =
  'device=<path> [device=<path>]... [watchdog-timeout=<seconds>] [allocate-timeout=<seconds>] [loop-timeout=<seconds>] [msgwait-timeout=<seconds>]'

export const sbdDeviceSetup: Command = {
  path: ['stonith', 'sbd', 'device', 'setup'],
  usage: setupUsage,
  summary: 'Prepare shared disks for SBD’s messages; what is on them is lost',
  details:
    'Runs `sbd create` on this host, for up to three disks. It asks first. The times stand in the header of each disk, for all nodes: 5 s for the watchdog, and a message counts as delivered after msgwait, which is twice the watchdog’s time and 10 s unless it is set. A node that reads the disk already takes a slot anew, and the new times.',
  examples: ['systole stonith sbd device setup device=/dev/disk/by-id/wwn-0x5000c5 watchdog-timeout=10'],
  flags: [
    { name: 'force', summary: 'Do not ask' },
    { name: 'yes', summary: 'The same as --force' },
  ],
  run: async (call) => {
    const { devices, times } = readSetup(call.words)
    await ask(call, devices)
    const named = devices.flatMap((device) => ['-d', device])
    sbd([
      ...named,
      ...[...times].flatMap(([name, seconds]) => [timeOptions.get(name) ?? '', String(seconds)]),
      'create',
    ])
    const text = devices.map((device) => `${device} is set up for SBD.\n`).join('')
    return done(`${text}Next: systole stonith sbd enable ${devices.map((device) => `device=${device}`).join(' ')}\n`, {
      devices,
      times: Object.fromEntries(times),
    })
  },
}

export const sbdDeviceMessage: Command = {
  path: ['stonith', 'sbd', 'device', 'message'],
  usage: '<path> <node> <message>',
  summary: 'Leave a message for a node on one of its disks by hand',
  details:
    'The messages are test (the node logs it and takes it away), reset, off, crashdump, exit (the node reads its disks and feeds its watchdog no more) and clear. It takes the time after which a message counts as delivered (msgwait). That a node was sent one is no proof for the cluster: stonith fence is.',
  examples: ['systole stonith sbd device message /dev/disk/by-id/wwn-0x5000c5 n2 test'],
  completes: ['file', 'node', { words: messages }],
  run: (call) => {
    expectWords(call.words, { atLeast: 3, atMost: 3, usage: 'stonith sbd device message <path> <node> <message>' })
    const [device = '', node = '', message = ''] = call.words
    if (!messages.includes(message))
      throw new Refusal(`'${message}' is no message: it is one of ${messages.join(', ')}.`)
    refuseRelative(device)
    sbd(['-d', device, 'message', node, message])
    return Promise.resolve(done(`'${message}' was left for ${node} on ${device}.\n`, { device, node, message }))
  },
}

/** As sbd shows a disk of this host; what is wrong where it cannot be read. */
export function headerAndSlots(disk: string): { readonly disk: string; readonly text: string } {
  const show = (command: string): string => {
    try {
      return sbd(['-d', disk, command])
    } catch (error) {
      if (error instanceof Refusal) return `${error.message}\n`
      throw error
    }
  }
  const text = `Messages list on device '${disk}':\n\n${show('list')}\nSBD header on device '${disk}':\n\n${show('dump')}`
  return { disk, text }
}

/** Those that the configuration names for it. */
export async function disksOfThisHost(call: Call): Promise<readonly string[]> {
  const { localNode } = await liveCluster(call).getState({})
  return watchdogSettingOf((await call.cluster.readCib()).cib).disks.get(localNode) ?? []
}

function readSetup(words: readonly string[]): {
  readonly devices: readonly string[]
  readonly times: ReadonlyMap<string, number>
} {
  const devices: string[] = []
  const times = new Map<string, number>()
  for (const word of words) {
    const [name = '', ...rest] = word.split('=')
    const value = rest.join('=')
    if (name === 'device') devices.push(value)
    else if (!timeOptions.has(name)) throw new Refusal(`'${name}' is no option of a disk: use ${setupUsage}.`)
    else if (/^[1-9]\d*$/.test(value)) times.set(name, Number(value))
    else throw new Refusal(`${name}=${value} is no whole number of seconds above 0.`)
  }
  for (const device of devices) refuseRelative(device)
  if (devices.length === 0 || devices.length > 3)
    throw new Refusal(`One to three disks are set up at once, and here are ${devices.length}: device=<path>.`)
  // sbd would write 10 s beside any time of the watchdog.
  const watchdog = times.get('watchdog-timeout')
  const msgwait = times.get('msgwait-timeout') ?? (watchdog === undefined ? 10 : 2 * watchdog)
  if (msgwait < 2 * (watchdog ?? 5))
    throw new Refusal(
      `A msgwait-timeout of ${msgwait} s is too short for a watchdog of ${watchdog ?? 5} s: it takes twice that time until a node has surely been reset.`,
    )
  if (watchdog !== undefined) times.set('msgwait-timeout', msgwait)
  return { devices, times }
}

function refuseRelative(device: string): void {
  if (!device.startsWith('/')) throw new Refusal(`The disk '${device}' is no absolute path, such as /dev/disk/by-id/….`)
}

async function ask(call: Call, devices: readonly string[]): Promise<void> {
  const question = `All that is on ${devices.join(', ')} will be lost. Proceed?`
  const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question))
  if (sure === undefined)
    throw new Refusal(`All that is on ${devices.join(', ')} would be lost: answer at a terminal, or add --force.`)
  if (!sure) throw new Refusal('Nothing was changed.')
}

/** What it prints. It tells its reasons the system's log only, but for the device that it cannot use. */
function sbd(words: readonly string[]): string {
  try {
    return execFileSync('sbd', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Refusal('The program sbd is not installed on this host: install the package sbd.')
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : ''
    throw new Refusal(
      `sbd could not do it: ${said || 'it did not say why'}. Is it a disk of this host (and not a file), set up for SBD, with a slot for the node? The system’s log says more.`,
    )
  }
}
