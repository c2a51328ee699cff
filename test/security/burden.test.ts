/**
 * A user of a host who may only read sends to the daemon's sockets whatever may keep it from its work, by programs of his own, in a cluster of 500
 * resources. Root is answered meanwhile, and the daemon goes on as it was.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const program = resolve(import.meta.dirname, 'burden.mjs')
const burdenMs = 1500
/** With what the machine does besides. One call of many words took more than ten minutes once, 32 questions at a time ten seconds. */
const patienceMs = 5000

/** A host's own users: /etc of the machine stays as it is. */
const boot = `cp /etc/passwd /run/passwd; cp /etc/group /run/group
sed -i '/^haclient:/d' /run/group
printf 'haclient:x:70100:alice\\n' >> /run/group
printf 'alice:x:70001:70100::/:/bin/sh\\nmallory:x:70002:70002::/:/bin/sh\\n' >> /run/passwd
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
`

const pair = (id: string, name: string, value: string): string => `<nvpair id="${id}" name="${name}" value="${value}"/>`
const resource = (number: number): string => `<primitive id="r${number}" class="ocf" provider="pacemaker" type="Dummy">
  <instance_attributes id="r${number}-p">${pair(`r${number}-fake`, 'fake', `v${number}`)}</instance_attributes>
  <meta_attributes id="r${number}-m">${pair(`r${number}-role`, 'target-role', 'Stopped')}</meta_attributes>
  <operations><op id="r${number}-monitor" name="monitor" interval="10s"/><op id="r${number}-start" name="start" interval="0"/></operations></primitive>`
const numbers = Array.from({ length: 500 }, (_, number) => number)
const configuration = `<cib validate-with="pacemaker-3.9"><configuration>
  <crm_config><cluster_property_set id="options">${pair('o1', 'stonith-enabled', 'false')}${pair('o2', 'enable-startup-probes', 'false')}</cluster_property_set></crm_config>
  <nodes>${nodes.map((node, index) => `<node id="${index + 1}" uname="${node}"/>`).join('')}</nodes>
  <resources>${numbers.map(resource).join('')}</resources>
  <constraints>${numbers.map((number) => `<rsc_location id="l${number}" rsc="r${number}" node="n${1 + (number % 3)}" score="100"/>`).join('')}</constraints>
</configuration><status/></cib>`

beforeAll(async () => {
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  writeFileSync(join(lab.folder, 'large.xml'), configuration)
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster()
  await lab.systole('n1', 'cluster', 'cib-push', join(lab.folder, 'large.xml'))
  await lab.systole('n1', ...'acl role create watcher read xpath /cib'.split(' '))
  await lab.systole('n1', ...'acl user create alice watcher'.split(' '))
  await lab.systole('n1', 'acl', 'enable')
}, 180_000)
afterAll(() => lab.close(), 60_000)

async function burden(node: string, user: string, ...words: readonly string[]): Promise<string> {
  const become = ['setpriv', `--reuid=${user}`, `--regid=${user === 'alice' ? 'haclient' : 'nogroup'}`, '--init-groups']
  const as = user === 'root' ? [] : become
  return await lab.inNode(node, ...as, process.execPath, program, ...words)
}

/** The daemon's process, and how often it has lost quorum. */
async function stateOf(node: string): Promise<string> {
  const pid = await lab.inNode(node, 'cat', '/run/systoled.pid')
  const log = await lab.inNode(node, 'cat', join(lab.folder, 'nodes', node, 'systoled.log'))
  return `${pid.trim()}, ${log.split('lost quorum').length - 1}`
}

const kinds = JSON.parse(
  execFileSync(process.execPath, [program, 'kinds', '0'], { encoding: 'utf8' }),
) as readonly string[]

test.each(kinds)('%s', { timeout: 120_000 }, async (kind) => {
  const before = await stateOf('n2')
  const [{ slowest, count }] = await Promise.all([
    burden('n2', 'root', 'probe', String(burdenMs + 1000)).then((text) => JSON.parse(text)),
    burden('n2', 'alice', kind, String(burdenMs), '16'),
  ])
  expect(count).toBeGreaterThan(0)
  expect(slowest).toBeLessThan(patienceMs)
  expect(await stateOf('n2')).toBe(before)
})

test('a user who is not in haclient reaches no socket, and reads and writes nothing of the cluster', async () => {
  for (const kind of ['getState', 'status'])
    expect(JSON.parse(await burden('n2', 'mallory', kind, '300')).last, kind).toMatch(
      /^(?:ended|GetState: ended, 0 bytes)$/,
    )
  const find = 'find /etc/systole /var/lib/systole /run/systole'
  const seen = async (what: string): Promise<string> =>
    (
      await lab.inNode(
        'n2',
        'setpriv',
        '--reuid=mallory',
        '--regid=nogroup',
        '--clear-groups',
        'sh',
        '-c',
        `${find} ${what} 2>/dev/null; true`,
      )
    ).trim()
  expect(await seen('-writable')).toBe('')
  const open = (await seen('-type f -readable')).split('\n').map((path) => basename(path))
  const noSecrets = ['access-control', 'cluster.json', 'met', 'revoked.crl', 'started', 'systoled.pid']
  expect(open.filter((name) => !name.endsWith('.crt') && !noSecrets.includes(name))).toEqual([])
})

test('nobody was suspected or fenced meanwhile', async () => {
  const { nodes: seen, fencing } = await lab.status('n1')
  expect(seen.map(({ name, online, unclean }) => [name, online, unclean])).toEqual(
    nodes.map((node) => [node, true, false]),
  )
  expect(fencing).toEqual([])
})
