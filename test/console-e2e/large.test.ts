/** A picture of more than a lab has: 16 nodes and 500 resources in one look, and remote nodes by the hundred. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JournalEvent } from '../../src/journal/index.ts'
import { axeFindings, openBrowser, openPage, signIn } from './lab/browser.ts'
import { serveFrozen } from './lab/frozen-cluster.ts'
import { frozenToken, largeCib, largeMembers, withRemotes } from './lab/large-cib.ts'

const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  browser = await openBrowser()
})
afterAll(async () => await browser?.close())

test('16 nodes and 500 resources fit on one screen of 1920 by 1080', async () => {
  const frozen = await serveFrozen(largeCib(), { members: largeMembers, dc: 'node-01' })
  const { page, troubles } = await openPage(browser.browser, frozen.address, {
    viewport: { width: 1920, height: 1080 },
  })
  await signIn(page, frozenToken)
  await page.locator('.resources-matrix table').first().waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(1080)
  expect(await page.locator('li.node').count()).toBe(16)
  // Every resource is somewhere in it: a fold stands for its members.
  expect(await page.locator('.resources-matrix .row-link').count()).toBe(60 + 6 + 4 + 92)
  expect(await page.getByText(/^500 of 50\d active$/).count()).toBe(1)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'large.png') })
  await page.getByRole('searchbox').fill('db-17')
  await expect.poll(async () => await page.locator('.resources-matrix .row-link').allTextContents()).toContain('db-17')
  expect(await page.locator('.resources-matrix .row-link').count()).toBeLessThan(8)
  expect(troubles).toEqual([])
  await frozen.close()
})

test('200 remote nodes are a heat map that says in words what its colours say', async () => {
  const frozen = await serveFrozen(withRemotes(200), { members: largeMembers.slice(0, 3), dc: 'node-01' })
  const { page, troubles } = await openPage(browser.browser, frozen.address)
  await signIn(page, frozenToken)
  expect(await page.locator('.tile').count()).toBe(200)
  await page.getByRole('link', { name: 'edge-000: offline, 0 resources' }).waitFor()
  await page.getByText('200 offline').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(troubles).toEqual([])
  await frozen.close()
})

/** A monitor every second, one of which fails, and a node that is lost. */
const long = (count: number): readonly JournalEvent[] => {
  const start = Date.parse('2026-11-27T02:00:00.000Z')
  const monitor = {
    kind: 'operation',
    node: 'node-01',
    resource: 'vm-00',
    operation: 'monitor',
    intervalMs: 1000,
  } as const
  const ok = { ...monitor, rc: 0, expected: 0, status: 0, execMs: 10, result: 'ok' }
  const members = largeMembers.map(({ node }) => node)
  const at = (revision: number, what: JournalEvent['what']): JournalEvent => ({
    revision,
    at: start + revision * 1000,
    by: 'node-01',
    what,
  })
  return [
    at(0, { kind: 'begun', active: { 'vm-00': ['node-01'] }, nodes: members }),
    ...Array.from({ length: count }, (_, number) =>
      at(number + 1, number === count - 500 ? { ...ok, rc: 1, result: 'error', reason: 'no answer' } : ok),
    ),
    at(count + 1, { kind: 'node', node: 'node-16', became: 'lost' }),
  ]
}

test('5,000 events on 16 nodes are one line of time, and each moment of it has its picture', async () => {
  const frozen = await serveFrozen(largeCib(), { members: largeMembers, dc: 'node-01' }, long(5000))
  const { page, troubles } = await openPage(browser.browser, frozen.address)
  await signIn(page, frozenToken)
  await page.getByRole('link', { name: 'Then', exact: true }).click()
  await page.getByRole('combobox', { name: 'Show' }).selectOption('all that is kept')
  const slider = page.getByRole('slider', { name: /Moment/ })
  await slider.waitFor()
  await page.getByText('1 earlier event is not shown').waitFor()
  // Many are one mark: the drawing does not grow with them.
  expect(await page.locator('.lanes .point').count()).toBeLessThan(400)
  await expect.poll(async () => await slider.getAttribute('aria-valuetext')).toMatch(/node-16 was lost$/)
  const then = page.getByRole('region', { name: /The cluster at/ })
  await then
    .locator('.node-words li', { hasText: 'node-16' })
    .getByText(/offline|UNCLEAN/)
    .waitFor()
  await page
    .getByRole('listitem')
    .filter({ hasText: /vm-00: monitor every 1 s on node-01 failed/ })
    .getByRole('button', { name: /Show/ })
    .click()
  await then.locator('td[title="vm-00 on node-01: failed"]').waitFor()
  await page.screenshot({ path: join(pictures, 'then-large.png') })
  expect(await axeFindings(page)).toEqual([])
  // Why vm-00: its last events first, older ones when they are asked for.
  await page.evaluate(() => {
    location.hash = '#/now/vm-00'
  })
  await page.getByText('Recent events').click()
  await page.locator('.past li').first().waitFor()
  expect(await page.locator('.past li').count()).toBe(12)
  await page.getByRole('button', { name: /Show older events \(49\d\d\)/ }).press('Enter')
  await expect.poll(async () => await page.locator('.past li').count()).toBe(1000)
  await page.locator('.past').getByText('no answer').waitFor()
  expect(await axeFindings(page)).toEqual([])
  expect(troubles).toEqual([])
  await frozen.close()
})
