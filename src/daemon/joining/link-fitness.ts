/** Whether this host can have an address as a link: the address is its own, and its kernel ends connections where that is asked of it. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6 } from 'node:net'
import { whyConnectionsStay } from '../pulse/why-connections-stay.ts'

/** A sentence for each reason why not. `towards`: another node's address, which is reached on the link of the first of these. */
export async function linkObstacles(
  node: string,
  addresses: readonly string[],
  towards?: string,
): Promise<readonly string[]> {
  const foreign = await Promise.all(
    addresses.map(async (address) =>
      (await isOwn(address))
        ? []
        : [`${node} does not have the address ${address}. Configure it on a network interface of ${node} first.`],
    ),
  )
  const kernel = await whyConnectionsStay()
  const cannot =
    kernel === undefined
      ? []
      : [
          `${node} cannot close connections on a failed link (${kernel}), so its store would stall for seconds when a link fails. It needs \`ss\` of iproute2, and a kernel with INET_DIAG_DESTROY.`,
        ]
  const own = foreign.flat()
  const detour = own.length > 0 || towards === undefined ? [] : await otherSource(node, addresses, towards)
  return [...own, ...detour, ...cannot]
}

/** The members of the store believe a caller only if it calls from an address that its certificate names. Nothing is sent. */
async function otherSource(node: string, [address]: readonly string[], towards: string): Promise<readonly string[]> {
  if (address === undefined) return []
  const socket = createSocket(isIPv6(towards) ? 'udp6' : 'udp4')
  try {
    socket.connect(1, towards)
    await once(socket, 'connect')
    const { address: source } = socket.address()
    if (source === address) return []
    return [
      `${node} sends to ${towards} from ${source} and not from ${address}. A link needs a network or route on which ${address} is the source address.`,
    ]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [`${node} has no route from ${address} to ${towards} (${why}).`]
  } finally {
    socket.close()
  }
}

async function isOwn(address: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(0, address)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
