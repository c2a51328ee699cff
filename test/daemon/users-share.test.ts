/** Commands over the tools' socket: users other than root have a share of the main thread, as they have on the API's socket. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serveAgentTools } from '../../src/daemon/agent-tools/serve-agent-tools.ts'
import { refuse } from '../../src/rpc/index.ts'
import { callDaemon } from '../../src/tools/index.ts'

test('after a user’s command the thread is left to others for as long as it was busy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'systole-share-'))
  const begun: number[] = []
  const rightsOf = async (): Promise<never> => {
    begun.push(performance.now())
    while (performance.now() < (begun.at(-1) ?? 0) + 50);
    throw await Promise.resolve(refuse('unknown-caller', 'Nobody of this cluster.'))
  }
  const seesOwnWrites = async <T>(act: () => Promise<T>): Promise<T> => await act()
  const server = await serveAgentTools({ seesOwnWrites } as never, { runFolder: folder, run: folder } as never, {
    access: { rightsOf } as never,
    credentials: { of: () => ({ kind: 'user', uid: 70_001, gid: 70_001, pid: 1 }) } as never,
  })
  const ask = async () => await callDaemon(join(folder, 'tools.sock'), { tool: 'crm_node', arguments: ['-n'] })
  await Promise.allSettled([ask(), ask()])
  await server.close()
  rmSync(folder, { recursive: true })
  const [first = 0, second = 0] = begun
  expect(begun).toHaveLength(2)
  expect(second - first).toBeGreaterThan(95)
})
