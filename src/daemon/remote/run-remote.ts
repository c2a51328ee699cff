/** The program `systoled --remote`: joins (`--join`), leaves (`--leave`), or runs until it is ended. */
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { OutsideError, printable } from '../../base/index.ts'
import { RefusedError, refuse } from '../../rpc/index.ts'
import { callDaemon } from '../../tools/index.ts'
import { agentToolsSocket } from '../host/agent-tools-socket.ts'
import { readIfThere } from '../host/files.ts'
import { takeLock } from '../host/lock.ts'
import { openLog } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { unexpectedEnd } from '../host/unexpected-end.ts'
import { joinAsRemote } from '../joining/enrol.ts'
import { ownName } from '../node-list/own-name.ts'
import { readIdentity } from '../pki/identity.ts'
import { RemoteDaemon } from './remote-daemon.ts'

export async function runRemote(paths: Paths, words: readonly string[]): Promise<void> {
  try {
    if (words.includes('--join')) await join(paths, words)
    else if (words.includes('--leave')) await leave(paths)
    else await serve(paths)
  } catch (error) {
    // A mistake of the caller's, or of the world outside: its sentence is enough.
    if (!(error instanceof RefusedError || error instanceof OutsideError)) throw error
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

async function join(paths: Paths, words: readonly string[]): Promise<void> {
  const optionValue = (name: string): string | undefined => {
    const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`))
    const word = words[at]
    if (word === undefined) return undefined
    return word.includes('=') ? word.slice(name.length + 1) : words[at + 1]
  }
  const address = optionValue('--join')
  if (address === undefined || address.startsWith('-'))
    throw refuse('usage', 'Usage: systoled --remote --join <address> [--token - | --token-file <file>] [--node <name>]')
  const node = words.some((word) => word.startsWith('--node')) ? (optionValue('--node') ?? ownName()) : ownName()
  const token = await readToken(optionValue('--token'), optionValue('--token-file'))
  const clusterName = await joinAsRemote(paths, { address, token, node })
  process.stdout.write(
    `This host is the remote node ${node} of the cluster ${clusterName}. Add it there with \`systole cluster node add-remote ${node} <address>\`, or, if a resource runs this machine, with \`systole cluster node add-guest ${node} <resource>\`.\n`,
  )
}

/** What stands on a command line every user of the host can read; a file or standard input not. */
async function readToken(written: string | undefined, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const read = readIfThere(file)
    if (read === undefined) throw refuse('no-file', `There is no file ${file}.`)
    return read
  }
  if (written === undefined || written === '-') {
    if (process.stdin.isTTY) process.stderr.write('Token, then Ctrl-D: ')
    return await text(process.stdin)
  }
  process.stderr.write(
    'Warning: every user of this host can read a token on the command line. Safer: --token - (standard input) or --token-file <file>.\n',
  )
  return written
}

/** Ends when the cluster has moved away what runs here, and with it the daemon. */
async function leave(paths: Paths): Promise<void> {
  const reply = await callDaemon(agentToolsSocket(paths), { tool: 'leave', arguments: [] })
  process.stdout.write(printable(reply.output))
  process.stderr.write(printable(reply.errors))
  process.exitCode = reply.exitCode === 0 ? 0 : 1
}

const startAgainMs = 1000

async function serve(paths: Paths): Promise<void> {
  const identity = readIdentity(paths.pki)
  takeLock(paths.lock)
  const log = openLog(ownName())
  const fail = (error: unknown): void => {
    log.error(unexpectedEnd(error), { error })
    process.exit(1)
  }
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)
  const daemon: RemoteDaemon = new RemoteDaemon({
    paths,
    log,
    identity,
    left: () => {
      log.info('left the cluster', {})
      daemon.end().then(() => process.exit(0), fail)
    },
  })
  const end = (signal: NodeJS.Signals): void => {
    log.info('ending; resources stay as they are', { signal })
    daemon.end().then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  try {
    await daemon.start()
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error
    log.error('the daemon cannot start', { why: error.message })
    // Whoever supervises it tries again at once.
    await delay(startAgainMs)
    process.exit(1)
  }
}
