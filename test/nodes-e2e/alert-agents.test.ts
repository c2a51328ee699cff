import { chmodSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { Receivers } from '../nodes/lab/receivers.ts'

/** Mail and webhooks from nodes whose receivers are away and come back, and whose DC is lost meanwhile. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const folder = '/usr/share/systole/alerts'
let receivers: Receivers

beforeAll(async () => {
  // The agents do not run as root.
  chmodSync(lab.folder, 0o755)
  await lab.start()
  receivers = new Receivers(lab)
  await receivers.ready()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)

afterAll(async () => {
  await receivers?.close()
  await lab.close()
}, 60_000)

const messages = (): readonly string[] => receivers.hooks.map(({ message }) => message)

/** What `alert test` prints on a node, and how it ends. */
const tested = async (node: string, words: string): Promise<string> =>
  await lab.inNode(node, 'sh', '-c', `systole alert test ${words} 2>&1; echo "ended with $?"`)

test('a mail waits for its server, status says so, and it comes once', async () => {
  const options = [`smtp_host=${receivers.address}`, `smtp_port=${receivers.smtpPort}`]
  await lab.systole('n1', 'alert', 'create', `path=${folder}/alert_smtp`, 'id=mail', 'options', ...options)
  await lab.systole('n1', 'alert', 'recipient', 'add', 'mail', 'value=ops@example.com')
  await lab.systole('n1', 'resource', 'create', 'work', 'ocf:heartbeat:Dummy', '--wait')
  const note = /The alert mail fails: .*alert_smtp could not deliver: .*ECONNREFUSED.*; it is tried again/
  await lab.until('status says that it is tried again', async () => note.test(await lab.systole('n1', 'status')))
  const inVain = await tested('n2', 'mail')
  expect(inVain).toMatch(/ops@example\.com: it did not arrive: .*ECONNREFUSED/)
  expect(inVain).toContain('ended with 1')
  await receivers.become({ mail: true })
  await lab.until('the mail has come', () => receivers.mails.some((mail) => mail.includes('start of work on')))
  expect(receivers.mails.filter((mail) => mail.includes('start of work on'))).toHaveLength(1)
  await lab.until('status has nothing to say', async () => !/alert mail/.test(await lab.systole('n1', 'status')))
  await lab.systole('n1', 'alert', 'recipient', 'add', 'mail', 'value=night@example.com', 'id=night')
  const before = receivers.mails.length
  const said = await tested('n2', 'mail --recipient=night')
  expect(said).toBe('Sent from n2:\n  night@example.com: it was accepted.\nended with 0\n')
  expect(receivers.mails.slice(before)).toEqual([
    expect.stringContaining('Test of the alert mail from n2: nothing has happened'),
  ])
  expect(await tested('n2', 'mails')).toMatch(/no alert 'mails'.*mail.*\nended with 1/)
  await lab.systole('n1', 'alert', 'delete', 'mail')
}, 90_000)

test('what the lost DC could not deliver the next one delivers, once', async () => {
  await receivers.become({ status: 503 })
  await lab.systole('n1', 'alert', 'create', `path=${folder}/alert_webhook`, 'id=hook')
  await lab.systole('n1', 'alert', 'recipient', 'add', 'hook', `value=${receivers.url}`)
  const seen = await lab.status('n1')
  const dc = seen.nodes.find((node) => node.dc)?.name ?? ''
  const [victim = '', other = ''] = nodes.filter((node) => node !== dc)
  const back = async (): Promise<boolean> => {
    const { fencing, nodes: now } = await lab.status(other)
    return fencing.length > 0 && now.every(({ online, unclean }) => online && !unclean) && now.some((node) => node.dc)
  }
  await lab.power.off(victim)
  await lab.until('the victim is back', back)
  const note = /The alert hook fails: .*answered 503: not now; it is tried again/
  await lab.until('the DC tries it again', async () => note.test(await lab.systole(other, 'status')))
  await lab.power.off(dc)
  await lab.until('the DC is back', async () => {
    const { nodes: now } = await lab.status(other)
    return (await back()) && now.find((node) => node.dc)?.name !== dc
  })
  expect(receivers.hooks).toEqual([])
  await receivers.become({ status: 200 })
  // Whoever changes the alert wants to know now.
  await lab.systole(other, 'alert', 'update', 'hook', 'description=ready')
  const expected = [victim, dc].flatMap((node) => [
    `Node ${node} is lost`,
    `Node ${node} was fenced (reboot)`,
    `Node ${node} is a member of the cluster`,
  ])
  await lab.until('all has come', () => {
    const missing = expected.filter((message) => !messages().includes(message))
    if (missing.length > 0) throw new Error(`missing: ${missing.join('; ')}; came: ${messages().join('; ')}`)
    return true
  })
  const nodesAndFencing = receivers.hooks.filter(({ message }) => message.startsWith('Node'))
  expect(nodesAndFencing.map(({ message }) => message).sort()).toEqual([...expected].sort())
  expect(new Set(nodesAndFencing.map(({ id }) => id)).size).toBe(expected.length)
}, 180_000)

test('a resource that fails on and on is told once in the interval, with how often', async () => {
  receivers.forget()
  await lab.systole('n1', 'alert', 'update', 'hook', 'meta', 'repeat-interval=20s')
  await lab.systole('n1', 'resource', 'create', 'flap', 'ocf:heartbeat:Dummy', 'op', 'monitor', 'interval=1s', '--wait')
  const [where = ''] = await lab.whereIs('flap', 'n1')
  const failures = () =>
    receivers.hooks.filter(({ message }) => /monitor every 1 s of flap .*not running/.test(message))
  const failed = /monitor.*flap/
  for (let time = 0; time < 4; time += 1) {
    await lab.inNode(where, 'sh', '-c', 'find /run /var/run -name "Dummy-flap.state" -delete')
    await lab.until('it was seen, and runs again', async () => {
      const at = await lab.inNode(where, 'sh', '-c', 'find /run /var/run -name "Dummy-flap.state" | wc -l')
      return Number(at) > 0 && failed.test(await lab.systole('n1', 'status', '--full'))
    })
  }
  await lab.until('the sum has come', () => failures().length === 2, 60_000)
  expect(failures().map(({ times }) => times)).toEqual([1, 3])
}, 150_000)
