/** Lists of agents come from the daemon: crmsh asks for the providers of each agent, and a process of its own for each took half a minute. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveAgentTools } from '../../src/daemon/agent-tools/serve-agent-tools.ts'
import { callDaemon, type ToolServer } from '../../src/tools/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-agents-'))
let server: ToolServer
/** How many commands were answered only when the node saw what they wrote. */
let waited = 0
beforeAll(async () => {
  // Nothing else of the node is needed for these questions.
  const seesOwnWrites = async <T>(act: () => Promise<T>): Promise<T> => {
    const reply = await act()
    waited++
    return reply
  }
  server = await serveAgentTools({ seesOwnWrites } as never, { runFolder: folder, run: folder } as never, {
    access: {} as never,
    credentials: undefined,
  })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})
const ask = async (...words: readonly string[]) =>
  await callDaemon(join(folder, 'tools.sock'), { tool: 'crm_resource', arguments: words })

const answered: readonly (readonly [readonly string[], string])[] = [
  [['--list-ocf-alternatives', 'Dummy'], 'heartbeat\npacemaker\n'],
  [['--list-standards'], 'ocf\nlsb\nservice\nsystemd\nstonith\n'],
]
test.each(answered)('%s is answered by the daemon', async (words, output) =>
  expect(await ask(...words)).toMatchObject({ exitCode: 0, output, errors: '' }),
)

test('so are the agents of a class, as XML too', async () => {
  expect((await ask('--list-agents', 'ocf:pacemaker')).output.split('\n')).toContain('Dummy')
  expect((await ask('--list-agents', 'ocf:pacemaker', '--output-as=xml')).output).toContain('<agent>Dummy</agent>')
  // Pacemaker's exit code for a class without agents.
  expect(await ask('--list-agents', 'ocf:nobody')).toMatchObject({ exitCode: 1 })
})

test('each command is answered when the node sees what it has written', async () => {
  const before = waited
  await ask('--list-standards')
  expect(waited).toBe(before + 1)
})

test('a path is the name of no agent', async () => {
  expect(await ask('--list-ocf-alternatives', '../heartbeat/Dummy')).toMatchObject({ exitCode: 105, output: '' })
})

test('an agent is run by the caller alone: its metadata, its actions', async () => {
  expect(await ask('--show-metadata', 'ocf:pacemaker:Dummy')).toMatchObject({ runHere: true })
  expect(await ask('--resource', 'web', '--force-start')).toMatchObject({ runHere: true })
})
