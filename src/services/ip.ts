/** IP addresses and networks as bytes: what they are compared by, and what names of DNS are made of. */

export type IpBytes = readonly number[]

export interface Network {
  readonly bytes: IpBytes
  readonly prefix: number
}

/** An address of IP with its zone, or a host name: nothing that a shell, a template or another file would take for more. */
export const isPlainAddress = (text: string): boolean => /^[A-Za-z0-9_:[][A-Za-z0-9_.:%\]-]{0,254}$/.test(text)

/** Four bytes or sixteen; undefined where the text is no address. One with a zone (`%eth0`) is of one host only, and so is none. */
export function parseIp(text: string): IpBytes | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): IpBytes | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || parts.some((part) => !/^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined
  const bytes = parts.map(Number)
  return bytes.some((byte) => byte > 255) ? undefined : bytes
}

function parseV6(text: string): IpBytes | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, index) => groups(half, index === halves.length - 1))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = 16 - head.length - (tail?.length ?? 0)
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined
  return [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
}

/** The bytes of `a:b:c`. At the end of the whole address, the last may be an IPv4 address. */
function groups(text: string, isEnd: boolean): IpBytes | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const bytes = parts.map((part, index): IpBytes | undefined => {
    if (part.includes('.')) return isEnd && index === parts.length - 1 ? parseV4(part) : undefined
    if (!/^[\da-f]{1,4}$/i.test(part)) return undefined
    const number = Number.parseInt(part, 16)
    return [number >> 8, number & 255]
  })
  return bytes.some((part) => part === undefined) ? undefined : bytes.flatMap((part) => part ?? [])
}

/** `10.0.0.0/8`, or an address, which is a network of one. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, more] = text.split('/')
  const bytes = parseIp(address)
  if (bytes === undefined || more !== undefined) return undefined
  const bits = bytes.length * 8
  if (prefix === undefined) return { bytes, prefix: bits }
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits) return undefined
  return { bytes, prefix: Number(prefix) }
}

/** An IPv4 address that a socket of IPv6 reports is one of IPv4. */
export function plainIp(bytes: IpBytes): IpBytes {
  const isMapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255
  return isMapped && bytes[11] === 255 ? bytes.slice(12) : bytes
}

export function isWithin(bytes: IpBytes, network: Network): boolean {
  if (bytes.length !== network.bytes.length) return false
  return bytes.every((byte, index) => {
    const bits = Math.max(0, Math.min(8, network.prefix - index * 8))
    return byte >> (8 - bits) === (network.bytes[index] ?? 0) >> (8 - bits)
  })
}

export const hexOf = (bytes: IpBytes): string => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
