/** The console in a browser that shows a certificate by itself: nobody types a password or a token. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuse } from '../../src/rpc/index.ts'
import { forClients, makeAuthority, makeSigned } from '../support/own-certificates.ts'
import { openBrowser, openPage, type Watched } from './lab/browser.ts'
import { type FrozenCluster, serveFrozen } from './lab/frozen-cluster.ts'
import { frozenToken, largeMembers, smallCib } from './lab/large-cib.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-certificate-'))
const authority = makeAuthority(folder, 'operators')
const anna = makeSigned(folder, authority, { name: 'anna', extensions: forClients })
let isAccepted = true
let frozen: FrozenCluster
let browser: Awaited<ReturnType<typeof openBrowser>>

beforeAll(async () => {
  const state = { members: largeMembers.slice(0, 3), dc: 'node-01' }
  frozen = await serveFrozen(smallCib(), state, [], {
    authorities: [readFileSync(authority.certificate, 'utf8')],
    open: async ({ isTrusted }) => {
      if (!isTrusted || !isAccepted)
        throw refuse('unknown-certificate', 'The certificate CN=anna is not accepted. An administrator adds it.')
      return await Promise.resolve({ session: frozenToken })
    },
  })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await frozen?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Each has connections of its own. */
async function open(shows: boolean): Promise<Watched> {
  const { address } = frozen
  const shown = { origin: address, certPath: anna.certificate, keyPath: anna.key }
  return await openPage(browser.browser, address, shows ? { clientCertificates: [shown] } : {})
}

test('a browser that shows a certificate is in, follows the cluster, and may ask what a change would cause', async () => {
  const { page, context, troubles } = await open(true)
  await page.getByRole('heading', { name: 'Resources' }).waitFor()
  expect(await page.evaluate(() => `${document.cookie}${sessionStorage.length}`)).toBe('0')
  await page.reload()
  await page.getByRole('heading', { name: 'Resources' }).waitFor()
  await page.goto(`${frozen.address}/#/change/${encodeURIComponent('node drain node-02')}`)
  await page.getByRole('heading', { name: /^(It would|No resource would be touched)/ }).waitFor()
  expect(troubles).toEqual([])
  // It cannot be taken off: whoever leaves is offered to sign in as somebody else.
  await page.getByRole('button', { name: /sign out/i }).click()
  await page.getByText('The browser shows its certificate with each request.').waitFor()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await context.close()
})

test('one that is not accepted is named, and a browser without one is asked to sign in', async () => {
  isAccepted = false
  const refused = await open(true)
  await refused.page.getByRole('alert').getByText('The certificate CN=anna is not accepted.').waitFor()
  await refused.page.getByLabel('Password', { exact: true }).waitFor()
  await refused.context.close()
  isAccepted = true
  const plain = await open(false)
  await plain.page.getByLabel('Password', { exact: true }).waitFor()
  expect(await plain.page.getByRole('alert').textContent()).toBe('')
  await plain.context.close()
})
