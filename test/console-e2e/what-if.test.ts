/** What-ifs in the browser, by the real scheduler on the CIB of a large cluster. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeFindings, openBrowser, openPage, signIn, type Watched } from './lab/browser.ts'
import { type FrozenCluster, serveFrozen } from './lab/frozen-cluster.ts'
import { frozenToken, largeMembers, smallCib } from './lab/large-cib.ts'

const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
let browser: Awaited<ReturnType<typeof openBrowser>>
let frozen: FrozenCluster
let seen: Watched

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  browser = await openBrowser()
  frozen = await serveFrozen(smallCib(), { members: largeMembers.slice(0, 3), dc: 'node-01' })
  seen = await openPage(browser.browser, frozen.address)
  await signIn(seen.page, frozenToken)
  await seen.page.getByRole('link', { name: 'What if' }).click()
})
afterAll(async () => {
  await browser?.close()
  await frozen?.close()
})

test('without an assumption the cluster would do nothing', async () => {
  await seen.page.getByRole('heading', { name: 'The cluster would do nothing.' }).waitFor()
})

test('a node that is lost: what would be done stands in order, and the picture afterwards beside the present', async () => {
  const { page } = seen
  await page.getByLabel('node-01').selectOption('lost (power cut)')
  await page
    .getByRole('listitem')
    .filter({ hasText: /Move.*shop|fs-00/ })
    .first()
    .waitFor()
  const now = page.getByRole('region', { name: 'Now', exact: true })
  const afterwards = page.getByRole('region', { name: 'Afterwards' })
  await now.locator('td[title^="shop-00 on node-01:"]').waitFor()
  await afterwards.locator('td[title^="shop-00 on node-0"]').waitFor()
  expect(await afterwards.locator('td[title^="shop-00 on node-01:"]').count()).toBe(0)
  const graph = page.getByRole('region', { name: 'The transition' })
  // A group starts in order.
  await graph.locator('.vertex text', { hasText: /^start fs-00 on node-0/ }).waitFor()
  expect(await graph.locator('.edge title').allTextContents()).toContainEqual(
    expect.stringMatching(/^start app-00 on node-0\d waits for: start fs-00 on node-0\d$/),
  )
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'what-if.png') })
  // The graph is scrolled in its own frame.
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1440, height: 900 })
})

test('a command and a failure on its way are assumed, and refused with a sentence where they are wrong', async () => {
  const { page } = seen
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByLabel('This command was given').fill('resource disable shop-00')
  await page
    .getByRole('listitem')
    .filter({ hasText: /Stop.*fs-00/ })
    .waitFor()
  await page.getByRole('link', { name: 'Apply this command …' }).waitFor()
  await page.getByLabel('This operation fails').fill('nonsense')
  await page.getByRole('alert').getByText("'nonsense' is not an operation").waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  // A monitor finds it failed now; a start that nothing comes to has no effect, which is said.
  await page.getByLabel('This operation fails').fill('fs-00_monitor_10000@node-01=7')
  await page
    .getByRole('listitem')
    .filter({ hasText: /Recover.*fs-00/ })
    .waitFor()
  await page.getByLabel('This operation fails').fill('fs-00_start_0@node-01=1')
  await page.getByText('fs-00_start_0@node-01=1 had no effect').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('heading', { name: 'The cluster would do nothing.' }).waitFor()
})

test('why has the scores by their sources, and what a resource is tied to', async () => {
  const { page } = seen
  await page.getByRole('link', { name: 'Now', exact: true }).click()
  await page.goto(`${page.url().split('#')[0]}#/now/fs-00`)
  const panel = page.getByRole('complementary', { name: 'Why fs-00' })
  const scores = panel.getByRole('table', { name: /Scores of fs-00/ })
  await scores.getByRole('row', { name: /✓ chosen/ }).waitFor()
  // The same stands in the text of `systole why`, and is not said twice.
  expect(await panel.locator('.explanation').textContent()).not.toContain('(chosen)')
  await panel.getByText('Ties to other resources').click()
  const ties = panel.getByRole('region', { name: 'Ties of fs-00' })
  for (const name of ['shop-00', 'fs-00', 'app-00'])
    await ties.locator('.vertex text').getByText(name, { exact: true }).waitFor()
  await panel.getByRole('listitem').filter({ hasText: 'fs-00 is in the group shop-00' }).waitFor()
  await panel.getByText('Recent events').click()
  await panel.getByText('The journals have nothing about fs-00.').waitFor()
  expect(await axeFindings(page)).toEqual([])
})

test('nothing went wrong in the browser, and nothing else was asked for', () => {
  expect(seen.troubles).toEqual([])
})
