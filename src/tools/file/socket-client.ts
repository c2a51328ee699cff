/** A call to the daemon over the tools socket, as the Perl front end makes it. */

import { connect, type Socket } from 'node:net'
import { OutsideError } from '../../base/index.ts'
import type { ToolReply } from '../reply.ts'
import { encodeToolCall, parseReply } from '../socket.ts'
import type { ToolCall } from '../tool.ts'

export class NoDaemonError extends OutsideError {
  override readonly name = 'NoDaemonError'
}

/** The daemon is there, and is stopped or hangs. */
export class SilentDaemonError extends OutsideError {
  override readonly name = 'SilentDaemonError'
}

export async function callDaemon(
  path: string,
  call: ToolCall,
  silentMs = silenceMs(process.env.SYSTOLE_TOOLS_SILENCE),
): Promise<ToolReply> {
  return await new Promise((resolve, reject) => {
    const socket = connect(path)
    const chunks: Buffer[] = []
    const { hear, end } = endWhereSilent(path, silentMs, () => {
      socket.destroy()
      reject(
        new SilentDaemonError(
          `The daemon of this node (${path}) has not answered for ${silentMs / 1000} s: it is stopped or hangs, and whether the command was carried out is unknown.`,
        ),
      )
    })
    socket.on('error', (cause) =>
      reject(new NoDaemonError(`Could not connect to the cluster: ${cause.message}`, { cause })),
    )
    socket.on('data', (chunk) => {
      hear()
      chunks.push(chunk)
    })
    socket.on('end', () => {
      const reply = parseReply(Buffer.concat(chunks))
      if (reply === undefined) reject(new NoDaemonError('Could not connect to the cluster: the daemon gave no answer'))
      else resolve(reply)
    })
    socket.on('close', end)
    socket.end(encodeToolCall(call))
  })
}

/**
 * A call may take as long as it does while the daemon lives: in silence it is asked whether it is there, by a connection that says nothing;
 * whatever comes back, an end too, is an answer. Silence is counted by questions, so that a time in which this process was stopped itself is none.
 */
function endWhereSilent(
  path: string,
  silentMs: number,
  onSilent: () => void,
): { readonly hear: () => void; readonly end: () => void } {
  let silent = 0
  let question: Socket | undefined
  const hear = (): void => {
    silent = 0
    question?.destroy()
    question = undefined
  }
  const ask = (): Socket => {
    const asking = connect(path)
    asking.on('error', (error) => {
      // Otherwise it did not come to the daemon: there is no room for another caller, or nobody.
      if ('code' in error && error.code === 'ECONNRESET') hear()
      else if (question === asking) question = undefined
    })
    for (const answer of ['data', 'end']) asking.on(answer, hear)
    return asking.end()
  }
  const timer = setInterval(() => {
    silent++
    if (silent < questions) question ??= ask()
    else onSilent()
  }, silentMs / questions)
  const end = (): void => {
    clearInterval(timer)
    question?.destroy()
  }
  return { hear, end }
}

const questions = 6
const shortestMs = 1000

/** `written`: in the environment; `timeoutMs`: of the call, which shortens it. A daemon that only has much to do is not taken for silent. */
export function silenceMs(written = '', timeoutMs = 0): number {
  const usual = written === '' ? 30_000 : Number(written) * 1000
  if (written !== '' && !(/^\d{1,6}(\.\d{1,3})?$/.test(written) && usual > 0))
    throw new OutsideError('SYSTOLE_TOOLS_SILENCE must be a number of seconds, as 30 or 2.5.')
  return timeoutMs > 0 ? Math.min(usual, Math.max(timeoutMs, shortestMs)) : usual
}
