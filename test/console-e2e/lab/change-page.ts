/** The page Change, as somebody uses it: a form is chosen, a line is shown, and the button is pressed. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Lab } from '../../nodes/lab/lab.ts'
import { openBrowser, openPage, signIn, type Watched } from './browser.ts'

export class ChangePage {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }

  button() {
    return this.page.getByRole('button', { name: 'Do it' })
  }

  async line(): Promise<string> {
    return await this.page.getByRole('combobox', { name: /Command/ }).inputValue()
  }

  async perform(): Promise<void> {
    await expect.poll(async () => await this.button().isEnabled()).toBe(true)
    await this.button().click()
    await this.page.getByRole('heading', { name: 'Done' }).waitFor()
  }

  /** Chosen afresh, whatever was there. */
  async form(title: string) {
    await this.page.getByRole('link', { name: 'Now', exact: true }).click()
    await this.page.getByRole('link', { name: 'Change', exact: true }).click()
    await this.page.getByRole('combobox', { name: 'Form', exact: true }).selectOption(title)
    return this.page.getByRole('group', { name: title, exact: true })
  }
}

/** The console of n1, by a token that is made with these words. */
export async function openConsole(
  lab: Lab,
  ...words: readonly string[]
): Promise<{ readonly seen: Watched; readonly close: () => Promise<void> }> {
  await lab.systole('n1', 'console', 'enable')
  const { token } = JSON.parse(await lab.systole('n1', 'token', 'create', 'ops', ...words, '--json')) as {
    readonly token: string
  }
  const { browser, close } = await openBrowser(lab.network.clientSpace)
  const seen = await openPage(browser, `https://${lab.network.address('n1')}:7705`)
  await signIn(seen.page, token)
  return { seen, close }
}
