/** Two real clusters: one has the other in its fleet, by token and certificate, and shows on one page how it is, also when nobody answers there any more. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { axeFindings, openBrowser, openPage, signIn, type Watched } from './lab/browser.ts'

const [north, south] = [['n1', 'n2'], ['s1']]
const lab = new Lab([...north, ...south])
const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
const tokenFile = join(lab.folder, 'south.token')
let browser: Awaited<ReturnType<typeof openBrowser>>
let seen: Watched
let fingerprint = ''

interface Facts {
  readonly current: boolean
  readonly clusters: readonly {
    readonly name: string
    readonly state: string
    readonly since: string
    readonly lastReached: string | null
    readonly worst: readonly { readonly text: string }[]
  }[]
}
const fleet = async (node = 'n1'): Promise<Facts> =>
  JSON.parse(await lab.systole(node, 'fleet', 'status', '--json')) as Facts
const southIs = async (state: string, node = 'n1'): Promise<void> =>
  await lab.until(`south is ${state}`, async () => (await fleet(node)).clusters[0]?.state === state, 60_000)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(north, 1, 'north')
  await lab.formCluster(south, 1, 'south')
  for (const node of ['n1', 's1']) {
    await lab.systole(node, 'property', 'set', 'stonith-enabled=false')
    await lab.systole(node, 'console', 'enable')
  }
  await lab.systole('s1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('s1', 'acl', 'role', 'create', 'monitor', 'read', 'xpath', '/cib')
  writeFileSync(tokenFile, await lab.systole('s1', 'token', 'create', 'north', '--role=monitor'), { mode: 0o600 })
  const status = JSON.parse(await lab.systole('s1', 'console', 'status', '--json')) as { authorityFingerprint: string }
  fingerprint = status.authorityFingerprint
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await lab.close()
}, 60_000)

test('a cluster is added once its fingerprint was compared and its token is good; nothing is added else', async () => {
  const at = lab.network.address('s1')
  const add = async (...options: readonly string[]): Promise<string> =>
    await lab.systole('n1', 'fleet', 'add', 'south', at, ...options)
  await expect(add()).rejects.toThrow(new RegExp(`of an authority with ${fingerprint}.*--fingerprint`))
  const wrong = fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00'))
  await expect(add('--token-file', tokenFile, `--fingerprint=${wrong}`)).rejects.toThrow(/another certificate/)
  const bad = join(lab.folder, 'bad.token')
  writeFileSync(bad, 'systole_wrong\n')
  await expect(add('--token-file', bad, `--fingerprint=${fingerprint}`)).rejects.toThrow(/it is refused.*not known/)
  const ofNorth = join(lab.folder, 'nodes/n1/etc/pki/authority.crt')
  await expect(add('--token-file', tokenFile, '--ca', ofNorth)).rejects.toThrow(/it is untrusted/)
  expect((await fleet()).clusters).toEqual([])
  expect(await add('--token-file', tokenFile, `--fingerprint=${fingerprint.toLowerCase()}`)).toMatch(
    /Added the cluster south[\s\S]*south: well since .* UTC, 1 of 1 nodes online/,
  )
  expect(await lab.systole('n2', 'fleet', 'list')).toContain(`authority ${fingerprint}`)
  await lab.systole('n1', 'fleet', 'remove', 'south')
  expect(await add('--token-file', tokenFile, '--ca', join(lab.folder, 'nodes/s1/etc/pki/authority.crt'))).toContain(
    'Added',
  )
  // The token is the daemon's, and shown nowhere.
  const token = readFileSync(tokenFile, 'utf8').split('\n')[0] ?? ''
  for (const words of [
    ['fleet', 'status', '--json'],
    ['fleet', 'list', '--json'],
    ['cluster', 'cib'],
    ['config', 'history'],
  ])
    expect(await lab.systole('n2', ...words)).not.toContain(token)
  const log = await lab.inNode('n1', 'cat', join(lab.folder, 'nodes/n1/systoled.log'))
  expect(log).toContain('a cluster was added to the fleet')
  expect(log).not.toContain(token)
}, 120_000)

test('whoever may read a part of the CIB is not shown what another cluster says', async () => {
  await lab.systole('n1', 'acl', 'role', 'create', 'part', 'read', 'xpath', '//resources')
  await lab.systole('n1', 'acl', 'role', 'create', 'whole', 'read', 'xpath', '/cib')
  const tokenOf = async (role: string): Promise<string> =>
    (JSON.parse(await lab.systole('n1', 'token', 'create', role, `--role=${role}`, '--json')) as { token: string })
      .token
  const ask = async (token: string, path: string, ...options: readonly string[]): Promise<string> =>
    await lab.inNode(
      ...(['n2', 'curl', '-sk', '-H', `Authorization: Bearer ${token}`, ...options] as const),
      `https://${lab.network.address('n1')}:7705/api/v1/fleet/${path}`,
    )
  expect(await ask(await tokenOf('part'), 'status')).toContain('permission to read the whole CIB only')
  const whole = await tokenOf('whole')
  expect(await ask(whole, 'status')).toContain('"south"')
  const remove = ['-H', 'Content-Type: application/json', '-d', '{"words": ["south"]}']
  expect(await ask(whole, 'remove', ...remove)).toContain('permission-denied')
})

test('the page shows both, and the worst news of the other as it comes and goes', async () => {
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', '--administrator', '--json')) as {
    readonly token: string
  }
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
  const { page } = seen
  await signIn(page, token)
  await page.getByRole('link', { name: 'Fleet' }).click()
  const card = (name: string) => page.locator('li.cluster').filter({ has: page.getByRole('heading', { name }) })
  await card('south').getByText('well').waitFor()
  await card('south').getByText('1 of 1 node online').waitFor()
  await card('north').getByText('2 of 2 nodes online').waitFor()
  const link = card('south').getByRole('link', { name: /Console at/ })
  expect(await link.getAttribute('href')).toBe(`https://${lab.network.address('s1')}:7705/`)
  await lab.systole('s1', 'resource', 'create', 'shop', 'ocf:pacemaker:Dummy', 'op_sleep=x', 'fake=y', '--force')
  await lab.systole('s1', 'constraint', 'location', 'shop', 'avoids', 's1')
  await card('south')
    .getByText(/Not running: shop/)
    .waitFor({ timeout: 60_000 })
  expect(await lab.systole('n2', 'fleet', 'status')).toMatch(/^south: critical since .*\n {2}Not running: shop/)
  expect(await axeFindings(page)).toEqual([])
}, 120_000)

test('a cluster that nobody reaches is shown so, with since when; it is back when it answers', async () => {
  const { page } = seen
  await lab.systole('s1', 'console', 'disable')
  await southIs('unreachable')
  const { clusters } = await fleet('n2')
  expect(Date.parse(clusters[0]?.lastReached ?? '')).toBeLessThanOrEqual(Date.parse(clusters[0]?.since ?? ''))
  expect(await lab.systole('n2', 'fleet', 'status')).toMatch(
    /south: unreachable since .*\n.*ECONNREFUSED.*\n {2}It answered last at/,
  )
  await page.getByText('unreachable').waitFor()
  await page.getByText(/It answered last at/).waitFor()
  await page.screenshot({
    path: join(pictures, 'fleet.png'),
    clip: { x: 0, y: 0, width: 1440, height: 300 },
  })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await axeFindings(page)).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  // Another DC goes on with the same beginning of the state.
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const other = dc === 'n1' ? 'n2' : 'n1'
  await lab.systole(dc, 'cluster', 'stop', dc)
  expect((await fleet(other)).clusters[0]).toMatchObject({ state: 'unreachable', since: clusters[0]?.since })
  await lab.systole('s1', 'console', 'enable')
  await southIs('critical', other)
  await lab.systole(dc, 'cluster', 'start', dc, '--wait')
  expect(seen.troubles).toEqual([])
}, 180_000)

test('an authority that was replaced while nobody asked is named by whoever has compared it; the token stays', async () => {
  await lab.systole('s1', 'console', 'disable')
  await southIs('unreachable')
  await lab.systole('s1', 'pki', 'rotate')
  const authority = async (): Promise<string> =>
    (JSON.parse(await lab.systole('s1', 'console', 'status', '--json')) as { authorityFingerprint: string })
      .authorityFingerprint
  await lab.until('it has another authority alone', async () => {
    const text = readFileSync(join(lab.folder, 'nodes/s1/etc/pki/authority.crt'), 'utf8')
    return (await authority()) !== fingerprint && text.split('BEGIN CERTIFICATE').length === 2
  })
  await lab.systole('s1', 'console', 'enable')
  await southIs('untrusted')
  expect(await lab.systole('n2', 'fleet', 'status')).toContain('  > systole fleet trust south\n')
  const trust = async (...words: readonly string[]): Promise<string> =>
    await lab.systole('n1', 'fleet', 'trust', 'south', ...words)
  const now = await authority()
  await expect(trust()).rejects.toThrow(new RegExp(`of an authority with ${now}.*--fingerprint`))
  await expect(trust(`--fingerprint=${fingerprint}`)).rejects.toThrow(/another certificate/)
  await expect(trust('--ca', join(lab.folder, 'nodes/n1/etc/pki/authority.crt'))).rejects.toThrow(
    /it? ?is untrusted|south is untrusted/,
  )
  expect(await trust(`--fingerprint=${now}`)).toMatch(/south: (?:well|critical) since/)
  expect((await fleet('n2')).clusters[0]?.state).toMatch(/well|critical/)
  expect(await trust('--ca', join(lab.folder, 'nodes/s1/etc/pki/authority.crt'))).toContain(
    'believed by this from now on',
  )
  await expect(lab.systole('n1', 'fleet', 'trust', 'nosuch')).rejects.toThrow(/no cluster 'nosuch'/)
}, 180_000)

test('a token that is revoked there is refused, and the cluster is gone once it is removed', async () => {
  await lab.systole('s1', 'token', 'revoke', 'north')
  await southIs('refused')
  expect(await lab.systole('n1', 'fleet', 'status')).toContain('This token is not known to the cluster')
  await lab.systole('n1', 'fleet', 'remove', 'south')
  expect((await fleet()).clusters).toEqual([])
  await expect(lab.systole('n1', 'fleet', 'remove', 'south')).rejects.toThrow(/no cluster 'south'/)
}, 90_000)
