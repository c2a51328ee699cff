/** An administrator's day in the console, on three real nodes: every change is shown before it can be made, and is made as it was shown. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { axeFindings, openBrowser, openPage, signIn, type Watched } from './lab/browser.ts'

const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)
const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
let browser: Awaited<ReturnType<typeof openBrowser>>
let seen: Watched

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'console', 'enable')
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', '--administrator', '--json')) as {
    readonly token: string
  }
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
  await signIn(seen.page, token)
})

afterAll(async () => {
  await browser?.close()
  await lab.close()
})

const button = () => seen.page.getByRole('button', { name: 'Do it' })
const line = () => seen.page.getByRole('combobox', { name: /Command/ })
const type = async (text: string): Promise<void> => {
  await seen.page.getByRole('link', { name: 'Now', exact: true }).click()
  await seen.page.getByRole('heading', { name: 'Resources' }).waitFor()
  await seen.page.getByRole('link', { name: 'Change', exact: true }).click()
  await line().fill(text)
}
const perform = async (): Promise<void> => {
  await expect.poll(async () => await button().isEnabled()).toBe(true)
  await button().click()
  await seen.page.getByRole('heading', { name: 'Done' }).waitFor()
}

test('a move begins at the resource, shows what it would do, and is done as it was shown', async () => {
  const { page } = seen
  const [from = ''] = await lab.whereIs('web', 'n1')
  const to = nodes.find((node) => node !== from) ?? ''
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('link', { name: 'Move …' }).click()
  await expect.poll(async () => await line().inputValue()).toBe('resource move web')
  await line().fill(`resource move web ${to}`)
  await page.getByText(`move web from ${from} to ${to}`).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'change.png') })
  expect(await lab.whereIs('web', 'n1')).toEqual([from])
  await perform()
  await lab.until('web has moved', async () => (await lab.whereIs('web', 'n1'))[0] === to)
})

test('the button cannot be pressed for what is unfinished or refused, and the sentence is that of the command line', async () => {
  const { page } = seen
  await type('resource mo')
  await page.getByText('Go on with: resource move').waitFor()
  expect(await button().isDisabled()).toBe(true)
  await line().fill('resource move nosuch')
  await page.getByRole('alert').getByText('nosuch').waitFor()
  expect(await button().isDisabled()).toBe(true)
  await line().fill('resource create db ocf:pacemaker:Dummy nosuch=1')
  await page.getByRole('alert').getByText('nosuch').waitFor()
  expect(await button().isDisabled()).toBe(true)
})

test('a resource is created, and taken back by undo, which keeps what another user has changed since', async () => {
  const { page } = seen
  await type('resource create db ocf:pacemaker:Dummy op monitor interval=5s')
  await page.getByText(/start db on n\d/).waitFor()
  await perform()
  await lab.until('db runs', async () => (await lab.whereIs('db', 'n1')).length === 1)
  await lab.systole('n2', 'property', 'set', 'cluster-delay=63s')
  await page.getByRole('button', { name: 'Undo …' }).click()
  await page.locator('.effects[role=status]').waitFor()
  await perform()
  await lab.until('db is gone', async () => (await lab.status('n1')).resources.every(({ id }) => id !== 'db'))
  expect(await lab.systole('n1', 'property', 'config', 'cluster-delay')).toContain('63s')
})

/** A form that is chosen afresh, and what it writes into the line. */
const form = async (title: string) => {
  const { page } = seen
  await type('')
  await page.getByRole('combobox', { name: 'Form', exact: true }).selectOption(title)
  return page.getByRole('group', { name: title, exact: true })
}
const lineIs = async (text: string): Promise<void> => {
  await expect.poll(async () => await line().inputValue()).toBe(text)
}
const shown = async (text: RegExp): Promise<void> => {
  await seen.page.locator('.effects[role=status]').getByText(text).first().waitFor()
}
const undo = async (): Promise<void> => {
  await seen.page.getByRole('button', { name: 'Undo …' }).click()
  await seen.page.locator('.effects[role=status]').waitFor()
  await perform()
}
const factsOf = async <T>(...words: readonly string[]): Promise<T> =>
  JSON.parse(await lab.systole('n1', ...words, '--json')) as T
const fakeOf = async (): Promise<string | undefined> => {
  type Pairs = readonly { readonly name: string; readonly value: string }[]
  type Configured = readonly { readonly parameters: readonly { readonly pairs: Pairs }[] }[]
  const [front] = await factsOf<Configured>('resource', 'config', 'front')
  return front?.parameters.flatMap(({ pairs }) => pairs).find(({ name }) => name === 'fake')?.value
}

test('by forms a resource is created, one of its parameters is changed, and that is taken back', async () => {
  const { page } = seen
  const created = await form('Create a resource')
  await created.getByLabel('Name').fill('front')
  await created.getByLabel('Agent').fill('ocf:pacemaker:Dummy')
  await created.getByText('Parameters that may be omitted').click()
  await created.getByLabel('fake', { exact: true }).fill('one')
  await lineIs('resource create front ocf:pacemaker:Dummy fake=one op monitor interval=10s')
  await shown(/start front on n\d/)
  await perform()
  await lab.until('front runs', async () => (await lab.whereIs('front', 'n1')).length === 1)
  const changed = await form('Change parameters of a resource')
  await changed.getByLabel('Resource').selectOption('front')
  await expect.poll(async () => await changed.getByLabel('fake', { exact: true }).inputValue()).toBe('one')
  await changed.getByLabel('fake', { exact: true }).fill('two')
  await lineIs('resource update front fake=two')
  await page.getByText('pcs resource update front fake=two').waitFor()
  await shown(/reload front|restart front/)
  expect(await axeFindings(page)).toEqual([])
  await perform()
  expect(await fakeOf()).toBe('two')
  await undo()
  expect(await fakeOf()).toBe('one')
})

test('by forms a role and its user, an alert and its recipient, and a tag are created', async () => {
  const { page } = seen
  const role = await form('Role: create')
  await role.getByLabel('Name').fill('watcher')
  await role.getByLabel('Description').fill('only looks')
  await role.getByLabel('XPath or id').fill('/cib')
  await page.getByText("pcs acl role create watcher 'description=only looks' read xpath /cib").waitFor()
  await shown(/No resource would be touched/)
  await perform()
  const user = await form('User or group: create')
  await user.getByLabel('Name').fill('anna')
  await user.getByLabel('watcher').check()
  await lineIs('acl user create anna watcher')
  await perform()
  expect(await factsOf('acl', 'config')).toMatchObject({
    roles: [{ id: 'watcher', permissions: [{ kind: 'read', on: 'xpath /cib' }] }],
    users: [{ id: 'anna', roles: ['watcher'] }],
  })
  const alert = await form('Alert: create')
  await alert.getByLabel('Program').fill('/usr/share/systole/alerts/alert_smtp')
  await alert.getByLabel('Name').fill('mail')
  await alert.getByLabel('smtp_host').fill('127.0.0.1')
  expect(await alert.getByLabel('smtp_password').getAttribute('type')).toBe('password')
  await alert.getByLabel('Timeout').fill('15s')
  await lineIs(
    'alert create path=/usr/share/systole/alerts/alert_smtp id=mail options smtp_host=127.0.0.1 meta timeout=15s',
  )
  await perform()
  const recipient = await form('Alert: add a recipient')
  await recipient.getByLabel('Alert').selectOption('mail')
  await recipient.getByLabel('Recipient').fill('nobody')
  await page.getByRole('alert').getByText('nobody').waitFor()
  expect(await button().isDisabled()).toBe(true)
  await recipient.getByLabel('Recipient').fill('ops@example.com')
  await perform()
  expect(await factsOf('alert', 'config')).toMatchObject([
    { id: 'mail', meta: { timeout: '15s' }, recipients: [{ value: 'ops@example.com' }] },
  ])
  const gone = await form('Alert: delete')
  await gone.getByLabel('Alert').selectOption('mail')
  await perform()
  expect(await factsOf('alert', 'config')).toEqual([])
  const tag = await form('Tag: create')
  await tag.getByLabel('Name').fill('shop')
  await tag.getByLabel('web').check()
  await tag.getByLabel('front').check()
  await lineIs('tag create shop web front')
  await perform()
  expect(await factsOf('tag', 'config')).toMatchObject([{ id: 'shop', members: ['web', 'front'] }])
  await undo()
  expect(await factsOf('tag', 'config')).toEqual([])
})

test('by forms a fence device is created from the metadata of its agent, and stands on a level', async () => {
  const { page } = seen
  const device = await form('Create a fence device')
  await device.getByLabel('Name').fill('spare')
  await device.getByLabel('Agent').fill('fence_ipmilan')
  await device.getByText('Parameters that may be omitted').click()
  const options = lab.fencingOptions('n1').filter((option) => !option.startsWith('pcmk_host_list='))
  for (const option of options) {
    const [name = '', value = ''] = option.split('=')
    const field = device.getByLabel(name, { exact: true })
    if ((await field.evaluate((one) => one.tagName)) === 'SELECT')
      await field.selectOption(value === '1' ? 'true' : value)
    else await field.fill(value)
  }
  await device.getByLabel('n1', { exact: true }).check()
  await expect
    .poll(async () => await line().inputValue())
    .toMatch(/^stonith create spare fence_ipmilan .*pcmk_host_list=n1 op monitor interval=60s$/)
  await shown(/start spare on n\d/)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'fence-device.png') })
  await perform()
  await lab.until('the device runs', async () => (await lab.whereIs('spare', 'n1')).length === 1)
  const level = await form('Fencing level: add')
  await level.getByLabel('Level').selectOption('2')
  await level.getByLabel('Node').selectOption('n1')
  await level.getByLabel('spare').check()
  await lineIs('stonith level add 2 n1 spare')
  await perform()
  expect(await factsOf('stonith', 'level')).toMatchObject([{ index: 2, devices: ['spare'] }])
  await undo()
  expect(await factsOf('stonith', 'level')).toEqual([])
})

test('a change by the console is recorded as it is typed on a node', async () => {
  const versions = await factsOf<readonly { readonly command: string }[]>('config', 'history')
  expect(versions.at(-1)?.command).toMatch(/^systole config revert/)
  expect(await lab.systole('n1', 'config', 'history')).not.toContain('--json')
})

test('what another user has changed since the preview is not changed on its ground', async () => {
  const { page } = seen
  await type('resource disable web')
  await page.getByText(/stop web on n\d/).waitFor()
  await expect.poll(async () => await button().isEnabled()).toBe(true)
  await lab.systole('n2', 'property', 'set', 'cluster-delay=61s')
  await button().click()
  await page
    .getByRole('alert')
    .getByText(/version/)
    .waitFor()
  expect((await lab.whereIs('web', 'n1')).length).toBe(1)
})

test('a node is drained and undrained', async () => {
  const { page } = seen
  const [at = ''] = await lab.whereIs('web', 'n1')
  await page.getByRole('link', { name: 'Now', exact: true }).click()
  await page.locator('a.node-name', { hasText: at }).click()
  await page.getByRole('link', { name: 'Drain …', exact: true }).click()
  await page.getByText(new RegExp(`move web from ${at}`)).waitFor()
  await perform()
  await lab.until('web is elsewhere', async () => {
    const [now] = await lab.whereIs('web', 'n1')
    return now !== undefined && now !== at
  })
  await page.getByRole('button', { name: 'Undo …' }).click()
  await expect.poll(async () => await line().inputValue()).toBe(`node undrain ${at}`)
  await page.getByText(`It would end: ${at} is drained`).waitFor()
  await perform()
})

test('to fence a node, what is lost is shown and its name is typed', async () => {
  const { page } = seen
  const target = (await lab.status('n1')).nodes.find(({ name, dc }) => name !== 'n1' && !dc)?.name ?? ''
  await type(`stonith fence ${target}`)
  await page.getByText(`fence-${target}`).first().waitFor()
  await page.getByRole('listitem').getByText(`fence ${target}`, { exact: true }).waitFor()
  await page.getByLabel(/Type .* to confirm/).waitFor()
  expect(await button().isDisabled()).toBe(true)
  await page.getByLabel(/Type .* to confirm/).fill('n9')
  expect(await button().isDisabled()).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'fence.png') })
  await page.getByLabel(/Type .* to confirm/).fill(target)
  await perform()
  expect((await lab.status('n1')).fencing.some((one) => one.target === target && one.outcome === 'succeeded')).toBe(
    true,
  )
})

test('nothing went wrong in the browser, and nothing else was asked for', () => {
  expect(seen.troubles).toEqual([])
})
