/** A user whom the host has no name for, as in a container that was started with a number: no command ends with a bug for that. */
import { expect, test, vi } from 'vitest'

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  userInfo: () => {
    throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)')
  },
}))

test('has its number for a name', async () => {
  // Another file may have loaded it with the host's own names.
  vi.resetModules()
  const { realTerminal } = await import('../../src/cli/call/terminal.ts')
  vi.stubEnv('SUDO_USER', undefined)
  expect(realTerminal().user).toBe(String(process.getuid?.()))
  vi.unstubAllEnvs()
})
