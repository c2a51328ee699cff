/** The morning after, in a real browser: what happened on three real nodes, in which order, and how the cluster was at any moment of it. */
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

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  const dummy = 'ocf:pacemaker:Dummy'
  await lab.systole('n1', 'resource', 'create', 'web', dummy, 'op', 'monitor', 'interval=1s', '--wait')
  await lab.systole('n1', 'resource', 'create', 'db', 'ocf:pacemaker:Stateful', 'promotable', '--wait')
  await lab.systole('n1', 'resource', 'move', 'web', 'n3', '--wait')
  await lab.systole('n1', 'console', 'enable')
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', '--administrator', '--json')) as {
    readonly token: string
  }
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
  await signIn(seen.page, token)
  // By the API, so that its call is on the line.
  const { page } = seen
  await page.goto(`${page.url().split('#')[0]}#/change/${encodeURIComponent('property set cluster-delay=61s')}`)
  await page.getByRole('button', { name: 'Do it', disabled: false }).click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  await lab.power.off('n3')
  const isTold = async (): Promise<boolean> =>
    /n3 was fenced.*web was away for/.test(await lab.systole('n1', 'incident', 'list'))
  await lab.until('the incident is told', isTold, 60_000)
})

afterAll(async () => {
  await browser?.close()
  await lab.close()
})

const slider = () => seen.page.getByRole('slider', { name: /Moment/ })
const open = async (): Promise<void> => {
  await seen.page.getByRole('link', { name: 'Then', exact: true }).click()
  await slider().waitFor()
}
const then = () => seen.page.getByRole('region', { name: /The cluster at/ })
const cell = (row: string, node: string) => then().locator(`td[title^="${row} on ${node}:"]`)

test('the incident stands at the top with its cause, and leads to its first moment', async () => {
  const { page } = seen
  await open()
  const incident = page.getByRole('listitem').filter({ hasText: /n3 was lost; n3 was fenced.*web was away for/ })
  await incident.waitFor()
  await incident.getByRole('button', { name: /Show/ }).click()
  await expect.poll(async () => await slider().getAttribute('aria-valuetext')).toMatch(/n3 was lost$/)
  await then().getByText('UNCLEAN').waitFor()
  // It had not moved yet.
  await cell('web', 'n3').waitFor()
  await cell('db-clone', 'n1').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'then.png') })
})

test('the keyboard goes from event to event, to the moment when the service was back', async () => {
  const { page } = seen
  await slider().focus()
  for (let step = 0; step < 100; step += 1) {
    if (/web: start on n[12]: ok/.test((await slider().getAttribute('aria-valuetext')) ?? '')) break
    await page.keyboard.press('ArrowRight')
  }
  expect(await slider().getAttribute('aria-valuetext')).toMatch(/web: start on n[12]: ok/)
  await cell('web', 'n3').waitFor({ state: 'detached' })
  await then().locator('td[title^="web on n"]').getByText('started').waitFor()
  // The address names the moment: whoever opens it sees the same.
  const address = page.url()
  expect(address).toMatch(/#\/then\/\d+$/)
  await page.reload()
  await expect.poll(async () => await slider().getAttribute('aria-valuetext')).toMatch(/web: start on n[12]: ok/)
})

test('zoom looks closer at the moment, and back at all', async () => {
  const { page } = seen
  const marks = async (): Promise<number> => await page.locator('.lanes .point').count()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const all = await marks()
  const ticks = await page.locator('.lanes .tick text').allTextContents()
  await slider().focus()
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('+')
  await expect.poll(async () => await page.locator('.lanes .tick text').allTextContents()).not.toEqual(ticks)
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await expect.poll(marks).toBe(all)
})

test('two moments are compared', async () => {
  const { page } = seen
  await page
    .getByRole('listitem')
    .filter({ hasText: /n3 was lost; n3 was fenced/ })
    .getByRole('button', { name: /Show/ })
    .click()
  await then().getByText('UNCLEAN').waitFor()
  await page.getByRole('button', { name: 'Compare with …' }).click()
  await page.getByText('Pick another moment').waitFor()
  const back = page.locator('button.event').filter({ hasText: /web: start on n[12]: ok/ })
  await back.last().click()
  await then().getByText('node n3: UNCLEAN → offline').waitFor()
  await then()
    .getByText(/resource web: Started on n3 → Started on n[12]/)
    .waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'End the comparison' }).click()
})

test('changes have who made them, and calls of the API from where', async () => {
  const { page } = seen
  await page.getByRole('button', { name: 'All', exact: true }).click()
  const listed = JSON.parse(await lab.systole('n2', 'timeline', 'list', '--kind=call', '--json')) as {
    readonly events: readonly { readonly text: string; readonly revision: number }[]
  }
  const call = listed.events.find(({ text }) => text.includes('cluster-delay'))
  expect(call?.text).toMatch(/^token:ops at 10\.83\.0\.253: .*property set cluster-delay=61s(?: --json)?$/)
  await page.goto(`${page.url().split('#')[0]}#/now`)
  await page.goto(`${page.url().split('#')[0]}#/then/${call?.revision}`)
  await slider().waitFor()
  await page
    .locator('button.event')
    .filter({ hasText: /version \d+ of the configuration, token:ops@n1: .*cluster-delay/ })
    .waitFor()
  await page.locator('button.event').filter({ hasText: 'token:ops at 10.83.0.253' }).first().waitFor()
})

test('light colours and the width of a phone are as usable', async () => {
  const { page } = seen
  await page.getByLabel('Colours').selectOption('light')
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await axeFindings(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  expect(seen.troubles).toEqual([])
})
