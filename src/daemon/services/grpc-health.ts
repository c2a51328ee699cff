/** The check `grpc`: grpc.health.v1.Health/Check, as load balancers and kubelets ask it. Its two messages have one field each, which are written here by hand. */
import { isIPv6 } from 'node:net'
import { Client, credentials, status } from '@grpc/grpc-js'
import type { DueCheck } from '../../services/index.ts'

interface Answer {
  readonly state: number
}

const longestAnswer = 4096
const states: Readonly<Record<number, string>> = { 0: 'UNKNOWN', 1: 'SERVING', 2: 'NOT_SERVING', 3: 'SERVICE_UNKNOWN' }
const serving = 1

export async function grpcHealth({ address, port, check }: DueCheck, service: string): Promise<string | undefined> {
  const host = isIPv6(address) ? `[${address}]` : address
  const client = new Client(`${host}:${port}`, credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0,
    // Each check makes a connection of its own, as a new client would.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_receive_message_length': longestAnswer,
    'grpc.service_config_disable_resolution': 1,
  })
  const deadline = Date.now() + check.timeoutMs
  try {
    const state = await new Promise<number>((resolve, reject) => {
      const path = '/grpc.health.v1.Health/Check'
      client.makeUnaryRequest<string, Answer>(path, requestFor, stateIn, service, { deadline }, (error, answer) =>
        error === null ? resolve(answer?.state ?? 0) : reject(error),
      )
    })
    return state === serving ? undefined : `gRPC health is ${states[state] ?? state}`
  } catch (error) {
    const { code, details } = error as { readonly code?: number; readonly details?: string }
    if (code === status.DEADLINE_EXCEEDED) return `no answer within ${check.timeoutMs} ms`
    if (code === status.UNIMPLEMENTED) return 'the server has no grpc.health.v1'
    if (code === status.NOT_FOUND) return `gRPC knows no service '${service}'`
    return `gRPC: ${details ?? String(error)}`
  } finally {
    client.close()
  }
}

/** `string service = 1`. Names are shorter than 128 bytes times 128. */
function requestFor(service: string): Buffer {
  const name = Buffer.from(service)
  if (name.length === 0) return Buffer.alloc(0)
  const length = name.length < 0x80 ? [name.length] : [(name.length & 0x7f) | 0x80, name.length >> 7]
  return Buffer.concat([Buffer.from([0x0a, ...length]), name])
}

/** `ServingStatus status = 1`, a small number; no field is its zero. */
const stateIn = (answer: Buffer): Answer => ({ state: answer[0] === 0x08 ? (answer[1] ?? 0) : 0 })
