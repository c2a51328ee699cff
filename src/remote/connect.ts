/** The cluster's side: a connection to the daemon of a remote node, known by its certificate and not by its address. */
import { connect } from 'node:tls'
import { contextOf, type TlsIdentity, tlsName } from '../rpc/index.ts'
import type { CallHandlers, OwnerCalls, RemoteCalls } from './calls.ts'
import { longest, ownerForms, remoteForms } from './forms.ts'
import { Link, type LinkEnd } from './link.ts'
import { ofRemoteNode } from './turn-line.ts'

export interface RemoteAddress {
  /** The name that its certificate must have. */
  readonly node: string
  readonly host: string
  readonly port: number
}

export class RemoteUnreachableError extends Error {
  override readonly name = 'RemoteUnreachableError'
  constructor(
    { node, host, port }: RemoteAddress,
    why: string,
    readonly hostAnswered: boolean,
  ) {
    super(`The remote node ${node} does not answer at ${host} port ${port}: ${why}.`)
  }
}

export type RemoteLink = Link<RemoteCalls, OwnerCalls>

const patienceMs = 2000

export function connectRemote(
  to: RemoteAddress,
  identity: TlsIdentity,
  handlers: CallHandlers<OwnerCalls>,
  onEnd: (end: LinkEnd) => void,
): Promise<RemoteLink> {
  const { host, port } = to
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, servername: tlsName(to.node), secureContext: contextOf(identity) })
    const fail = (why: string, answered: boolean): void => {
      socket.destroy()
      reject(new RemoteUnreachableError(to, why, answered))
    }
    const patience = setTimeout(() => fail('no answer', false), patienceMs)
    const onError = (error: Error): void => {
      clearTimeout(patience)
      const code = 'code' in error ? String(error.code) : ''
      fail(error.message, /^(ECONNREFUSED|ECONNRESET|EPIPE|ERR_TLS|CERT_)/.test(code))
    }
    socket.once('error', onError)
    socket.once('secureConnect', () => {
      clearTimeout(patience)
      socket.off('error', onError)
      const terms = {
        asked: remoteForms,
        answered: ownerForms,
        longest: () => longest.fromRemote,
        pace: ofRemoteNode,
      }
      resolve(new Link<RemoteCalls, OwnerCalls>(socket, terms, handlers, onEnd))
    })
  })
}
