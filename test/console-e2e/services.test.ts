/** Services and gates by forms of the console, on three real nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginWithVersions, lab } from '../nodes/lab/versions.ts'
import { axeFindings, openBrowser, openPage, signIn, type Watched } from './lab/browser.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
let seen: Watched

beforeAll(async () => {
  await beginWithVersions()
  await lab.systole('n1', 'console', 'enable')
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', '--administrator', '--json')) as {
    readonly token: string
  }
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
  await signIn(seen.page, token)
}, 180_000)
afterAll(async () => {
  await browser?.close()
  await lab.close()
}, 60_000)

const button = () => seen.page.getByRole('button', { name: 'Do it' })
const line = async (): Promise<string> => await seen.page.getByRole('combobox', { name: /Command/ }).inputValue()
const perform = async (): Promise<void> => {
  await expect.poll(async () => await button().isEnabled()).toBe(true)
  await button().click()
  await seen.page.getByRole('heading', { name: 'Done' }).waitFor()
}
const form = async (title: string) => {
  const { page } = seen
  await page.getByRole('link', { name: 'Now', exact: true }).click()
  await page.getByRole('link', { name: 'Change', exact: true }).click()
  await page.getByRole('combobox', { name: 'Form', exact: true }).selectOption(title)
  return page.getByRole('group', { name: title, exact: true })
}
const factsOf = async <T>(...words: readonly string[]): Promise<T> =>
  JSON.parse(await lab.systole('n1', ...words, '--json')) as T

test('by forms a service is declared, a resource waits for it behind a gate, and both are taken back', async () => {
  const { page } = seen
  const service = await form('Service: declare')
  await service.getByLabel('Name').fill('www')
  await service.getByLabel('Resource').selectOption('web')
  await service.getByLabel('Port').fill('eighty')
  await page.getByRole('alert').getByText('eighty').waitFor()
  expect(await button().isDisabled()).toBe(true)
  await service.getByLabel('Port').fill('80')
  await page.getByText('No resource would be touched.').waitFor()
  expect(await line()).toBe('service create www web port=80')
  expect(await page.getByText('pcs service create').count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await perform()
  const gate = await form('Gate: add')
  await gate.getByLabel('Resource').selectOption('agent-clone')
  await gate.getByLabel('Service').selectOption('www')
  await perform()
  expect(await factsOf('service', 'gate', 'list')).toMatchObject({
    gates: [{ resource: 'agent-clone', service: 'www' }],
  })
  await page.getByRole('button', { name: 'Undo …' }).click()
  await page.locator('.effects[role=status]').waitFor()
  await perform()
  expect(await factsOf('service', 'gate', 'list')).toMatchObject({ gates: [] })
  const gone = await form('Service: delete')
  await gone.getByLabel('Service').selectOption('www')
  await perform()
  expect(await factsOf('service', 'list')).toMatchObject({ services: [] })
  expect(seen.troubles).toEqual([])
})
