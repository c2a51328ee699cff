/**
 * Whether a watchdog resets this machine in earnest: it is opened, which starts it, and is not fed. The rules are those of the kernel's
 * Documentation/watchdog/watchdog-api: a `V` before the close stops it, and a close without one, such as the end of this process, does not.
 */

import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, statSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { reasonOf } from '../../../base/index.ts'
import { type Call, type Command, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { kernelWatchdogs } from './kernel-watchdogs.ts'

export const sbdWatchdogTest: Command = {
  path: ['stonith', 'sbd', 'watchdog', 'test'],
  usage: '[<watchdog path>] [--yes]',
  summary: 'Test the watchdog: reset this machine with it',
  details:
    "Opens the watchdog without feeding it. If it works, the machine is reset within the watchdog timeout, without a shutdown. If not, the command fails after twice that time. A watchdog in use by systoled or systemd cannot be opened: run 'stonith sbd disable' first, or test it with kill -STOP on systoled.",
  examples: ['systole stonith sbd watchdog test /dev/watchdog --yes'],
  flags: [
    { name: 'yes', summary: 'Do not ask for confirmation' },
    { name: 'force', summary: 'The same as --yes' },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'stonith sbd watchdog test [<watchdog path>]' })
    const watchdog = chooseWatchdog(call.words[0])
    await ask(call, watchdog)
    // What was written to files before is not to be lost with it.
    execFileSync('sync')
    const opened = openWatchdog(watchdog.device)
    const waitMs = 2 * (watchdog.timeoutMs ?? unknownTimeoutMs)
    call.terminal.progress(`${watchdog.device} is armed and not fed: waiting ${waitMs / 1000} s for the reset …`)
    await delay(waitMs)
    writeSync(opened, 'V')
    closeSync(opened)
    throw new Refusal(
      `${watchdog.device} did not reset this machine within ${waitMs / 1000} s: do not rely on it. It was disarmed if its driver allows that.`,
    )
  },
}

interface Watchdog {
  readonly device: string
  readonly timeoutMs: number | undefined
}

/** The kernel's own default, and what drivers that do not tell have at most. */
const unknownTimeoutMs = 60_000

function chooseWatchdog(path: string | undefined): Watchdog {
  const known = kernelWatchdogs().map(({ device, timeout }): Watchdog => {
    const seconds = Number(timeout)
    return { device, timeoutMs: seconds > 0 ? seconds * 1000 : undefined }
  })
  if (path === undefined) {
    const [only, ...others] = known
    if (only === undefined)
      throw new Refusal('This machine has no watchdog device. Load the driver of its hardware watchdog, or softdog.')
    if (others.length > 0)
      throw new Refusal(`There are several watchdogs. Specify one of ${known.map(({ device }) => device).join(', ')}.`)
    return only
  }
  // The name from when there was only one.
  const found = known.find(({ device }) => device === (path === '/dev/watchdog' ? '/dev/watchdog0' : path))
  if (found) return { ...found, device: path }
  // A pipe to a program that resets the machine.
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO() === true) return { device: path, timeoutMs: undefined }
  throw new Refusal(`'${path}' is not a watchdog of this machine. 'stonith sbd watchdog list' lists them.`)
}

async function ask(call: Call, { device }: Watchdog): Promise<void> {
  const question = `This resets this machine with ${device}, without a shutdown. Proceed?`
  const sure = call.flags.has('yes') || call.flags.has('force') || (await call.terminal.confirm(question))
  if (sure === undefined)
    throw new Refusal(`The test of ${device} resets this machine: answer at a terminal, or add --yes.`)
  if (!sure) throw new Refusal('Nothing was changed.')
}

function openWatchdog(device: string): number {
  try {
    return openSync(device, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EBUSY')
      throw new Refusal(
        `${device} is already in use by systoled (stonith sbd disable) or systemd (RuntimeWatchdogSec).`,
      )
    throw new Refusal(`${device} cannot be opened: ${reasonOf(error)}.`)
  }
}
