/** Rollouts in the console, on three real nodes: planned before it can be started, followed, halted by a failure, and put back. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginWithVersions, fileOf, lab, untilState, versionsOf, writeRollout } from '../nodes/lab/versions.ts'
import { axeFindings } from './lab/browser.ts'
import { ChangePage, openConsole } from './lab/change-page.ts'

const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
let console: Awaited<ReturnType<typeof openConsole>>
let change: ChangePage

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  await beginWithVersions()
  // Its commands run as root on the nodes: an administrator's token is not enough.
  await lab.systole('n1', 'acl', 'role', 'create', 'upgrade', 'write', 'xpath', '/cib')
  const mayRun = `<acl_role id="upgrade"><acl_permission id="upgrade-run" kind="write" object-type="job"/></acl_role>`
  await lab.inNode(
    'n1',
    join(lab.folder, 'systole/shims/cibadmin'),
    '--modify',
    '--scope',
    'acls',
    '--xml-text',
    mayRun,
  )
  await lab.systole('n1', 'acl', 'enable')
  console = await openConsole(lab, '--role=upgrade')
  change = new ChangePage(console.seen.page)
}, 180_000)
afterAll(async () => {
  await console?.close()
  await lab.close()
}, 60_000)

test('a rollout that would leave a resource nowhere to run is refused with its plan, and one that may begin is followed to its end', async () => {
  const { page } = change
  writeRollout('all', '2', { most: 3 })
  const start = await change.form('Rollout: start')
  await start.getByLabel('Read it from this computer').setInputFiles(fileOf('all'))
  await page
    .getByRole('alert')
    .getByText(/web would run nowhere/)
    .first()
    .waitFor()
  expect(await change.button().isDisabled()).toBe(true)
  writeRollout('shop', '2')
  await start.getByLabel('Read it from this computer').setInputFiles(fileOf('shop'))
  const read = async (): Promise<string> => await start.getByLabel(/Text of the file/).inputValue()
  await expect.poll(read).toBe(readFileSync(fileOf('shop'), 'utf8'))
  await page
    .locator('.effects[role=status]')
    .getByText(/move web from n\d to n\d/)
    .first()
    .waitFor()
  expect(await change.line()).toBe('rollout start shop.yaml --no-wait')
  expect(await axeFindings(page)).toEqual([])
  await change.perform()
  await page.getByRole('link', { name: 'See the rollout' }).click()
  await page.getByText('● complete').waitFor({ timeout: 90_000 })
  await page.getByText('3 of 3', { exact: true }).waitFor()
  expect(versionsOf()).toEqual(['2', '2', '2'])
})

test('a node that fails halts the rollout: its output is there, and what it would put back is said before it does', async () => {
  const { page } = change
  writeRollout('broken', '3', { last: 'echo no such version >&2; exit 7' })
  const start = await change.form('Rollout: start')
  await start.getByLabel('Read it from this computer').setInputFiles(fileOf('broken'))
  await expect.poll(async () => await change.line()).toBe('rollout start broken.yaml --no-wait')
  await change.perform()
  await page.getByRole('link', { name: 'See the rollout' }).click()
  const card = page.getByRole('article', { name: 'Rollout r2' })
  await card.getByText(/halted: /).waitFor({ timeout: 90_000 })
  await card.getByText('no such version').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'rollout.png') })
  await card.getByRole('link', { name: 'Put back …' }).click()
  await expect.poll(async () => await change.line()).toBe('rollout abort r2 --no-wait')
  await page.getByText(/The undo commands run on n\d, in reverse order\./).waitFor()
  await change.perform()
  await untilState('r2', 'aborted', 'n1')
  expect(versionsOf()).toEqual(['2', '2', '2'])
  await page.getByRole('link', { name: 'See the rollout' }).click()
  await page.getByText('▲ aborted').waitFor()
  await page.getByText('All rollouts').click()
  await page.getByRole('rowheader', { name: /shop 2/ }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByLabel('Colours').selectOption('light')
  expect(await axeFindings(page)).toEqual([])
  expect(console.seen.troubles).toEqual([])
})
