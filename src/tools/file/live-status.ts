/** crm_mon that goes on: on the terminal, into a file, or in the background with its process id in another file (ClusterMon). */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseDurationMs, printable } from '../../base/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { type GivenOption, hasOption, optionValue } from '../options.ts'
import type { ToolReply } from '../reply.ts'
import type { ToolCall } from '../tool.ts'
import { eventWatch, type Sources } from './external-agent.ts'
import { writeCallersFile } from './write-file.ts'

const defaultIntervalMs = 5000
const clearScreen = '\u001b[H\u001b[2J'
/** Set for the process that goes on in the background. */
const inBackground = 'SYSTOLE_CRM_MON_BACKGROUND'

export async function repeatStatus(
  call: ToolCall,
  given: readonly GivenOption[],
  { ask, sources }: { readonly ask: () => Promise<ToolReply>; readonly sources: Sources },
): Promise<number> {
  if (hasOption(given, 'daemonize') && process.env[inBackground] === undefined) return await goToBackground(call, given)
  const pidFile = optionValue(given, 'pid-file')
  if (pidFile !== undefined) writeCallersFile(pidFile, `${process.pid}\n`, { anybodyMayRead: true })
  const end = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => end.abort())
  const intervalMs = parseDurationMs(optionValue(given, 'interval') ?? '') ?? defaultIntervalMs
  const program = optionValue(given, 'external-agent')
  const watch =
    program === undefined
      ? undefined
      : eventWatch({ program, recipient: optionValue(given, 'external-recipient') ?? '' }, sources)
  while (!end.signal.aborted) {
    // A cluster that is not there is shown as such, and looked for again.
    const reply = await ask().catch((error: unknown) => ({ exitCode: 1, output: '', errors: `${String(error)}\n` }))
    await watch?.()
    if (process.stdout.isTTY) process.stdout.write(clearScreen)
    process.stdout.write(printable(reply.output))
    process.stderr.write(printable(reply.errors))
    await delay(Math.max(intervalMs, 100), undefined, { signal: end.signal }).catch(() => undefined)
  }
  if (pidFile !== undefined) rmSync(pidFile, { force: true })
  return exitCodes.ok
}

/** The caller goes on at once; whoever asked for a pid file finds it written. */
async function goToBackground(call: ToolCall, given: readonly GivenOption[]): Promise<number> {
  if (!['as-html', 'output-to', 'external-agent'].some((name) => hasOption(given, name))) {
    process.stderr.write('crm_mon: --daemonize requires at least one of --output-to, --as-html and --external-agent\n')
    return exitCodes.usage
  }
  const [program = '', script = ''] = process.argv
  const child = spawn(program, [script, call.tool, ...call.arguments], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, [inBackground]: '1' },
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', () => resolve())
    child.once('error', reject)
  })
  const pidFile = optionValue(given, 'pid-file')
  if (pidFile !== undefined) writeCallersFile(pidFile, `${child.pid}\n`, { anybodyMayRead: true })
  child.unref()
  return exitCodes.ok
}
