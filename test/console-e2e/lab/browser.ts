/** Debian's Chromium in the network of a lab, where nothing but its nodes can be reached. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** `space`: a network namespace. Chromium is driven through a pipe, which leads out of it. */
export async function openBrowser(
  space?: string,
): Promise<{ readonly browser: Browser; readonly close: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'systole-browser-'))
  const program = join(folder, 'chromium')
  const door = space === undefined ? '' : `ip netns exec ${space} `
  writeFileSync(program, `#!/bin/sh\nexec ${door}/usr/bin/chromium "$@"\n`)
  chmodSync(program, 0o755)
  const browser = await chromium.launch({
    executablePath: program,
    // Root in a container has no other way; it opens no page but ours.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What the page has done that it must not: errors, and requests to anywhere else. */
export interface Watched {
  readonly page: Page
  readonly context: BrowserContext
  readonly troubles: string[]
}

export async function openPage(
  browser: Browser,
  address: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    ...options,
  })
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // A refused request stands in Chromium's console by itself.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      troubles.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) troubles.push(`request to ${request.url()}`)
  })
  await page.goto(`${address}/`)
  return { page, context, troubles }
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByRole('radio', { name: 'a token' }).check()
  await page.getByLabel('API token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Resources' }).waitFor()
}

/** What axe-core finds, as lines. It is evaluated by the debugger, which the policy of the page does not concern. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  return await page.evaluate(async () => {
    const { axe: there } = globalThis as unknown as {
      readonly axe: {
        readonly run: () => Promise<{
          readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
        }>
      }
    }
    const { violations } = await there.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  })
}
