/** Forms from the metadata of real agents, in a real browser: fields, help texts, and what the command would do, as one types. */
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
  await seen.page.getByRole('link', { name: 'Change', exact: true }).click()
})
afterAll(async () => {
  await browser?.close()
  await frozen?.close()
})

const line = async (): Promise<string> => await seen.page.getByRole('combobox', { name: /Command/ }).inputValue()
const button = () => seen.page.getByRole('button', { name: 'Do it' })
const choose = async (title: string): Promise<void> => {
  await seen.page.getByRole('combobox', { name: 'Form', exact: true }).selectOption(title)
}

test('a resource is created by the metadata of its agent: fields of their types, help texts, and refusals as one types', async () => {
  const { page } = seen
  await choose('Create a resource')
  const form = page.getByRole('group', { name: 'Create a resource' })
  await form.getByLabel('Name').fill('front')
  await form.getByLabel('Agent').fill('ocf:systole:http')
  await form.getByText('The TCP port on which it listens.').waitFor()
  expect(await form.getByLabel('port').getAttribute('placeholder')).toBe('default: 8080')
  expect(await form.getByLabel('port').getAttribute('inputmode')).toBe('numeric')
  await form.getByLabel('port').fill('80x')
  await form.getByRole('alert').getByText("'80x' is not a whole number.").waitFor()
  expect(await line()).toBe('')
  expect(await button().isDisabled()).toBe(true)
  await form.getByLabel('port').fill('8081')
  await form.getByLabel('Name').fill('fs-00')
  await page.getByRole('alert').getByText('fs-00').waitFor()
  expect(await button().isDisabled()).toBe(true)
  await form.getByLabel('Name').fill('front')
  await page.getByText(/start front on node-0\d/).waitFor()
  expect(await line()).toBe('resource create front ocf:systole:http port=8081 op monitor interval=10s')
  await expect.poll(async () => await button().isEnabled()).toBe(true)
  await page.getByText('pcs resource create front ocf:systole:http port=8081 op monitor interval=10s').waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'form.png') })
  await form.getByLabel('It runs').selectOption('at the end of a group')
  expect(await line()).toBe('')
  await form.getByLabel('Group').fill('shop-00')
  await expect.poll(line).toMatch(/--group=shop-00$/)
})

test('a constraint is made of resources and nodes that are there, and shows what would move', async () => {
  const { page } = seen
  await choose('Constraint: a resource and a node')
  const form = page.getByRole('group', { name: 'Constraint: a resource and a node' })
  await form.getByLabel('Resource').selectOption('shop-00')
  expect(await button().isDisabled()).toBe(true)
  await form.getByRole('combobox', { name: 'It', exact: true }).selectOption('avoids')
  await form.getByLabel('Node').selectOption('node-01')
  await page.getByText(/move fs-00 from node-01 to node-0\d/).waitFor()
  expect(await line()).toBe('constraint location shop-00 avoids node-01')
  await page.getByText('pcs constraint location shop-00 avoids node-01').waitFor()
})

test('a property has its help and its values', async () => {
  const { page } = seen
  await choose('Set a property of the cluster')
  const form = page.getByRole('group', { name: 'Set a property of the cluster' })
  await form.getByLabel('Property').selectOption('no-quorum-policy')
  await form.getByText(/What nodes without quorum do/).waitFor()
  await form.getByLabel('Value').selectOption('freeze')
  expect(await line()).toBe('property set no-quorum-policy=freeze')
  await page.getByText('No resource would be touched.').waitFor()
})

test('what only Systole has is offered as no line of pcs; to fence is confirmed as when it is typed', async () => {
  const { page } = seen
  await choose('Drain a node')
  await page.getByRole('group', { name: 'Drain a node' }).getByLabel('Node').selectOption('node-02')
  await page.getByText('systole node drain node-02').waitFor()
  expect(await page.getByText('pcs node drain').count()).toBe(0)
  await choose('Fence a node')
  await page.getByRole('group', { name: 'Fence a node' }).getByLabel('Node').selectOption('node-03')
  await page.getByLabel(/Type .* to confirm/).waitFor()
  expect(await button().isDisabled()).toBe(true)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByLabel('Colours').selectOption('light')
  expect(await axeFindings(page)).toEqual([])
  expect(seen.troubles).toEqual([])
})
