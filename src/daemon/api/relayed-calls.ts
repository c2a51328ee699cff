/** The HTTPS API of a witness: what it asks its daemon is passed on to a node (docs/adr/0112-the-api-of-a-witness.md). And what a node answers to such a call. */
import { type CallContext, type Handlers, localService, refuse, type WebCaller } from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { closedCode } from '../witness/relay.ts'

type LocalHandlers = Handlers<typeof localService>
type Name = keyof LocalHandlers
type AnyHandler = (...given: readonly unknown[]) => Promise<unknown>

export function passedOnByWitness(daemon: Daemon, handlers: LocalHandlers): LocalHandlers {
  const names = Object.keys(localService) as Name[]
  const passing = names.map((name) => {
    const handle = handlers[name] as unknown as AnyHandler
    const call: AnyHandler = async (request, ...rest) => {
      const { caller, signal } = rest.at(-1) as CallContext
      if (caller.kind !== 'web' || !daemon.witness.isThere) return await handle(request, ...rest)
      const send = rest.length > 1 ? (rest[0] as (response: unknown) => void) : undefined
      return await passOn(daemon, { name, request, asked: { caller, signal, ...(send && { send }) } })
    }
    return [name, call] as const
  })
  return Object.fromEntries(passing) as unknown as LocalHandlers
}

interface Asked {
  readonly caller: WebCaller
  readonly signal: AbortSignal
  readonly send?: (response: unknown) => void
}

async function passOn(
  daemon: Daemon,
  { name, request, asked }: { readonly name: Name; readonly request: unknown; readonly asked: Asked },
): Promise<unknown> {
  const { relay } = daemon.witness.place
  if (name === 'getHealth') return await relay.health()
  if (name === 'openCertificate') throw noCertificate()
  if (name === 'getConsole' || name === 'getMetrics') {
    await relay.call('whoAmI', {}, asked)
    return name === 'getConsole'
      ? daemon.api.console.status()
      : { json: JSON.stringify(await daemon.metrics.snapshot()) }
  }
  return await relay.call(name, request, asked)
}

/** On a node, before all else: what its administrator has not opened there is not open by way of the witness either. */
export function refuseRelayed(daemon: Daemon, name: Name, { through }: WebCaller): void {
  if (through === undefined) return
  if (!daemon.api.console.isEnabled)
    throw refuse(
      closedCode,
      `The witness ${through} passes on what its HTTPS API is asked, and ${daemon.name} has its own closed. Run \`systole console enable\` on a node.`,
    )
  if (name === 'openCertificate') throw noCertificate()
}

/** The witness would be believed whose certificate it has seen, and could be whoever it likes. */
const noCertificate = () =>
  refuse('not-here', 'A witness does not accept certificates of clients. Use a token, or the HTTPS API of a node.')

/** For logs and the journal. */
export const placeOf = ({ from, through }: Pick<WebCaller, 'from' | 'through'>): string =>
  through === undefined ? from : `${from} by the witness ${through}`
