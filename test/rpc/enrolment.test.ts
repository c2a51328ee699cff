import { X509Certificate } from 'node:crypto'
import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  acceptsSecret,
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
} from '../../src/rpc/index.ts'

let authority: KeyPair
let server: EnrolmentServer | undefined

beforeAll(async () => {
  authority = await createAuthority('testing')
})

afterEach(() => {
  server?.close()
  server = undefined
})

function token(text: string): JoinToken {
  const parsed = parseToken(text)
  if (!parsed.ok) throw new Error('the token is bad')
  return parsed.value
}

async function serve(enrol: Enrol): Promise<number> {
  const pair = await createNodeCertificate(authority, { name: 'alpha', addresses: ['127.0.0.1'] })
  const identity = { ...pair, authority: authority.certificate }
  server = await serveEnrolment({ host: '127.0.0.1', port: 0, identity }, enrol, () => undefined)
  return server.port
}

test('a new node gets a certificate for its own key, its name and its address', async () => {
  const { text, issued } = issueToken(authority.certificate, Date.now() + 60_000)
  const port = await serve(async ({ secret, node, publicKey }) => {
    if (!acceptsSecret([issued], secret, Date.now())) throw refuse('bad-token', 'The token is not valid.')
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
  const other = issueToken((await createAuthority('testing')).certificate, Date.now() + 60_000)
  const asked = { node: 'beta', publicKey: '' }
  await expect(askToEnrol({ host: '127.0.0.1', port }, token(other.text), asked)).rejects.toMatchObject({
    code: 'other-authority',
  })
  expect(secrets).toEqual([])
})

test('a token is good until its time is over, and no other is', () => {
  const { text, issued } = issueToken(authority.certificate, 1000)
  const { secret } = token(text)
  expect(acceptsSecret([issued], secret, 999)).toBe(true)
  expect(acceptsSecret([issued], secret, 1000)).toBe(false)
  expect(acceptsSecret([issued], `${secret.slice(1)}x`, 999)).toBe(false)
  expect(acceptsSecret([], secret, 999)).toBe(false)
})

test('a token that was copied in part is refused before anything is sent', () => {
  const { text } = issueToken(authority.certificate, 1000)
  for (const cut of [text.slice(0, -20), text.slice(5), '', 'systole1..', text.replaceAll('.', ' ')])
    expect(parseToken(cut).ok).toBe(false)
})
