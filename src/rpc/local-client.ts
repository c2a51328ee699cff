/**
 * The command line's way to the daemon of its host: gRPC over the Unix socket. What speaks it is loaded with the first call:
 * many commands make none, and agents run such commands many times a minute.
 */
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { localService } from './generated/systole.ts'
import type { LocalConnection } from './local-connection.ts'
import type { Callers, CallOptions, Method } from './method.ts'

export type LocalClient = Callers<typeof localService> & { readonly close: () => void }

/** Where the daemon of this host listens. `root` is SYSTOLE_ROOT: empty for the machine's own daemon. */
export const localSocketPath = (root: string): string => join(root || '/', 'run/systole/systole.sock')

/** Connects with the first call. Close it, or the process stays alive. */
export function connectLocal(root: string): LocalClient {
  let connection: Promise<LocalConnection> | undefined
  const connected = (): Promise<LocalConnection> => {
    connection ??= import('./local-connection.ts').then(({ localConnection }) => localConnection(localSocketPath(root)))
    return connection
  }
  return clientOver(connected, () => void connection?.then((opened) => opened.close()))
}

/** Clients of one connection, each of which passes on who calls. */
export type ClientsOfCallers = (who: { readonly token: string; readonly from: string }) => LocalClient

/** For the process of the HTTPS API. It ends with the connection. */
export function connectThrough(socket: Socket, onEnd: (error: unknown) => void): Promise<ClientsOfCallers> {
  return import('./local-connection.ts').then(({ connectionThrough }) => {
    const open = connectionThrough(socket, onEnd)
    return (who) =>
      clientOver(
        async () => await Promise.resolve(open(who)),
        () => undefined,
      )
  })
}

function clientOver(connected: () => Promise<LocalConnection>, close: () => void): LocalClient {
  const calls = Object.entries(localService).map(([name, method]: [string, Method]) => {
    const call = async (request: never, ...rest: readonly unknown[]): Promise<unknown> => {
      const [first, second] = rest
      const onMessage = method.responseStream ? (first as (message: unknown) => void) : undefined
      const options = (method.responseStream ? second : first) as CallOptions | undefined
      const { call: make } = await connected()
      return await make({ method, request, onMessage }, options)
    }
    return [name, call] as const
  })
  return { ...Object.fromEntries(calls), close } as unknown as LocalClient
}
