/**
 * Whether this host can listen on an address now, by trying it. A list of network cards does not tell: libuv leaves out each card that has no
 * carrier, whose addresses stay usable all the same.
 */
import { createSocket } from 'node:dgram'
import { isIP } from 'node:net'

export function canBind(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  let bound = false
  // With nothing to look up, bind(2) is called at once, and its outcome is told before the next line.
  const socket = createSocket({
    type: family === 6 ? 'udp6' : 'udp4',
    lookup: (host, _options, answer) => answer(null, host, family),
  })
  socket.once('listening', () => {
    bound = true
  })
  socket.once('error', () => undefined)
  socket.bind({ address, port: 0, exclusive: true })
  socket.close()
  return bound
}
