/** Users of a host at the console: the form in a real browser, real PAM with the node's own users, and the cookie that the browser keeps. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { axeFindings, openBrowser, openPage, type Watched } from './lab/browser.ts'

const lab = new Lab(['n1'])
const pictures = resolve(import.meta.dirname, '../../docs/guides/console')
const passwords = { alice: 'Aeng4ohb', dora: 'Ohz3phah' }
let browser: Awaited<ReturnType<typeof openBrowser>>
let seen: Watched

/** The node has users of its own: /etc of the machine stays as it is. alice is in haclient, dora is not. */
const boot = `cp /etc/passwd /etc/group /etc/shadow /run; chmod 0600 /run/shadow
sed -i '/^haclient:/d' /run/group
printf 'haclient:x:70100:alice\\n' >> /run/group
add() { printf '%s:x:%s:100::/:/bin/sh\\n' "$1" "$2" >> /run/passwd; printf '%s:%s:20000:0:99999:7:::\\n' "$1" "$(openssl passwd -6 "$3")" >> /run/shadow; }
add alice 70001 ${passwords.alice}
add dora 70003 ${passwords.dora}
for file in passwd group shadow; do mount --bind /run/$file /etc/$file; done
`

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true })
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  chmodSync(lab.folder, 0o755)
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'console', 'enable')
  browser = await openBrowser(lab.network.clientSpace)
  seen = await openPage(browser.browser, `https://${lab.network.address('n1')}:7705`)
})
afterAll(async () => {
  await browser?.close()
  await lab.close()
})

const heading = () => seen.page.getByRole('heading', { name: 'Resources' })
async function logIn(user: string, password: string): Promise<void> {
  const { page } = seen
  await page.getByLabel('User', { exact: true }).fill(user)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
}

test('a wrong password, and a user who may not, are refused with a sentence and stay outside', async () => {
  const { page } = seen
  await page.getByLabel('Password', { exact: true }).waitFor()
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(pictures, 'log-in.png') })
  await logIn('alice', 'wrong')
  await page.getByRole('alert').getByText('The user or the password is wrong.').waitFor()
  await logIn('dora', passwords.dora)
  await page.getByRole('alert').getByText('haclient').waitFor()
  expect(await seen.context.cookies()).toEqual([])
})

test('a member of haclient gets in, and the cookie is out of the reach of scripts', async () => {
  const { page, context } = seen
  await logIn('alice', passwords.alice)
  await heading().waitFor()
  expect(await context.cookies()).toMatchObject([
    { name: '__Host-systole-7705', httpOnly: true, secure: true, sameSite: 'Strict' },
  ])
  expect(await page.evaluate(() => `${document.cookie}${sessionStorage.length}`)).toBe('0')
})

test('the session is there after a reload and in another tab, and what is changed has the name of the user', async () => {
  const { page, context } = seen
  await page.reload()
  await heading().waitFor()
  const other = await context.newPage()
  await other.goto(page.url())
  await other.getByRole('heading', { name: 'Resources' }).waitFor()
  await other.close()
  await page.goto(`${page.url().split('#')[0]}#/change/${encodeURIComponent('resource disable web')}`)
  await page.getByText('stop web on n1').waitFor()
  await expect.poll(async () => await page.getByRole('button', { name: 'Do it' }).isEnabled()).toBe(true)
  await page.getByRole('button', { name: 'Do it' }).click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await lab.systole('n1', 'config', 'history')).toMatch(/alice@n1 +systole resource disable web/)
})

test('to sign out ends the session on the node, not only here', async () => {
  const { page, context } = seen
  const before = await context.cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password', { exact: true }).waitFor()
  await context.addCookies(before)
  await page.reload()
  await page.getByLabel('Password', { exact: true }).waitFor()
  const log = readFileSync(join(lab.folder, 'nodes/n1/systoled.log'), 'utf8')
  expect(log).toContain('a user has logged out of the HTTPS API')
  for (const password of Object.values(passwords)) expect(log).not.toContain(password)
  expect(seen.troubles).toEqual([])
})
