/** The first page of the console in a real browser, of three real nodes: what an administrator sees while things happen. */
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
let token = ''

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  const dummy = 'ocf:pacemaker:Dummy'
  await lab.systole('n1', 'resource', 'create', 'web', dummy, 'op', 'monitor', 'interval=1s')
  for (const member of ['shop-fs', 'shop-ip', 'shop-app'])
    await lab.systole('n1', 'resource', 'create', member, dummy, '--group=shop')
  await lab.systole('n1', 'resource', 'create', 'ping', dummy, 'clone')
  await lab.systole('n1', 'resource', 'create', 'db', 'ocf:pacemaker:Stateful', 'promotable', '--wait')
  await lab.systole('n1', 'console', 'enable')
  const made = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', '--administrator', '--json')) as {
    readonly token: string
  }
  token = made.token
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
})

afterAll(async () => {
  await browser?.close()
  await lab.close()
})

const cell = (row: string, node: string) => seen.page.locator(`td[title^="${row} on ${node}:"]`)
const picture = async (name: string): Promise<void> => {
  await seen.page.screenshot({ path: join(pictures, `${name}.png`) })
}

test('a wrong token is refused with the sentence of the daemon, and the right one leads to the picture', async () => {
  const { page } = seen
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('radio', { name: 'a token' }).check()
  await page.getByLabel('API token').fill('systole_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect.poll(async () => await page.getByRole('alert').textContent()).toMatch(/token/i)
  await signIn(page, token)
  await page.getByText('Nothing needs attention.').waitFor()
  for (const node of nodes) await page.getByRole('listitem').filter({ hasText: node }).getByText('online').waitFor()
  expect(await page.getByLabel('Cluster').textContent()).toMatch(/Quorumyes, 3 of 3 votes.*DCn\d/)
  expect(await axeFindings(page)).toEqual([])
  await picture('now')
})

test('a reload keeps the session of the tab', async () => {
  const { page } = seen
  await page.reload()
  await page.getByRole('heading', { name: 'Resources' }).waitFor()
})

test('groups, clones and promoted instances are where they are, and unfold by keyboard', async () => {
  const { page } = seen
  const [at = ''] = await lab.whereIs('shop-fs', 'n1')
  await cell('shop', at).getByText('3 active').waitFor()
  for (const node of nodes) await cell('ping-clone', node).getByText('started').waitFor()
  await expect.poll(async () => await page.locator('.cell.is-promoted').count()).toBe(1)
  await page.getByRole('link', { name: 'shop', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  await cell('shop-app', at).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('shop-fs')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowLeft')
  await cell('shop-app', at).waitFor({ state: 'detached' })
})

test('a change on another node is seen without asking', async () => {
  const [from = ''] = await lab.whereIs('web', 'n1')
  const to = nodes.find((node) => node !== from) ?? ''
  await lab.systole('n3', 'resource', 'move', 'web', to)
  await cell('web', to).getByText('started').waitFor()
  await cell('web', from).waitFor({ state: 'detached' })
  await seen.page.getByRole('link', { name: 'web', exact: true }).click()
  const panel = seen.page.getByRole('complementary', { name: 'Why web' })
  await panel.getByText(new RegExp(`^On ${to} since [\\d:]+ \\(\\d+ s ago\\), from ${from}\\.`)).waitFor()
  await seen.page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
})

test('a resource that cannot run is told with its cause and the command to ask, and why answers in its words', async () => {
  const { page } = seen
  await lab.systole('n1', 'resource', 'create', 'bad', 'ocf:pacemaker:Dummy')
  await lab.systole('n1', 'constraint', 'location', 'bad', 'avoids', ...nodes)
  const line = page.getByRole('listitem').filter({ hasText: 'Not running: bad' })
  await line.getByText('systole why bad').first().waitFor()
  await page.getByText('Nothing needs attention.').waitFor({ state: 'detached' })
  await line.getByRole('link', { name: 'why bad' }).click()
  const panel = page.getByRole('complementary', { name: 'Why bad' })
  await expect.poll(async () => await panel.locator('.explanation .lead').textContent()).toMatch(/^bad: /)
  await panel.locator('.explanation code').first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await picture('why')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await lab.systole('n1', 'resource', 'delete', 'bad')
  await page.getByText('Nothing needs attention.').waitFor()
})

test('a node that loses its power is unclean, is fenced, and all of it is seen while it happens', async () => {
  const { page } = seen
  const lost = (await lab.status('n1')).nodes.find(({ name, dc }) => !dc && name !== 'n1')?.name ?? 'n3'
  const card = page.locator('li.node').filter({ has: page.getByRole('link', { name: lost, exact: true }) })
  const states: string[] = []
  await page.exposeFunction('noteState', (state: string) => states.push(state))
  await page.evaluate((name) => {
    const look = (): void => {
      for (const node of document.querySelectorAll('li.node'))
        if (node.querySelector('.node-name')?.textContent === name)
          void (globalThis as unknown as { noteState: (state: string) => void }).noteState(
            node.querySelector('.node-state')?.textContent?.trim() ?? '',
          )
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
  }, lost)
  await lab.power.off(lost)
  await lab.until('it was seen to be fenced', () => states.some((state) => /being fenced|UNCLEAN/.test(state)))
  await card.getByText('online').waitFor({ timeout: 60_000 })
  await page.getByText('Nothing needs attention.').waitFor({ timeout: 60_000 })
})

test('a console that is cut off says so, and goes on by itself', async () => {
  const { page } = seen
  await seen.context.setOffline(true)
  await lab.systole('n1', 'console', 'disable')
  await page.getByRole('alert').getByText('trying again').waitFor()
  await seen.context.setOffline(false)
  await lab.systole('n1', 'console', 'enable')
  await page.getByText('● live').waitFor()
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

test('light colours and the width of a phone are as usable', async () => {
  const { page } = seen
  await page.getByLabel('Colours').selectOption('light')
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await picture('phone')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByLabel('Colours').selectOption('as system')
})

test('a token that is revoked ends the session', async () => {
  const { page } = seen
  await lab.systole('n1', 'token', 'revoke', 'ops')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('alert').textContent()).toContain('no longer valid')
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
})

test('nothing went wrong in the browser, and nothing else was asked for', () => {
  expect(seen.troubles).toEqual([])
})
