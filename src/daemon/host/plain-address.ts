import { isIPv6, SocketAddress } from 'node:net'

/** An IPv6 address as the kernel writes it (RFC 5952), which is how it is looked for; all else as it is. */
export const plainAddress = (address: string): string =>
  isIPv6(address) && !address.includes('%') ? new SocketAddress({ address, family: 'ipv6' }).address : address
