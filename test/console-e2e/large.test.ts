/** A picture of more than a lab has: 16 nodes and 500 resources in one look, and remote nodes by the hundred. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
