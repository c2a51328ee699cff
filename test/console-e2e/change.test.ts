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

test('a resource is created, and taken back by undo', async () => {
  const { page } = seen
  await type('resource create db ocf:pacemaker:Dummy op monitor interval=5s')
  await page.getByText(/start db on n\d/).waitFor()
  await perform()
  await lab.until('db runs', async () => (await lab.whereIs('db', 'n1')).length === 1)
  await page.getByRole('button', { name: 'Undo …' }).click()
  await page.locator('.effects[role=status]').waitFor()
  await perform()
  await lab.until('db is gone', async () => (await lab.status('n1')).resources.every(({ id }) => id !== 'db'))
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
  await type(`node undrain ${at}`)
  await page.getByText('cannot show its effect beforehand').waitFor()
  await perform()
})

test('to fence a node, what is lost is shown and its name is typed', async () => {
  const { page } = seen
  const target = (await lab.status('n1')).nodes.find(({ name, dc }) => name !== 'n1' && !dc)?.name ?? ''
  await type(`stonith fence ${target}`)
  await page.getByText(`fence-${target}`).first().waitFor()
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
