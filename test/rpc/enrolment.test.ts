import { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  askToEnrol,
  createAuthority,
  createKeys,
  createNodeCertificate,
  type Enrol,
  type EnrolmentServer,
  issueToken,
  type JoinToken,
  type KeyPair,
  parseToken,
  refuse,
  serveEnrolment,
  signNodeCertificate,
  tokenObstacle,
  tokenOfSecret,
} from '../../src/rpc/index.ts'

let authority: KeyPair
let server: EnrolmentServer | undefined

beforeAll(async () => {
  authority = await createAuthority('testing')
})

afterEach(async () => {
  await server?.close()
  server = undefined
})

const meant = (validUntil: number) => ({ role: 'member' as const, issuedAt: 0, validUntil })

function token(text: string): JoinToken {
  const parsed = parseToken(text)
  if (!parsed.ok) throw new Error('the token is bad')
  return parsed.value
}

async function serve(enrol: Enrol, onFailure: (error: unknown) => void = () => undefined): Promise<number> {
  const pair = await createNodeCertificate(authority, { name: 'alpha', addresses: ['127.0.0.1'] })
  const identity = { ...pair, authority: authority.certificate }
  server = await serveEnrolment({ host: '127.0.0.1', port: 0, identity }, enrol, onFailure)
  return server.port
}

test('a new node gets a certificate for its own key, its name and its address', async () => {
  const { text, issued } = issueToken(authority.certificate, meant(Date.now() + 60_000))
  const port = await serve(async ({ secret, node, publicKey }) => {
    if (!tokenOfSecret([issued], secret)) throw refuse('bad-token', 'The token is not valid.')
    const certificate = await signNodeCertificate(authority, {
      name: node,
      addresses: ['192.0.2.9', 'fd00::9'],
      publicKey,
    })
    return { certificate, authority, clusterFile: '{}' }
  })
  const keys = await createKeys()
  const asked = { node: 'beta', publicKey: keys.publicKey }
  const answer = await askToEnrol({ host: '127.0.0.1', port }, token(text), asked)
  const certificate = new X509Certificate(answer.certificate)
  expect(certificate.checkHost('beta')).toBe('beta')
  expect(certificate.checkIP('192.0.2.9')).toBe('192.0.2.9')
  expect(certificate.subjectAltName).toContain('FD00:0:0:0:0:0:0:9')
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true)
  expect(certificate.checkIssued(new X509Certificate(answer.authority.certificate))).toBe(true)
  expect(certificate.ca).toBe(false)
})

test('a node of another cluster never sees the secret', async () => {
  const secrets: string[] = []
  const port = await serve(async ({ secret }) => {
    secrets.push(secret)
    throw refuse('bad-token', 'The token is not valid.')
  })
  const other = issueToken((await createAuthority('testing')).certificate, meant(Date.now() + 60_000))
  const asked = { node: 'beta', publicKey: '' }
  await expect(askToEnrol({ host: '127.0.0.1', port }, token(other.text), asked)).rejects.toMatchObject({
    code: 'other-authority',
  })
  expect(secrets).toEqual([])
})

test('a token is known by its secret, and by no other', () => {
  const { text, issued } = issueToken(authority.certificate, meant(1000))
  const { secret } = token(text)
  expect(tokenOfSecret([issued], secret)).toBe(issued)
  expect(tokenOfSecret([issued], `${secret.slice(1)}x`)).toBeUndefined()
  expect(tokenOfSecret([], secret)).toBeUndefined()
  expect(JSON.stringify(issued)).not.toContain(secret)
})

const tokens = [
  { name: 'in its time', asked: {}, now: 999, why: undefined },
  { name: 'when its time is over', asked: {}, now: 1000, why: /was valid until/ },
  { name: 'for another name', asked: { node: 'n5' }, now: 999, why: /is for n4, and not for n5/ },
  { name: 'for another role', asked: { role: 'remote' as const }, now: 999, why: /for a member, and not for a remote/ },
]
for (const { name, asked, now, why } of tokens)
  test(`a token for the member n4 ${why === undefined ? 'lets it in' : 'lets nobody in'} ${name}`, () => {
    const { issued } = issueToken(authority.certificate, { ...meant(1000), node: 'n4' })
    const obstacle = tokenObstacle(issued, { role: 'member', node: 'n4', key: 'k', ...asked }, now)
    if (why === undefined) expect(obstacle).toBeUndefined()
    else expect(obstacle).toMatch(why)
    const again = (used: object, key: string): string | undefined =>
      tokenObstacle(
        { ...issued, used: { at: 1, node: 'n4', address: '', ...used } },
        { role: 'member', node: 'n4', key },
        2,
      )
    expect(again({}, '')).toMatch(/was used by n4/)
    expect(again({ key: 'k' }, 'other')).toMatch(/was used by n4/)
    expect(again({ key: 'k' }, 'k')).toBeUndefined()
  })

for (const kind of [{ servesOnly: true }, { isWitness: true }])
  test(`a host with the certificate of ${kind.servesOnly ? 'a remote node' : 'a witness'} never sees the secret`, async () => {
    const secrets: string[] = []
    const keys = await createKeys()
    const asked = { name: 'alpha', addresses: ['127.0.0.1'], publicKey: keys.publicKey }
    const certificate = await signNodeCertificate(authority, { ...asked, ...kind })
    const identity = { certificate, key: keys.key, authority: authority.certificate }
    server = await serveEnrolment(
      { host: '127.0.0.1', port: 0, identity },
      async ({ secret }) => {
        secrets.push(secret)
        throw refuse('no', 'No.')
      },
      () => undefined,
    )
    const { text } = issueToken(authority.certificate, meant(Date.now() + 60_000))
    const sent = askToEnrol({ host: '127.0.0.1', port: server.port }, token(text), { node: 'beta', publicKey: '' })
    await expect(sent).rejects.toMatchObject({ code: 'no-member' })
    expect(secrets).toEqual([])
  })

test('who hangs up in the middle of a request is no failure of this node', async () => {
  const failures: unknown[] = []
  const port = await serve(
    async () => {
      throw refuse('no', 'No.')
    },
    (error) => failures.push(error),
  )
  for (const way of ['destroy', 'end'] as const) {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    socket.on('error', () => undefined)
    socket.resume()
    await new Promise<void>((resolve) => socket.once('secureConnect', resolve))
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const written = 'POST /join HTTP/1.1\r\nhost: n1\r\ncontent-length: 1000\r\n\r\nxx'
    await new Promise<void>((resolve) => void socket.write(written, () => resolve()))
    socket[way]()
    await ended
  }
  await server?.close()
  server = undefined
  expect(failures).toEqual([])
})

test('who sends the request slowly is hung up on after a few seconds', async () => {
  const port = await serve(async () => {
    throw refuse('no', 'No.')
  })
  const began = Date.now()
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.resume()
  socket.write('POST /join HTTP/1.1\r\nhost: n1\r\ncontent-length: 1000\r\n\r\n')
  const drip = setInterval(() => socket.write('x'), 200)
  await ended
  clearInterval(drip)
  expect(Date.now() - began).toBeLessThan(8000)
}, 15_000)

test('a remote node’s certificate has its own name and nothing else', async () => {
  const { publicKey } = await createKeys()
  const text = await signNodeCertificate(authority, { name: 'east-05', addresses: [], publicKey, servesOnly: true })
  const certificate = new X509Certificate(text)
  expect(certificate.subjectAltName).toBe('DNS:east-05')
})

test('a token that was copied in part is refused before anything is sent', () => {
  const { text } = issueToken(authority.certificate, meant(1000))
  for (const cut of [text.slice(0, -20), text.slice(5), '', 'systole1..', text.replaceAll('.', ' ')])
    expect(parseToken(cut).ok).toBe(false)
})

for (const [when, days] of [
  ['has expired', 2 * 366],
  ['is not valid yet', -2],
] as const)
  test(`a host with a certificate that ${when} never sees the secret: a key that was renewed long ago may be anybody's`, async () => {
    const secrets: string[] = []
    const port = await serve(async ({ secret }) => {
      secrets.push(secret)
      throw refuse('bad-token', 'The token is not valid.')
    })
    const now = Date.now()
    const { text } = issueToken(authority.certificate, meant(now + 60_000))
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + days * 86_400_000)
    try {
      const asking = askToEnrol({ host: '127.0.0.1', port }, token(text), { node: 'beta', publicKey: '' })
      await expect(asking).rejects.toMatchObject({ code: 'not-valid-now' })
    } finally {
      clock.mockRestore()
    }
    expect(secrets).toEqual([])
  })
