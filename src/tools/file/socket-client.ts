/** A call to the daemon over the tools socket, as the Perl front end makes it. */

import { connect } from 'node:net'
import { OutsideError } from '../../base/index.ts'
import type { ToolReply } from '../reply.ts'
import { encodeToolCall, parseReply } from '../socket.ts'
import type { ToolCall } from '../tool.ts'

export class NoDaemonError extends OutsideError {
  override readonly name = 'NoDaemonError'
}

export async function callDaemon(path: string, call: ToolCall): Promise<ToolReply> {
  return await new Promise((resolve, reject) => {
    const socket = connect(path)
    const chunks: Buffer[] = []
    socket.on('error', (cause) =>
      reject(new NoDaemonError(`Could not connect to the cluster: ${cause.message}`, { cause })),
    )
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => {
      const reply = parseReply(Buffer.concat(chunks))
      if (reply === undefined) reject(new NoDaemonError('Could not connect to the cluster: the daemon gave no answer'))
      else resolve(reply)
    })
    socket.end(encodeToolCall(call))
  })
}
