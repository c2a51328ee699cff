import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BundledAgents } from './bundled-agents.ts'

/** Without a cluster that could say whether the command was done: that it runs once is shown on nodes (nodes-e2e/rollout). */
let agents: BundledAgents
beforeEach(() => {
  agents = new BundledAgents()
})
afterEach(() => agents.remove())

const run = (operation: string, more: Readonly<Record<string, string>> = {}) =>
  agents.run('once', operation, { command: `touch ${agents.path('done')}`, ...more })

test('where the cluster does not answer nothing is run: the command may have been done already', async () => {
  expect(await run('start')).toMatchObject({
    exitCode: 1,
    exitReason: 'the cluster does not answer whether the command was done already (once-done)',
  })
  expect(existsSync(agents.path('done'))).toBe(false)
  expect((await run('monitor')).exitCode).toBe(7)
  expect((await run('stop')).exitCode).toBe(0)
})

test.each([
  [{ command: '' }, 6, 'the parameter command is missing'],
  [{ CRM_meta_clone: '0' }, 6, 'a clone would run the command on several nodes: make it a resource without clone'],
  [{ user: 'nobody-here' }, 5, "there is no user 'nobody-here'"],
])('%j is refused', async (attributes, exitCode, exitReason) => {
  expect(await run('start', attributes)).toMatchObject({ exitCode, exitReason })
  expect(existsSync(agents.path('done'))).toBe(false)
})
