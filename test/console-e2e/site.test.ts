/** The documentation as a site, opened from the disk in a real browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite } from '../../scripts/site/build.ts'
import { axeFindings, openBrowser, openPage, type Watched } from './lab/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-site-'))
let browser: Awaited<ReturnType<typeof openBrowser>>
let seen: Watched

beforeAll(async () => {
  await buildSite(resolve(import.meta.dirname, '../..'), join(folder, 'site'))
  browser = await openBrowser()
  seen = await openPage(browser.browser, `file://${folder}/site/index.html#`)
}, 60_000)

afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

test('finds a guide by the keyboard alone, without a request, and opens it at its heading', async () => {
  const { page } = seen
  await page.keyboard.press('/')
  await page.keyboard.type('pcmk_delay_base two nodes')
  await page.locator('#found a').first().waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /two nodes/i }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('xyzzyplugh')
  await page.getByText('Nothing found for').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.locator('#found a').count()).toBe(0)
  expect(seen.troubles.filter((trouble) => !trouble.includes(`file://${folder}`))).toEqual([])
})

test('fits a telephone, and axe finds nothing in light or dark', async () => {
  const { page } = seen
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await axeFindings(page)).toEqual([])
    const { scroll, wide } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      wide: document.documentElement.clientWidth,
    }))
    expect(scroll).toBeLessThanOrEqual(wide)
  }
})
