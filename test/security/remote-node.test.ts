/** Somebody has the key of a remote node, and everything on its host. What the cluster lets them do with it. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bmcPassword } from '../nodes/lab/bmc.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { holder, isOnline, tool } from '../nodes/lab/remote.ts'

const remote = 'r1'
const lab = new Lab(['n1', 'n2', 'n3', remote], { remotes: [remote] })
const program = resolve(import.meta.dirname, 'hostile-remote.mjs')

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.createFencing()
  await lab.addRemote(remote, 'n1', 'op', 'monitor', 'interval=10')
  await lab.until('the remote node is online', () => isOnline(lab, remote, 'n1'))
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--disabled')
  await lab.systole('n1', 'constraint', 'location', 'web', 'avoids', remote)
  await lab.systole('n1', 'resource', 'enable', 'web', '--wait')
}, 180_000)

afterAll(() => lab.close(), 60_000)

interface Answer {
  readonly kind?: 'answer' | 'failed'
  readonly message?: string
  readonly ended?: true
  readonly body?: { readonly exitCode?: number; readonly output?: string; readonly errors?: string }
}

/** Its own daemon is gone, and another program speaks with its key. */
async function attack(...messages: readonly object[]): Promise<readonly Answer[]> {
  const answers = await lab.inNode(remote, process.execPath, program, '/etc/systole/pki', JSON.stringify(messages))
  return JSON.parse(answers) as readonly Answer[]
}

const call = (toolName: string, ...words: readonly string[]) => ({
  name: 'tool',
  body: { tool: toolName, arguments: words },
})

const daemonOf = async (node: string): Promise<string> => (await lab.inNode(node, 'cat', '/run/systoled.pid')).trim()

test('its agents ask and tell what they need', async () => {
  expect(await tool(lab, remote, 'crm_node', '-n')).toBe(remote)
  await tool(lab, remote, 'crm_attribute', '-N', remote, '-l', 'forever', '--name', 'rack', '-v', '7')
  expect(await tool(lab, 'n2', 'crm_attribute', '-N', remote, '-l', 'forever', '--name', 'rack', '-q')).toBe('7')
  expect(await lab.systole('n1', 'config', 'history')).toContain(`root@${remote}`)
  expect(await tool(lab, remote, 'crm_mon', '-1', '--output-as=xml')).toContain('<node name="n1"')
}, 60_000)

test('its key reads no password, makes no resource, and runs nothing on another node', async () => {
  writeFileSync(join(lab.folder, 'nodes', remote, 'hold'), '')
  await lab.inNode(remote, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  const evil = `<primitive id="evil" class="ocf" provider="heartbeat" type="anything"><instance_attributes id="evil-p">
    <nvpair id="evil-b" name="binfile" value="/usr/bin/touch"/><nvpair id="evil-o" name="cmdline_options" value="/run/owned"/>
    </instance_attributes></primitive>`
  const [all, password, made, replaced, property, fenced, standby, history, known] = await attack(
    call('cibadmin', '--query'),
    call('crm_resource', '-r', 'fence-n1', '-g', 'password'),
    call('cibadmin', '--create', '-o', 'resources', '-X', evil),
    call('cibadmin', '--replace', '-o', 'resources', '-X', `<resources>${evil}</resources>`),
    call('crm_attribute', '--type', 'crm_config', '--name', 'stonith-enabled', '--update', 'false'),
    call('stonith_admin', '--reboot', 'n2'),
    {
      name: 'tool',
      body: { tool: 'crm_attribute', arguments: ['-l', 'reboot', '-n', 'standby', '-v', 'on'], onNode: 'n2' },
    },
    {
      name: 'record',
      body: {
        records: [
          {
            node: 'n2',
            resource: 'evil',
            agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
            recordId: 'evil_last_0',
            attributes: { operation: 'start', 'rc-code': '0' },
          },
        ],
      },
    },
    call('crm_node', '-n'),
  )
  expect(all?.body).toMatchObject({ exitCode: 0 })
  expect(all?.body?.output).toContain('fence-n1')
  expect(JSON.stringify([all, password])).not.toContain(bmcPassword)
  for (const one of [made, replaced, property, fenced]) expect(one?.body).toMatchObject({ exitCode: 4, output: '' })
  expect(standby?.body, 'it is its own').toMatchObject({ exitCode: 0 })
  expect(history).toMatchObject({
    kind: 'failed',
    message: `The remote node ${remote} may not write the history of n2.`,
  })
  expect(known?.body?.output).toBe(`${remote}\n`)

  const config = await lab.systole('n1', 'config')
  expect(config).not.toContain('evil')
  expect(await lab.systole('n1', 'property', 'config')).not.toContain('stonith-enabled')
  const { nodes, resources, fencing } = await lab.status('n1')
  expect(resources.map(({ id }) => id)).not.toContain('evil')
  expect(nodes.filter(({ standby: isStandby }) => isStandby).map(({ name }) => name)).not.toContain('n2')
  expect(fencing.filter(({ target }) => target !== remote)).toEqual([])
  for (const node of ['n1', 'n2', 'n3']) expect(await lab.inNode(node, 'ls', '/run')).not.toContain('owned')
}, 120_000)

test('a start, a promotion or a move that nobody has asked for is not believed, and nothing moves for it', async () => {
  const [where = ''] = await lab.whereIs('web', 'n1')
  await lab.until('its connection is held by somebody', async () => (await holder(lab, remote, 'n1')) !== '', 60_000)
  const claim = (operation: string, more: object = {}) => ({
    name: 'record',
    body: {
      records: [
        {
          node: remote,
          resource: 'web',
          agent: { class: 'ocf', provider: 'pacemaker', type: 'Dummy' },
          recordId: 'web_last_0',
          attributes: {
            operation,
            operation_key: `web_${operation}_0`,
            'transition-key': '3:1:0:00000000-0000-4000-8000-000000000001',
            'transition-magic': '0:0;3:1:0:00000000-0000-4000-8000-000000000001',
            'call-id': '99',
            'rc-code': '0',
            'op-status': '0',
            interval: '0',
            on_node: remote,
            ...more,
          },
        },
      ],
    },
  })
  const moved = { migrate_source: remote, migrate_target: where }
  const claims = [claim('start'), claim('promote'), claim('monitor'), claim('migrate_to', moved)]
  // Told as taken: an honest node that tells of an earlier connection does not repeat itself for ever.
  for (const one of await attack(...claims)) expect(one).toMatchObject({ kind: 'answer' })
  const seen = await lab.systole('n1', 'cluster', 'cib')
  const history = seen.slice(seen.indexOf(`<node_state id="${remote}"`)).split('</node_state>')[0] ?? ''
  expect(history).toContain('<node_state')
  expect(history).not.toMatch(/call-id="99"/)
  expect(await lab.whereIs('web', 'n1')).toEqual([where])
}, 120_000)

test('no message of its ends the daemon of a cluster node', async () => {
  await lab.until('its connection is held by somebody', async () => (await holder(lab, remote, 'n1')) !== '', 60_000)
  const before = await Promise.all(['n1', 'n2', 'n3'].map(daemonOf))
  const raws = [
    { kind: 'call', id: 1, name: 'toString', body: {} },
    { kind: 'call', id: 1, name: 'constructor', body: {} },
    { kind: 'call', id: 1, name: 'record', body: { records: 'none' } },
    { kind: 'call', id: 1, name: 'tool', body: { tool: 'crm_node' } },
    { kind: 'call', id: 1, name: 'renew', body: { publicKey: 'no key' } },
    { kind: 'call' },
    { kind: 'answer', id: 1 },
    [],
    null,
  ]
  for (const raw of raws.slice(0, 2)) expect(await attack({ raw })).toMatchObject([{ kind: 'failed' }])
  for (const raw of raws.slice(2)) expect(await attack({ raw: raw ?? { raw } })).toHaveLength(1)
  expect(await Promise.all(['n1', 'n2', 'n3'].map(daemonOf))).toEqual(before)
  expect((await lab.status('n1')).nodes.filter(({ name, online }) => name !== remote && online)).toHaveLength(3)
}, 180_000)

test('one that hangs up as soon as it is owned is connected to more and more rarely', async () => {
  await lab.until('its connection is held by somebody', async () => (await holder(lab, remote, 'n1')) !== '', 60_000)
  const hangUp = JSON.stringify({ hangUpMs: 20_000 })
  const count = Number(await lab.inNode(remote, process.execPath, program, '/etc/systole/pki', hangUp))
  // The test before has ended its connections often: the pause may be a long one already.
  expect(count).toBeGreaterThan(0)
  // Without a pause it is some 35 times, each with a write to the store.
  expect(count).toBeLessThan(20)
}, 180_000)
