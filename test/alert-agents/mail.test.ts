import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { callAgent, lostNode, makeCertificate } from './agent.ts'

/** `alert_smtp`, and a mail server that takes its mails or does not. */
interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly secure: boolean
  readonly user: string | undefined
  readonly content: string
}

const folder = mkdtempSync(join(tmpdir(), 'systole-mail-'))
const certificate = { key: '', cert: '' }
let server: SMTPServer | Server | undefined
let mails: Mail[] = []

beforeAll(() => Object.assign(certificate, makeCertificate(folder)))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(async () => {
  mails = []
  await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())))
  server = undefined
})

const portOf = (of: Server): string => {
  const address = of.address()
  return String(typeof address === 'object' ? address?.port : '')
}

/** Returns its port. */
async function serve(options: SMTPServerOptions = {}): Promise<string> {
  const made = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong password')),
    onData: (stream, { envelope, secure, user }, done) => {
      void text(stream).then((content) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), secure, user, content })
        done()
      })
    },
    ...options,
  })
  made.on('error', () => undefined)
  server = made
  const listening = made.listen(0, '127.0.0.1')
  await new Promise<void>((done) => listening.once('listening', done))
  return portOf(listening)
}

const withTls = (): SMTPServerOptions => ({
  key: readFileSync(certificate.key),
  cert: readFileSync(certificate.cert),
  disabledCommands: [],
})

test('a mail says what happened, where and when, and its id is that of the event', async () => {
  const smtp_port = await serve()
  const local = { smtp_host: '127.0.0.1', smtp_port }
  expect(await callAgent('alert_smtp', 'ops@example.com', local)).toEqual({ code: 0, said: '' })
  expect(
    await callAgent('alert_smtp', 'ops@example.com', { ...local, ...lostNode, email_sender: 'ha@x.test' }),
  ).toEqual({
    code: 0,
    said: '',
  })
  await callAgent('alert_smtp', 'ops@example.com', { ...local, SYSTOLE_ALERT_TIMES: '5' })
  const [first, second, third] = mails
  expect(first?.to).toEqual(['ops@example.com'])
  expect(first?.from).toMatch(/^hacluster@/)
  expect(first?.content).toContain('Subject: lab: monitor every 10 s of web on n1: not running\r\n')
  expect(first?.content).toContain('Time: 2026-09-21T14:13:20.250Z')
  expect(first?.content).toContain('Auto-Submitted: auto-generated')
  expect(second?.from).toBe('ha@x.test')
  expect(second?.content).toContain('Subject: lab: Node n2 is lost\r\n')
  expect(third?.content).toContain('(5 times since')
  const idOf = (mail: Mail | undefined): string => /^Message-ID: (\S+)/m.exec(mail?.content ?? '')?.[1] ?? ''
  expect(idOf(first)).toMatch(/^<[0-9a-f]{32}@\S+>$/)
  expect(idOf(third)).toBe(idOf(first))
  expect(idOf(second)).not.toBe(idOf(first).replace(/@.*/, '@x.test>'))
})

test('no value of an event becomes a header or another recipient', async () => {
  const smtp_port = await serve()
  const hostile = { CRM_alert_desc: 'x\r\nBcc: evil@example.com\r\n\r\nbody', CRM_alert_rsc: 'web\nX-Evil: 1' }
  expect(
    (await callAgent('alert_smtp', 'ops@example.com', { smtp_host: '127.0.0.1', smtp_port, ...hostile })).code,
  ).toBe(0)
  expect(mails[0]?.to).toEqual(['ops@example.com'])
  expect(mails[0]?.content.split('\r\n\r\n')[0]).not.toMatch(/^(Bcc|X-Evil)/im)
})

test('TLS is used where it is offered, and verified where it is required', async () => {
  const smtp_port = await serve(withTls())
  const at = { smtp_host: 'localhost', smtp_port }
  expect((await callAgent('alert_smtp', 'a@b.test', at)).code).toBe(0)
  expect(mails[0]?.secure).toBe(true)
  const untrusted = await callAgent('alert_smtp', 'a@b.test', { ...at, smtp_security: 'starttls' })
  expect(untrusted).toEqual({ code: 75, said: expect.stringMatching(/localhost:\d+: .*self-signed certificate/) })
  const trusted = { ...at, smtp_security: 'starttls', smtp_ca_file: certificate.cert }
  expect(
    (await callAgent('alert_smtp', 'a@b.test', { ...trusted, smtp_user: 'me', smtp_password: 'right' })).code,
  ).toBe(0)
  expect(mails[1]).toMatchObject({ secure: true, user: 'me' })
  const refused = await callAgent('alert_smtp', 'a@b.test', { ...trusted, smtp_user: 'me', smtp_password: 'wrong-one' })
  expect(refused.code).toBe(1)
  expect(refused.said).not.toContain('wrong-one')
  expect(mails).toHaveLength(2)
})

test('TLS from the first byte', async () => {
  const smtp_port = await serve({ ...withTls(), secure: true })
  const options = { smtp_host: 'localhost', smtp_port, smtp_security: 'tls', smtp_ca_file: certificate.cert }
  expect(await callAgent('alert_smtp', 'a@b.test', options)).toEqual({ code: 0, said: '' })
  expect(mails[0]?.secure).toBe(true)
})

test('a server without TLS gets no mail that requires it', async () => {
  const smtp_port = await serve()
  const ended = await callAgent('alert_smtp', 'a@b.test', {
    smtp_host: '127.0.0.1',
    smtp_port,
    smtp_security: 'starttls',
  })
  expect(ended.code).not.toBe(0)
  expect(mails).toEqual([])
})

test.each([
  [451, 75],
  [550, 1],
])('a recipient that is answered with %i ends it with %i', async (responseCode, code) => {
  const smtp_port = await serve({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('not now'), { responseCode })),
  })
  const ended = await callAgent('alert_smtp', 'a@b.test', { smtp_host: '127.0.0.1', smtp_port })
  expect(ended).toEqual({ code, said: expect.stringContaining('not now') })
})

test('a server that is away, or says nothing, is tried again later, within the time of the call', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const smtp_port = portOf(silent)
  const begun = Date.now()
  const ended = await callAgent('alert_smtp', 'a@b.test', { smtp_host: '127.0.0.1', smtp_port }, 4000)
  expect(ended.code).toBe(75)
  expect(Date.now() - begun).toBeLessThan(4000)
  await new Promise<void>((done) => silent.close(() => done()))
  const away = await callAgent('alert_smtp', 'a@b.test', { smtp_host: '127.0.0.1', smtp_port })
  expect(away).toEqual({ code: 75, said: expect.stringContaining('ECONNREFUSED') })
})
