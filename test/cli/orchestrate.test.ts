import { expect, test } from 'vitest'
import type { Call } from '../../src/cli/call/command.ts'
import { Refusal } from '../../src/cli/call/command.ts'
import { findCommand } from '../../src/cli/call/tree.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import type { LifecycleKnown } from '../../src/rollout/index.ts'
import { UnreachableError } from '../../src/rpc/index.ts'

/** What the file of the local version has to say. The verbs that ask a cluster are tried on nodes (test/nodes/orchestrate.test.ts). */
async function said(line: string, local: string | undefined, known: Partial<LifecycleKnown> | undefined) {
  const found = findCommand(allCommands, ['orchestrate', ...line.split(' ')])
  if (!found) throw new Error(line)
  const written: string[] = []
  const terminal = {
    user: 'root',
    readFile: (path: string) =>
      local === undefined ? Promise.reject(new Refusal(`${path} cannot be read.`)) : Promise.resolve(`${local}\n`),
    writeFile: (path: string, text: string) => {
      written.push(`${path} ${text}`)
      return Promise.resolve()
    },
  }
  const live = {
    getLifecycle: () =>
      known
        ? Promise.resolve({ known: JSON.stringify({ versions: [], settings: [], ...known }) })
        : Promise.reject(new UnreachableError('the daemon is down', true, undefined)),
    getState: () => Promise.resolve({ localNode: 'n1' }),
    reportVersion: (asked: object) => Promise.resolve({ outcome: 'changed', state: 'configured', ...asked }),
  }
  const call = { command: found.command, words: found.rest, flags: new Map(), terminal, cluster: { live } }
  const outcome = await found.command.run(call as unknown as Call)
  return { text: outcome.kind === 'done' ? outcome.text : '', exitCode: outcome.exitCode ?? 0, written }
}

const desired = { version: '2', since: '', user: 'root', node: 'n1', before: [] } as unknown as NonNullable<
  LifecycleKnown['desired']
>

test('pending_update compares the local version with the one that was triggered', async () => {
  const codes = async (local: string | undefined, known: Partial<LifecycleKnown> | undefined): Promise<number> =>
    (await said('pending_update', local, known)).exitCode
  expect(await codes('1', { desired })).toBe(0)
  expect(await codes(undefined, { desired })).toBe(0)
  expect(await codes('2', { desired })).toBe(1)
  const record = { node: 'n1', version: '2', state: 'validated', since: '', log: [] } as never
  expect(await codes(undefined, { desired, versions: [record] })).toBe(1)
  expect(await codes('1', undefined)).toBe(2)
  expect(await codes(undefined, undefined)).toBe(3)
  expect(await codes('1', {})).toBe(3)
})

test('local_version reads and writes /etc/current_version, and update_own_info reports it', async () => {
  expect((await said('local_version', '1.2', {})).text).toBe('1.2\n')
  expect((await said('local_version', undefined, {})).text).toBe('\n')
  expect((await said('local_version 3', undefined, {})).written).toEqual(['/etc/current_version 3\n'])
  expect((await said('update_own_info', '1.2', {})).text).toBe('n1 is configured (1.2).\n')
})

test('ping ends with 1 where the daemon is down', async () => {
  expect(await said('ping', undefined, undefined)).toMatchObject({ text: 'Connection failed\n', exitCode: 1 })
})
