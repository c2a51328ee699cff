/**
 * The list of revoked certificates (RFC 5280, section 5) that etcd reads at each handshake, towards clients and peers alike. etcd compares serial numbers and
 * checks no signature, so that each node makes its own, by its list of nodes and with its own key: nobody waits for the authority.
 */
import { sign, X509Certificate } from 'node:crypto'

export function revocationList(
  signer: { readonly certificate: string; readonly key: string },
  /** In hexadecimal. */
  serials: readonly string[],
  now: Date,
): string {
  const algorithm = sequence(objectId('1.2.840.10045.4.3.2'))
  const issuer = sequence(
    set(sequence(objectId('2.5.4.3'), tagged(0x0c, Buffer.from(new X509Certificate(signer.certificate).subject)))),
  )
  const revoked = serials.map((serial) => sequence(integer(serial), time(now)))
  const list = sequence(
    integer('01'),
    algorithm,
    issuer,
    time(now),
    ...(revoked.length === 0 ? [] : [sequence(...revoked)]),
  )
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', list, signer.key)]))
  const lines =
    sequence(list, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN X509 CRL-----', ...lines, '-----END X509 CRL-----', ''].join('\n')
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content])
  const bytes = Buffer.from(length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, Buffer.concat(parts))
const set = (...parts: readonly Buffer[]): Buffer => tagged(0x31, Buffer.concat(parts))

/** Positive. */
function integer(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return tagged(0x02, ((bytes[0] ?? 0) & 0x80) === 0 ? bytes : Buffer.concat([Buffer.from([0]), bytes]))
}

/** GeneralizedTime. */
const time = (at: Date): Buffer => tagged(0x18, Buffer.from(at.toISOString().replaceAll(/[-:T]|\.\d+/g, '')))

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f))
    return groups
  })
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]))
}
