/**
 * Whoever has one address of IPv6 has a whole network of them: what is limited for an address is limited for its 64 bits, or whoever guesses would have a fresh
 * address for each guess. An address of IPv4 is itself, however it is written.
 */

export function ownerOfAddress(written: string): string {
  const address = written.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '')
  return address.includes(':') ? networkOf(address) : address
}

function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head.split(':').filter((group) => group !== '')
  if (tail === undefined || groups.length >= 4) return plain(groups)
  const after = tail.split(':').filter((group) => group !== '')
  const zeros = Math.max(0, 8 - groups.length - after.length)
  return plain([...groups, ...Array.from({ length: zeros }, () => '0'), ...after])
}

const plain = (groups: readonly string[]): string =>
  groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
