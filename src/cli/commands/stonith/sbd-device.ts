/** SBD's disks themselves: set up and written to by Debian's `sbd` of this host, as pcs does it. */
import { execFileSync } from 'node:child_process'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { watchdogSettingOf } from '../../facts/watchdog-setting.ts'
import { expectWords } from '../../grammar/words.ts'

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
  summary: 'Initialize shared disks for SBD; all data on them is lost',
  details:
    'Runs `sbd create` on this host for up to three disks, after confirmation. The header of each disk holds the timeouts for all nodes: 5 s for the watchdog, and msgwait, after which a message counts as delivered (default: twice the watchdog timeout, 10 s). A node that already reads the disk allocates a slot again and uses the new timeouts.',
  examples: ['systole stonith sbd device setup device=/dev/disk/by-id/wwn-0x5000c5 watchdog-timeout=10'],
  flags: [
    { name: 'force', summary: 'Do not ask for confirmation' },
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
    const text = devices.map((device) => `Initialized ${device} for SBD.\n`).join('')
    return done(`${text}Next: systole stonith sbd enable ${devices.map((device) => `device=${device}`).join(' ')}\n`, {
      devices,
      times: Object.fromEntries(times),
    })
  },
}

export const sbdDeviceMessage: Command = {
  path: ['stonith', 'sbd', 'device', 'message'],
  usage: '<path> <node> <message>',
  summary: 'Write a message for a node to one of its disks',
  details:
    "The messages are test (the node logs and deletes it), reset, off, crashdump, exit (the node stops reading its disks and feeding its watchdog) and clear. The command takes msgwait, after which a message counts as delivered. The cluster does not take a message as proof that the node was fenced: use 'stonith fence' for that.",
  examples: ['systole stonith sbd device message /dev/disk/by-id/wwn-0x5000c5 n2 test'],
  completes: ['file', 'node', { words: messages }],
  run: (call) => {
    expectWords(call.words, { atLeast: 3, atMost: 3, usage: 'stonith sbd device message <path> <node> <message>' })
    const [device = '', node = '', message = ''] = call.words
    if (!messages.includes(message))
      throw new Refusal(`'${message}' is not a message. The messages are ${messages.join(', ')}.`)
    refuseRelative(device)
    sbd(['-d', device, 'message', node, message])
    return Promise.resolve(done(`Wrote '${message}' for ${node} to ${device}.\n`, { device, node, message }))
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
    else if (!timeOptions.has(name)) throw new Refusal(`'${name}' is not a disk option. Use ${setupUsage}.`)
    else if (/^[1-9]\d*$/.test(value)) times.set(name, Number(value))
    else throw new Refusal(`${name}=${value} is not a whole number of seconds above 0.`)
  }
  for (const device of devices) refuseRelative(device)
  if (devices.length === 0 || devices.length > 3)
    throw new Refusal(`Specify one to three disks (${devices.length} given): device=<path>.`)
  // sbd would write 10 s beside any time of the watchdog.
  const watchdog = times.get('watchdog-timeout')
  const msgwait = times.get('msgwait-timeout') ?? (watchdog === undefined ? 10 : 2 * watchdog)
  if (msgwait < 2 * (watchdog ?? 5))
    throw new Refusal(
      `A msgwait-timeout of ${msgwait} s is too short for a watchdog timeout of ${watchdog ?? 5} s: a node is reliably reset only after twice that time.`,
    )
  if (watchdog !== undefined) times.set('msgwait-timeout', msgwait)
  return { devices, times }
}

function refuseRelative(device: string): void {
  if (!device.startsWith('/'))
    throw new Refusal(`The disk '${device}' is not an absolute path, such as /dev/disk/by-id/….`)
}

async function ask(call: Call, devices: readonly string[]): Promise<void> {
  const question = `All data on ${devices.join(', ')} will be lost. Proceed?`
  const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question))
  if (sure === undefined)
    throw new Refusal(`All data on ${devices.join(', ')} would be lost: answer at a terminal, or add --force.`)
  if (!sure) throw new Refusal('Nothing was changed.')
}

/** What it prints. It tells its reasons the system's log only, but for the device that it cannot use. */
function sbd(words: readonly string[]): string {
  try {
    return execFileSync('sbd', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Refusal('The program sbd is not installed on this host. Install the package sbd.')
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n')[0] : ''
    throw new Refusal(
      `sbd failed: ${said || 'unknown error'}. Check that the path is a disk of this host (not a file), initialized for SBD, with a slot for the node. The system log may show more.`,
    )
  }
}
