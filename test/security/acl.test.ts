/**
 * Users of the group haclient on a real node while access control is on: by the command line, by Pacemaker's commands and by any other program. alice may read
 * everything but passwords and write the roles of resources, bob has no role, and the user number 70009 has no name.
 */
import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localNeeds } from '../../src/daemon/api/local-calls.ts'
import { decode, encode } from '../../src/rpc/forms/codec.ts'
import { localService } from '../../src/rpc/index.ts'
import { allTools } from '../../src/tools/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1'])
const shims = join(lab.folder, 'systole/shims')
const secret = 'Ohgh8ees'
const users = { alice: 70001, bob: 70002, nameless: 70009 } as const
type User = keyof typeof users
const haclient = 70100

/** Before the daemon starts. */
const boot = `cp /etc/passwd /run/passwd; cp /etc/group /run/group
sed -i '/^haclient:/d' /run/group
echo 'haclient:x:${haclient}:alice,bob' >> /run/group
echo 'alice:x:70001:${haclient}::/:/bin/sh' >> /run/passwd
echo 'bob:x:70002:${haclient}::/:/bin/sh' >> /run/passwd
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
`

beforeAll(async () => {
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  // Other users than root run what is in it.
  chmodSync(lab.folder, 0o755)
  copyFileSync(join(import.meta.dirname, 'raw-calls.mjs'), join(lab.folder, 'raw-calls.mjs'))
  await lab.start()
  await lab.formCluster()
  await root('systole property set stonith-enabled=false')
  await root(`systole resource create db ocf:pacemaker:Dummy fake=${secret} --force`)
  await root('systole resource create web ocf:pacemaker:Dummy --wait')
  await root(
    `systole acl role create watcher read xpath /cib deny xpath "//nvpair[@name='fake']" write xpath "//resources//nvpair[@name='target-role']"`,
  )
  await root('systole acl user create alice watcher')
  await root('systole acl enable')
}, 120_000)
afterAll(() => lab.close())

interface Outcome {
  readonly code: number
  readonly text: string
}

async function root(line: string): Promise<string> {
  return await lab.inNode('n1', 'bash', '-c', `export PATH=${shims}:$PATH; ${line}`)
}

/** A line of shell as one of the users: output, errors and exit code. */
async function as(user: User, line: string): Promise<Outcome> {
  const uid = users[user]
  const become = `setpriv --reuid=${uid} --regid=${haclient} --clear-groups`
  const script = `export PATH=${shims}:$PATH HOME=/tmp; cd /tmp; ${become} bash -c "$1" 2>&1; echo "exit $?"`
  const text = await lab.inNode('n1', 'bash', '-c', script, 'bash', line)
  const [, said = '', code = ''] = /^([\s\S]*)exit (\d+)\n$/.exec(text) ?? []
  return { code: Number(code), text: said }
}

test('what alice may read is shown by every command, and the password by none', async () => {
  const commands = [
    'systole cluster cib',
    'systole resource config',
    'systole resource config db --output-format json',
    'systole config',
    'systole status --json',
    'systole why db',
    'systole simulate --disable web',
    'systole config history',
    'systole config history show 3',
    'systole config diff 1 4',
    'cibadmin --query',
    'cibadmin --query --scope resources',
    'cibadmin --query --xpath \'//primitive[@id="db"]\'',
    'crm_resource --list',
    'crm_resource --query-xml --resource db',
    'crm_mon -1',
    'crm_mon -1 --output-as=xml',
    'crm_simulate -L',
    'crm_verify -L -V',
    'crm_report --help',
  ]
  for (const command of commands) {
    const { text } = await as('alice', command)
    expect(text, command).not.toContain(secret)
  }
  const seen = await as('alice', 'systole cluster cib')
  expect(seen.code).toBe(0)
  expect(seen.text).toContain('<primitive id="web"')
  expect(seen.text).toContain('<instance_attributes id="db-instance_attributes"/>')
  expect(await root('cibadmin --query')).toContain(secret)
})

test('a user without a role, and one without a name, are told why they may do nothing', async () => {
  expect(await as('bob', 'systole status')).toEqual({
    code: 1,
    text: 'Error: Access control is enabled, but bob has no role. An administrator can assign one with `systole acl user create bob <role>`.\n',
  })
  expect(await as('bob', 'cibadmin --query')).toMatchObject({ code: 4 })
  const { code, text } = await as('nameless', 'systole cluster cib')
  expect(code).toBe(1)
  expect(text).toBe(
    'Error: Access control is enabled, but the user number 70009 has no name on this host and therefore no role.\n',
  )
})

test('what alice may write is written and keeps what she does not see, and the history names her', async () => {
  expect(await as('alice', 'systole resource disable web --wait')).toMatchObject({ code: 0 })
  expect(
    await as('alice', 'crm_resource --resource db --meta --set-parameter target-role --parameter-value Stopped'),
  ).toMatchObject({ code: 0 })
  const cib = await root('cibadmin --query')
  expect(cib).toContain('name="target-role" value="Stopped"')
  expect(cib).toContain(secret)
  const history = JSON.parse(await root('systole config history --json')) as readonly { readonly user: string }[]
  expect(history.filter(({ user }) => user === 'alice')).toHaveLength(2)
  expect(await as('alice', 'systole resource enable web --wait')).toMatchObject({ code: 0 })
  expect(await root('cibadmin --query')).not.toContain('web-meta_attributes')
})

test('what alice may not write is refused by the first difference with its path', async () => {
  const refused: readonly (readonly [string, string])[] = [
    [
      'systole resource create evil ocf:pacemaker:Dummy --force',
      "create /cib/configuration/resources/primitive[@id='evil']",
    ],
    [
      'systole resource update db fake=mine --force',
      "/cib/configuration/resources/primitive[@id='db']/instance_attributes[@id='db-instance_attributes']",
    ],
    ['systole resource delete db --force', "remove /cib/configuration/resources/primitive[@id='db']"],
    ['systole acl disable', 'enable-acl'],
    ['systole acl user create alice2 watcher', "create /cib/configuration/acls/acl_target[@id='alice2']"],
    ['systole property set maintenance-mode=true', 'create /cib/configuration/crm_config/'],
    ['crm_attribute --name maintenance-mode --update true', 'create /cib/configuration/crm_config/'],
    ['crm_resource --resource db --set-parameter fake --parameter-value mine', 'db-instance_attributes'],
    [
      'cibadmin --delete --xml-text \'<primitive id="web"/>\'',
      "remove /cib/configuration/resources/primitive[@id='web']",
    ],
    ['cibadmin --delete --xpath \'//acl_permission[@kind="deny"]\'', 'remove /cib/configuration/acls'],
    ['cibadmin --erase --force', 'remove /cib/configuration/'],
    ['cibadmin --bump', 'change the attribute epoch of /cib'],
    ['attrd_updater -n probe -U 1', '/transient_attributes'],
    ['crm_attribute --node n1 --name a --update 1 --lifetime reboot', '/transient_attributes'],
    ['crm_resource --refresh --resource web --force', 'remove /cib/status/'],
    ['crm_resource --fail --resource web --node n1', '/cib/status/'],
    ['systole resource refresh web', 'remove /cib/status/'],
    ['crm_ticket --ticket t --grant --force', '/cib/status'],
  ]
  const before = await root('cibadmin --query --scope configuration')
  for (const [command, path] of refused) {
    const { code, text } = await as('alice', command)
    expect.soft(code, `${command}: ${text}`).not.toBe(0)
    expect.soft(text, command).toContain('Permission denied: ')
    expect.soft(text, command).toContain(path)
  }
  expect(await root('cibadmin --query --scope configuration')).toBe(before)
})

test('every call of the local API is refused or answers without the password, whatever program makes it', async () => {
  const paths = Object.values(localService).map(({ path }) => path)
  const packages = resolve(import.meta.dirname, '../../node_modules')
  const socket = '/run/systole/systole.sock'
  const { text } = await as('alice', `node ${lab.folder}/raw-calls.mjs ${packages} ${socket} ${paths.join(' ')}`)
  const outcomes = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly path: string; readonly answer?: string; readonly details?: string })
  expect(outcomes.map(({ path }) => path)).toEqual(paths)
  for (const [name, { path }] of Object.entries(localService)) {
    const outcome = outcomes.find((one) => one.path === path)
    expect.soft(outcome?.answer ?? '', name).not.toContain(secret)
    if (localNeeds[name as keyof typeof localNeeds] === 'administration')
      expect.soft(outcome?.details, name).toMatch(/^Permission denied: .* requires the permission 'write' on all of/)
  }
  const answered = outcomes.flatMap(({ path, answer }) => (answer === undefined ? [] : [path.split('/').at(-1)]))
  expect(answered).toEqual(
    expect.arrayContaining(['GetCib', 'GetState', 'WatchState', 'ListConfigVersions', 'GetCertificates']),
  )
})

test('a program that says it is root, and pushes a whole CIB without what it was not shown, is alice and removes nothing', async () => {
  const packages = resolve(import.meta.dirname, '../../node_modules')
  const raw = async (...calls: readonly string[]): Promise<{ readonly answer: string }> => {
    const { text } = await as(
      'alice',
      `node ${lab.folder}/raw-calls.mjs ${packages} /run/systole/systole.sock ${calls.join(' ')}`,
    )
    return JSON.parse(text) as { readonly answer: string }
  }
  const { answer } = await raw(localService.getCib.path)
  const { xml, version } = decode('CibAnswer', Buffer.from(answer, 'latin1'))
  expect(xml).not.toContain(secret)
  const message = encode('PushRequest', {
    xml: xml.replace('name="target-role" value="Stopped"', 'name="target-role" value="Started"'),
    expectedVersion: version,
    user: 'root',
    command: 'nothing to see',
  })
  await raw(`${localService.pushConfiguration.path}=${Buffer.from(message).toString('base64')}`)
  expect(await root('cibadmin --query')).toContain(secret)
  const history = JSON.parse(await root('systole config history --json')) as readonly {
    readonly user: string
    readonly command: string
  }[]
  expect(history.filter(({ command }) => command === 'nothing to see').map(({ user }) => user)).toEqual(['alice'])
  // What changes nothing is no version: others would fall out of the history for it.
  const { xml: now, version: current } = decode(
    'CibAnswer',
    Buffer.from((await raw(localService.getCib.path)).answer, 'latin1'),
  )
  const idle = encode('PushRequest', {
    xml: now.replace('<cib ', '<cib no-quorum-panic="1" execution-date="1" '),
    expectedVersion: current,
    user: 'root',
    command: 'idle',
  })
  await raw(`${localService.pushConfiguration.path}=${Buffer.from(idle).toString('base64')}`)
  expect(await root('systole config history --json')).not.toContain('"idle"')
})

test('a path of alice’s that takes for ever is refused, and nobody waits for it', async () => {
  const path = `count(${'//*[count('.repeat(5)}//*${')>0]'.repeat(5)})>0`
  const slow = as('alice', `cibadmin --query --xpath '//*[${path}]'`)
  const began = Date.now()
  await root('crm_attribute --query --name cluster-name')
  expect(Date.now() - began).toBeLessThan(5000)
  expect(await slow).toMatchObject({ code: 124 })
})

/** Calls of every command that show as much as they can. One without an entry fails below. */
const toolCalls: Readonly<Record<string, readonly string[]>> = {
  crm_attribute: [
    '--query --name cluster-name',
    '--list-options=all',
    "--query --node n1 --name '#health' --default 1",
  ],
  crm_master: ['-G -r web'],
  crm_standby: ['-G -N n1'],
  attrd_updater: ['-A -n fail-count-db', "-Q -n 'fail-count-db' -N n1"],
  crm_failcount: ['-G -r db -N n1'],
  crm_node: ['-l', '-n', '-q', '-i'],
  crm_mon: ['-1 -A -f -o -R -n', '-1 --output-as=xml', '-1 --show-detail --output-as=html'],
  crm_resource: [
    '-l',
    '-r db -q',
    '-r db -g fake',
    '-r db -W',
    '-r db --constraints',
    '-r db --force-check -V',
    '--list-operations',
    '-r db --digests -N n1',
    '-r db --why',
  ],
  cibadmin: [
    '-Q',
    '-Q -o resources',
    '-Q -o configuration',
    "-Q -A '//nvpair'",
    '-Q -A \'//nvpair[@name="fake"]\'',
    '-Q -A \'//primitive[instance_attributes/nvpair/@value="Ohgh8ees"]\' -n',
    "-Q -e -A '//nvpair'",
    '--user bob -Q',
    '--user root -Q',
    '--user hacluster -Q',
    '--user=root -Q --scope resources',
    '--show-access=text -Q',
    '--show-access=text -Q -U alice',
    '--show-access -Q -U bob',
  ],
  crm_diff: ['--help'],
  crm_rule: ['--check --rule=none'],
  crm_shadow: ['--create-empty s1 --batch --force', '--create s2 --batch --force && cat ~/shadow.s2', '--display'],
  crm_verify: ['-L -V', '-L --save-xml /tmp/saved.xml && cat /tmp/saved.xml'],
  crm_simulate: ['-L -s -S', '-L -Q --save-input /tmp/input.xml && cat /tmp/input.xml'],
  crm_ticket: ['-l', '-L'],
  crmadmin: ['-N', '-D', '-S n1'],
  stonith_admin: ['-L', '-I', "-H '*'", '-Q fence', '-l n1', '--metadata -a fence_dummy'],
  crm_report: ['--features'],
  crm_error: ['4'],
  iso8601: ['-n'],
  pacemakerd: ['--features', '--status'],
  'corosync-cfgtool': ['-s'],
  'corosync-quorumtool': ['-s'],
  'corosync-cmapctl': [''],
}

test('no command of Pacemaker’s shows alice the password', async () => {
  expect(Object.keys(toolCalls).sort()).toEqual(allTools.map(({ name }) => name).sort())
  const before = await root('cibadmin --query --scope configuration')
  for (const [tool, calls] of Object.entries(toolCalls))
    for (const words of calls) {
      const { text } = await as('alice', `${tool} ${words}`)
      // What was asked for may be said again.
      expect.soft(text.replaceAll(words, ''), `${tool} ${words}`).not.toContain(secret)
    }
  // What it finds by a value that it may not see is nothing.
  expect(
    await as('alice', toolCalls.cibadmin?.[5] === undefined ? '' : `cibadmin ${toolCalls.cibadmin[5]}`),
  ).toMatchObject({ code: 105 })
  expect(await root('cibadmin --query --scope configuration')).toBe(before)
})

test('root acts for a user, and nobody else does', async () => {
  const shown = await root('cibadmin --user alice --query')
  expect(shown).toContain('<primitive id="web"')
  expect(shown).not.toContain(secret)
  const change = `--modify --xml-text '<nvpair id="cib-bootstrap-options-enable-acl" value="false"/>'`
  const refused = await root(`cibadmin --user alice ${change} 2>&1; echo "exit $?"`)
  expect(refused).toMatch(/Permission denied: alice may not [a-z]+ [\s\S]*exit 4/)
  expect(await as('alice', 'cibadmin --user bob --query')).toEqual({
    code: 4,
    text: 'cibadmin: Permission denied: only root and hacluster may act for another user.\n',
  })
})

test('no file of the daemon shows alice the password, and no agent runs as root for her', async () => {
  const { text } = await as('alice', `grep -rls ${secret} /etc/systole /var/lib/systole /run /var/log`)
  expect(text).toBe('')
  await root('systole resource disable web --wait; rm -f /run/resource-agents/Dummy-web.state')
  await as('alice', 'crm_resource --resource web --force-start')
  const owner = await root('stat -c %u /run/resource-agents/Dummy-web.state || echo none')
  expect(owner.trim()).not.toBe('0')
})

test('a role that may write the whole configuration administers, and nothing less does', async () => {
  const administers = [
    'systole cluster token',
    'systole stonith fence n1',
    'systole stonith confirm n1 --force',
    'systole cluster stop --all --force',
    'systole cluster destroy --force',
    'systole cluster node add n2 addr=192.0.2.7',
    'stonith_admin --reboot n1',
  ]
  for (const command of administers) {
    const { code, text } = await as('alice', command)
    expect.soft(code, `${command}: ${text}`).not.toBe(0)
    expect.soft(text, command).toContain('Permission denied: ')
  }
  await root('systole acl role create admin write xpath /cib')
  await root('systole acl user create bob admin')
  expect((await as('bob', 'systole cluster cib')).text).toContain(secret)
  expect(await as('bob', 'systole property set maintenance-mode=false')).toMatchObject({ code: 0 })
  expect(await as('bob', 'systole cluster token')).toMatchObject({ code: 0 })
})

const packages = resolve(import.meta.dirname, '../../node_modules')
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** Requests in which bob says that he is root, as any program may. */
async function forged(): Promise<Readonly<Record<string, { readonly details?: string }>>> {
  const requests = {
    acquireLock: encode('AcquireLockRequest', {
      name: `forged-${Date.now()}`,
      user: 'root',
      ttlMs: 600_000,
      renew: false,
    }),
    acquireHolds: encode('AcquireHoldsRequest', { holds: [{ kind: 'disable', resource: 'web' }], user: 'root' }),
    runJob: encode('RunJobRequest', { argv: ['id'], nodes: ['n1'], user: 'root' } as never),
    triggerVersion: encode('TriggerVersionRequest', { version: '1', force: false, user: 'root' }),
    reportVersion: encode('ReportVersionRequest', { node: 'n1', version: '1', user: 'root' }),
  }
  const calls = Object.entries(requests).map(
    ([name, bytes]) => `${localService[name as keyof typeof localService].path}=${base64(bytes)}`,
  )
  const { text } = await as(
    'bob',
    `node ${lab.folder}/raw-calls.mjs ${packages} /run/systole/systole.sock ${calls.join(' ')}`,
  )
  const outcomes = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly path: string; readonly details?: string })
  return Object.fromEntries(outcomes.map(({ path, ...outcome }) => [path.split('/').at(-1) ?? '', outcome]))
}

for (const what of ['who may write the whole configuration', 'who is in haclient, while access control is off,'])
  test(`${what} acts under his own name, whatever his requests say, and runs nothing`, async () => {
    if (what.startsWith('who is')) await root('systole acl disable')
    const outcomes = await forged()
    for (const call of ['RunJob', 'TriggerVersion', 'ReportVersion'])
      expect.soft(outcomes[call]?.details, call).toContain('Permission denied: Jobs run as root')
    for (const call of ['AcquireLock', 'AcquireHolds']) expect.soft(outcomes[call]?.details, call).toBeUndefined()
    const locks = JSON.parse(await root('systole lock list --json')) as {
      readonly locks: readonly { user: string; owner: string }[]
    }
    expect(locks.locks.length).toBeGreaterThan(0)
    for (const lock of locks.locks) expect(lock).toMatchObject({ user: 'bob', owner: 'bob@n1' })
    expect(await root('systole hold list --json')).toMatch(/"user": ?"bob"/)
    expect(await root('systole hold list --json')).not.toMatch(/"user": ?"root"/)
    if (what.startsWith('who is')) await root('systole acl enable')
  })

test('a setting that is a password is read by root, and not by who reads the rest', async () => {
  await root(`systole orchestrate set_config db_password=${secret} global`)
  await root('systole orchestrate set_config enable_update=True global')
  const asked = 'systole orchestrate host_data state'
  expect(await root(asked)).toContain(secret)
  const { text } = await as('alice', asked)
  expect(text).toContain('enable_update')
  expect(text).not.toContain(secret)
})

test('where the cluster is stopped nobody but root gets in, as the roles are not known there', async () => {
  await root('systole cluster stop --force')
  for (const command of ['systole cluster start', 'systole cluster token', 'systole cluster destroy --force']) {
    const { code, text } = await as('bob', command)
    expect.soft(code, command).toBe(1)
    expect.soft(text, command).toContain('Access control is enabled, but this node has no configuration yet')
  }
  await root('systole cluster start')
  await lab.until('the node has quorum again', async () => (await as('bob', 'systole acl disable')).code === 0)
  await root('systole cluster stop --force')
  expect(await as('bob', 'systole cluster start')).toMatchObject({ code: 0 })
})
