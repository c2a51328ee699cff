/** Services and gates by forms of the console, on three real nodes. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginWithVersions, lab } from '../nodes/lab/versions.ts'
import { axeFindings } from './lab/browser.ts'
import { ChangePage, openConsole } from './lab/change-page.ts'

let console: Awaited<ReturnType<typeof openConsole>>
let change: ChangePage

beforeAll(async () => {
  await beginWithVersions()
  console = await openConsole(lab, '--administrator')
  change = new ChangePage(console.seen.page)
}, 180_000)
afterAll(async () => {
  await console?.close()
  await lab.close()
}, 60_000)

const factsOf = async <T>(...words: readonly string[]): Promise<T> =>
  JSON.parse(await lab.systole('n1', ...words, '--json')) as T

test('by forms a service is declared, a resource waits for it behind a gate, and both are taken back', async () => {
  const { page } = change
  const service = await change.form('Service: declare')
  await service.getByLabel('Name').fill('www')
  await service.getByLabel('Resource').selectOption('web')
  await service.getByLabel('Port').fill('eighty')
  await page.getByRole('alert').getByText('eighty').waitFor()
  expect(await change.button().isDisabled()).toBe(true)
  await service.getByLabel('Port').fill('80')
  await page.getByText('No resource would be touched.').waitFor()
  expect(await change.line()).toBe('service create www web port=80')
  expect(await page.getByText('pcs service create').count()).toBe(0)
  expect(await axeFindings(page)).toEqual([])
  await change.perform()
  const gate = await change.form('Gate: add')
  await gate.getByLabel('Resource').selectOption('agent-clone')
  await gate.getByLabel('Service').selectOption('www')
  await change.perform()
  expect(await factsOf('service', 'gate', 'list')).toMatchObject({
    gates: [{ resource: 'agent-clone', service: 'www' }],
  })
  await page.getByRole('button', { name: 'Undo …' }).click()
  await page.locator('.effects[role=status]').waitFor()
  await change.perform()
  expect(await factsOf('service', 'gate', 'list')).toMatchObject({ gates: [] })
  const gone = await change.form('Service: delete')
  await gone.getByLabel('Service').selectOption('www')
  await change.perform()
  expect(await factsOf('service', 'list')).toMatchObject({ services: [] })
  expect(console.seen.troubles).toEqual([])
})
