/**
 * The side channel for the commands that agents call. gRPC would cost them a tenth of a second each, and Node.js half of that,
 * so that the commands are one small Perl program (`shims/systole-tool`) and this is all that they say:
 *
 * - request: fields that each end with a zero byte, then end of file: the protocol's version (1), the command's name,
 *   OCF_RESOURCE_INSTANCE, the node that the agent works for (both may be empty), the arguments;
 *   version 2 has the user in whose name root or hacluster calls (CIB_user) before the arguments;
 * - reply: `<exit code> <bytes of standard output>\n`, the output, the rest is for standard error; or `here 0\n`: the call needs the
 *   caller's files or terminal, so that the command goes on in Node.js (`bin/systole-tool`);
 * - an empty request asks whether the daemon is there, and is answered at once: who waits for a call asks it, and gives up after 30 s of silence.
 *
 * Root and the group haclient may use the socket, as the daemon's API beside it. Who calls is known by the connection, and told to the handler.
 */
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { printable, RequestRoom, type RoomBounds } from '../base/index.ts'
import { exitCodes } from './exit-codes.ts'
import { refused, type ToolReply } from './reply.ts'
import type { ToolCall } from './tool.ts'

export interface ToolServer {
  close(): Promise<void>
}

export type ToolHandler<Caller> = (call: ToolCall, caller: Caller) => Promise<ToolReply>

/** A whole CIB may come in. */
const longestRequest = 64 * 1024 * 1024

/** Of callers who are not root. A configuration has 8 MiB at most. */
export const requestRoom: RoomBounds = {
  bytes: 32 * 1024 * 1024,
  bytesOfUser: 16 * 1024 * 1024,
  connections: 256,
  connectionsOfUser: 64,
}

export async function serveTools<Caller>(
  path: string,
  served: {
    readonly handle: ToolHandler<Caller>
    /** Asked as soon as somebody has connected. */
    readonly callerOf: (socket: Socket) => Caller
    /** Whose requests must fit into his share of the room: root's need not. Where it is not known who asks, all are one user. */
    readonly userOf?: (caller: Caller) => number | undefined
    /** Who may use the socket besides root. */
    readonly group?: number | undefined
  },
): Promise<ToolServer> {
  rmSync(path, { force: true })
  const { handle, callerOf, group, userOf } = served
  const room = new RequestRoom<Socket>(requestRoom)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const caller = callerOf(socket)
    const user = userOf?.(caller)
    const isBounded = user !== 0
    socket.once('close', () => room.leave(socket))
    if (isBounded && !room.admit(socket, user ?? nobody)) socket.destroy()
    else serve(socket, async (call) => await handle(call, caller), isBounded ? room : undefined)
  })
  const oldMask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } finally {
    process.umask(oldMask)
  }
  if (group !== undefined) {
    chownSync(path, 0, group)
    chmodSync(path, 0o660)
  }
  return { close: () => close(server) }
}

/** Who is not known. */
const nobody = -1

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}

function serve(
  socket: Socket,
  handle: (call: ToolCall) => Promise<ToolReply>,
  room: RequestRoom<Socket> | undefined,
): void {
  const chunks: Buffer[] = []
  let bytes = 0
  // A command that was killed does not wait for its answer.
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes > longestRequest) socket.destroy()
    else chunks.push(chunk)
    room?.holds(socket, bytes)
  })
  socket.on('close', () => {
    chunks.length = 0
  })
  socket.on('end', () => {
    const request = Buffer.concat(chunks)
    if (request.length === 0) {
      socket.end('0 0\n')
      return
    }
    const call = hasMoreFields(request, mostFields) ? undefined : parseToolCall(request.toString('utf8'))
    const answered = call === undefined ? Promise.resolve(notUnderstood) : handle(call).catch(failedReply)
    void answered.then((reply) => socket.end(encodeReply(reply)))
  })
}

/** A command line of two megabytes has no more words that name something. Millions of empty ones are a request of some megabytes. */
const mostFields = 20_000

function hasMoreFields(request: Buffer, most: number): boolean {
  let fields = 0
  for (let at = request.indexOf(0); at !== -1; at = request.indexOf(0, at + 1)) if (++fields > most) return true
  return false
}

const notUnderstood = refused(exitCodes.usage, 'This command is of another version than the daemon.')

function failedReply(error: unknown): ToolReply {
  return refused(exitCodes.error, error instanceof Error ? error.message : String(error))
}

export function parseToolCall(text: string): ToolCall | undefined {
  const fields = text.split('\0')
  if (fields.pop() !== '') return undefined
  const [version, tool, resource, onNode, ...rest] = fields
  if (tool === undefined || resource === undefined || onNode === undefined) return undefined
  if (version !== '1' && (version !== '2' || rest.length === 0)) return undefined
  const [user = ''] = version === '2' ? rest : []
  return {
    tool,
    arguments: version === '2' ? rest.slice(1) : rest,
    ...(user === '' ? {} : { user }),
    ...(resource === '' ? {} : { resource }),
    ...(onNode === '' ? {} : { onNode }),
  }
}

export function encodeToolCall({ tool, resource = '', onNode = '', user, arguments: words }: ToolCall): Buffer {
  const named = user === undefined ? [] : [user]
  return Buffer.from(
    [named.length === 0 ? '1' : '2', tool, resource, onNode, ...named, ...words].map((field) => `${field}\0`).join(''),
  )
}

function encodeReply({ exitCode, output, errors, runHere }: ToolReply): Buffer {
  if (runHere === true) return Buffer.from('here 0\n')
  // The program that prints it knows nothing of such things.
  const printed = Buffer.from(printable(output))
  return Buffer.concat([Buffer.from(`${exitCode} ${printed.length}\n`), printed, Buffer.from(printable(errors))])
}

export function parseReply(bytes: Buffer): ToolReply | undefined {
  const end = bytes.indexOf('\n')
  const head = /^(here|\d+) (\d+)$/.exec(bytes.subarray(0, end).toString())
  if (head === null) return undefined
  const [, code = '', length] = head
  if (code === 'here') return { exitCode: exitCodes.unimplemented, output: '', errors: '', runHere: true }
  const body = bytes.subarray(end + 1)
  return {
    exitCode: Number(code),
    output: body.subarray(0, Number(length)).toString('utf8'),
    errors: body.subarray(Number(length)).toString('utf8'),
  }
}
