/**
 * Users of three hosts, by their names in each host's own /etc, on a node that is not the DC: what their roles permit, root in somebody's name (CIB_user), and a user
 * who may only read and keeps his node busy with long documents.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HttpsAnswer, HttpsClient } from '../nodes/lab/https.ts'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])
const shims = join(lab.folder, 'systole/shims')
const secret = 'Ohgh8ees'

/** A host's own users: /etc of the machine stays as it is. */
const boot = `cp /etc/passwd /run/passwd; cp /etc/group /run/group
sed -i '/^haclient:/d;/^ops:/d' /run/group
printf 'haclient:x:70100:alice,carol,eve\\nops:x:70200:carol\\n' >> /run/group
printf 'alice:x:70001:70100::/:/bin/sh\\ncarol:x:70003:70100::/:/bin/sh\\neve:x:70004:70100::/:/bin/sh\\n' >> /run/passwd
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
`

let elsewhere = 'n2'

beforeAll(async () => {
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster()
  await root('n1', 'systole property set stonith-enabled=false')
  await root('n1', `systole resource create db ocf:pacemaker:Dummy fake=${secret} --force`)
  await root('n1', 'systole resource create web ocf:pacemaker:Dummy --wait')
  await root(
    'n1',
    `systole acl role create watcher read xpath /cib deny xpath "//nvpair[@name='fake']" write xpath "//resources//nvpair[@name='target-role']"`,
  )
  await root('n1', 'systole acl user create alice watcher')
  await root('n1', 'systole acl group create ops watcher')
  await root('n1', 'systole acl enable')
  const dc = (await root('n1', 'crmadmin -D -q')).trim().split(/\s/).at(-1)
  elsewhere = ['n1', 'n2', 'n3'].find((node) => node !== dc) ?? 'n2'
}, 180_000)
afterAll(async () => {
  await outside.close()
  await lab.close()
})

const outside = new HttpsClient(lab)

async function root(node: string, line: string): Promise<string> {
  return await lab.inNode(node, 'bash', '-c', `export PATH=${shims}:$PATH; ${line}`)
}

interface Outcome {
  readonly code: number
  readonly text: string
}

/** As a user of that host by his name. */
async function as(user: string, line: string, node = elsewhere): Promise<Outcome> {
  const become = user === 'root' ? '' : `setpriv --reuid=${user} --regid=haclient --init-groups`
  const script = `export PATH=${shims}:$PATH HOME=/tmp; cd /tmp; ${become} bash -c "$1" 2>&1; echo "exit $?"`
  const text = await lab.inNode(node, 'bash', '-c', script, 'bash', line)
  const [, said = '', code = ''] = /^([\s\S]*)exit (\d+)\n$/.exec(text) ?? []
  return { code: Number(code), text: said }
}

test('on a node that is not the DC a user and a member of a group do what their role permits', {
  timeout: 120_000,
}, async () => {
  for (const user of ['alice', 'carol']) {
    const seen = await as(user, 'cibadmin -Q')
    expect(seen, user).toMatchObject({ code: 0, text: expect.stringContaining('<primitive id="db"') })
    expect(seen.text, user).not.toContain(secret)
    expect(await as(user, 'systole resource disable web --wait'), user).toMatchObject({ code: 0 })
    expect(await as(user, 'systole resource enable web --wait'), user).toMatchObject({ code: 0 })
    expect(await as(user, 'systole resource delete db --force'), user).toMatchObject({ code: 1 })
  }
  expect(await as('eve', 'cibadmin -Q')).toMatchObject({ code: 4 })
  const history = JSON.parse(await root('n1', 'systole config history --json')) as readonly { readonly user: string }[]
  expect(new Set(history.map(({ user }) => user))).toEqual(new Set(['root', 'alice', 'carol']))
})

test('root acts with the rights of the user that CIB_user names, and nobody else does', {
  timeout: 60_000,
}, async () => {
  expect((await as('root', 'cibadmin -Q')).text).toContain(secret)
  const acting = await as('root', 'CIB_user=alice cibadmin -Q')
  expect(acting).toMatchObject({ code: 0, text: expect.stringContaining('<primitive id="db"') })
  expect(acting.text).not.toContain(secret)
  expect((await as('root', 'CIB_user=hacluster cibadmin -Q')).text).toContain(secret)
  expect(await as('root', 'CIB_user=eve cibadmin -Q')).toMatchObject({ code: 4 })
  expect(await as('root', 'CIB_user=alice crm_attribute -n batch-limit -v 3')).toMatchObject({ code: 4 })
  expect(await as('root', 'CIB_user=alice crm_resource -r web --meta -p target-role -v Started')).toMatchObject({
    code: 0,
  })
  expect((await as('alice', 'CIB_user=root cibadmin -Q')).text).not.toContain(secret)
  expect(await as('eve', 'CIB_user=alice cibadmin -Q')).toMatchObject({ code: 4 })
})

test('what a user may do is marked in the CIB that whoever asks may read', { timeout: 60_000 }, async () => {
  const shown = await as('root', 'cibadmin -Q -U alice --show-access=namespace')
  expect(shown).toMatchObject({ code: 0 })
  expect(shown.text).toMatch(/<pcmk-access-denied:nvpair id="db-instance_attributes-fake"/)
  const own = await as('alice', 'cibadmin -Q -U alice --show-access=text')
  expect(own.text).toContain('vvv---[ READABLE ]---vvv')
  expect(own.text).not.toContain(secret)
})

/** Printed by the user's own process, which sends it over the socket. */
const documents: Readonly<Record<string, string>> = {
  'very many attributes': `perl -e 'print "<nvpair id=\\"x\\""; print " a$_=\\"\\"" for 1..200000; print "/>"'`,
  'one long line': `perl -e 'print "<nvpair id=\\"x\\"><![CDATA[x]]>"; print "<b/>" x 800000; print "</nvpair>"'`,
}

test.each(Object.entries(documents))(
  'a document of %s, sent by somebody who may only read, holds nobody up for long',
  { timeout: 120_000 },
  async (_, print) => {
    const sending = as('alice', `${print} > /tmp/long.xml; cibadmin --modify -x /tmp/long.xml; true`)
    const began = performance.now()
    await sending
    expect(await root(elsewhere, 'crm_node -n')).toContain(elsewhere)
    expect(performance.now() - began).toBeLessThan(60_000)
    const state = JSON.parse(await root('n1', 'systole status --json')) as { readonly fencing?: readonly object[] }
    expect(state.fencing ?? []).toEqual([])
  },
)

/** What others wrote this year, tried by somebody with a role for two things: each line, and what must be said of it. */
const attempts: readonly (readonly [string, RegExp])[] = [
  ['systole job run --all -- touch /run/by-alice', /ermission denied|write.*job/],
  ['systole job copy /etc/hostname --to=/etc/by-alice --all', /ermission denied|write.*job/],
  ['systole node benchmark --all', /ermission denied|write.*job/],
  [
    `printf 'rollout: x\\nversion: "2"\\nnodes: {all: true}\\nsteps: {actions: [{run: [touch, /run/by-alice]}]}\\n' > /tmp/by-alice.yaml; systole rollout start /tmp/by-alice.yaml`,
    /ermission denied|write.*job|Error/,
  ],
  ['systole config confirm WAITING', /ermission denied: another user's change/],
  ['systole incident list', /ermission denied: the journal is shown/],
  ['cat /var/lib/systole/journal', /ermission denied/],
  ['echo x >> /var/lib/systole/journal', /ermission denied/],
  ['ln -s /etc/passwd /var/lib/systole/journal.1', /ermission denied/],
  ['systole token create mine --administrator', /ermission denied/],
  ['mkdir -p /etc/systole/watches && touch /etc/systole/watches/mine.yaml', /Permission denied/],
  ['systole service create evil db port=80 check=command command=x', /ermission denied/],
  ['systole alert create path=/tmp/evil.sh', /ermission denied/],
  [`systole property set secret-names=none`, /ermission denied/],
  ['systole config revert 2', /ermission denied|rror/],
]

test('a user with a role runs nothing as root, confirms nobody else’s change, and reads no journal and no saved decisions', {
  timeout: 240_000,
}, async () => {
  const asked = await as('root', 'systole property set batch-limit=9 --confirm-within=1h')
  const [, waiting = ''] = /config confirm (\d+)/.exec(asked.text) ?? []
  expect(waiting, asked.text).not.toBe('')
  for (const [line, said] of attempts) {
    const { code, text } = await as('alice', line.replace('WAITING', waiting))
    expect(code, `${line}: ${text}`).not.toBe(0)
    expect(text, line).toMatch(said)
  }
  expect(await lab.inNode(elsewhere, 'bash', '-c', 'ls /run/by-alice /etc/by-alice 2>/dev/null || true')).toBe('')
  // Where the DC keeps what it has decided from, with every password.
  const dc = (await root('n1', 'crmadmin -D -q')).trim().split(/\s/).at(-1)
  for (const line of ['systole state list', 'cat /var/lib/systole/pengine/*'])
    expect(await as('alice', line, dc), line).toMatchObject({
      code: 1,
      text: expect.stringMatching(/EACCES|denied/) as unknown,
    })
  // A plan of hers is not applied by root, who is told whose it is.
  const made = await as(
    'alice',
    'echo systole resource disable web > /tmp/hers.sh; systole plan /tmp/hers.sh --out=/tmp/hers.plan',
  )
  expect(made).toMatchObject({ code: 0 })
  const plan = await as('root', 'systole apply /tmp/hers.plan')
  expect(plan).toMatchObject({ code: 1, text: expect.stringMatching(/belongs to another user/) as unknown })
  await as('root', `systole config confirm ${waiting}; rm -f /tmp/hers* /tmp/by-alice.yaml`)
})

/** Tokens with one small role each, shown to the API of a node. */
const roles: Readonly<Record<string, string>> = {
  rack: `read xpath /cib write xpath "//nodes//nvpair[@name='rack']"`,
  nodes: 'read xpath /cib write xpath "//nodes//nvpair"',
  operator: `read xpath /cib write xpath "//resources//nvpair[@name='target-role']"`,
}
const tokens = new Map<string, string>()

async function makeToken(name: string, role: string): Promise<void> {
  const { token } = JSON.parse(await root('n1', `systole token create ${name} --role=${role} --json`)) as {
    token: string
  }
  tokens.set(name, token)
}

async function change(name: string, path: string, ...words: readonly string[]): Promise<HttpsAnswer> {
  const flags = path.includes('?') ? { 'confirm-within': path.split('?')[1] } : {}
  const [where = ''] = path.split('?')
  return await outside.ask('n1', `/api/v1${where}`, { method: 'POST', token: tokens.get(name), body: { words, flags } })
}

test('a token that may write one attribute of nodes says nothing else of a node: no name, no kind, no role', {
  timeout: 120_000,
}, async () => {
  for (const [role, permissions] of Object.entries(roles)) {
    await root('n1', `systole acl role create ${role} ${permissions}`)
    await makeToken(role, role)
  }
  await root('n1', 'systole console enable')
  const set = async (name: string, pair: string): Promise<number> =>
    (await change(name, '/node/attribute', elsewhere, pair)).status
  expect(await set('rack', 'rack=7')).toBe(200)
  const others = ['#uname=n1', '#kind=remote', '#facts-cpus=99', '#health-mine=red', 'web-role=true', 'standby=on']
  for (const pair of others) expect(await set('rack', pair), pair).toBe(403)
  expect((await change('rack', '/role/add', 'web', elsewhere)).status).toBe(403)
  expect((await change('rack', '/node/standby', elsewhere)).status).toBe(403)
  // All of them are what the guide warns of.
  for (const pair of others) expect(await set('nodes', pair), pair).toBe(200)
  for (const pair of others) expect(await set('nodes', `${pair.split('=')[0]}=`), pair).toBe(200)
  expect(await root('n1', 'systole node attribute --json')).toContain('rack')
})

test('a change of a token that waits for confirmation is confirmed by that token alone, or is taken back, and leaves room for others', {
  timeout: 120_000,
}, async () => {
  await makeToken('other', 'operator')
  const versionIn = ({ status, body }: HttpsAnswer): string => {
    expect(status, body).toBe(200)
    return String((JSON.parse(body) as { readonly result: { readonly version: number } }).result.version)
  }
  const confirmed = versionIn(await change('operator', '/resource/disable?1h', 'web'))
  expect((await change('other', '/config/confirm', confirmed)).status).toBe(403)
  expect((await change('rack', '/config/confirm', confirmed)).status).toBe(403)
  expect((await change('operator', '/config/confirm', confirmed)).status).toBe(200)
  versionIn(await change('operator', '/resource/enable', 'web'))
  versionIn(await change('operator', '/resource/disable?5s', 'web'))
  await lab.until('the DC has taken it back', async () =>
    (await root('n1', 'systole config history')).includes('(token operator@n1 did not confirm it within 5 s)'),
  )
  expect(await root('n1', 'cibadmin -Q -o resources')).not.toContain('value="Stopped"')
  // Five of one token wait at most.
  const waiting: string[] = []
  for (const word of ['disable', 'enable', 'disable', 'enable', 'disable'])
    waiting.push(versionIn(await change('operator', `/resource/${word}?1h`, 'web')))
  const sixth = await change('operator', '/resource/enable?1h', 'web')
  expect([sixth.status, sixth.body]).toEqual([
    expect.any(Number),
    expect.stringContaining('5 changes of token:operator wait for confirmation already') as unknown,
  ])
  expect(sixth.status).not.toBe(200)
  waiting.push(versionIn(await change('other', '/resource/enable?1h', 'web')))
  await root('n1', waiting.map((version) => `systole config confirm ${version}`).join('; '))
})
