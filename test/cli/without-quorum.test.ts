/** What a node without quorum says: that it speaks of the past, in text and in JSON. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { scratchAccess } from '../../src/cli/access/scratch-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const parsed = parseXml(readFileSync(join(import.meta.dirname, '../tools/cases/colocated.xml'), 'utf8'))

async function type(line: string, quorate: boolean, told: string[] = []): Promise<string> {
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  const others = quorate ? 'member' : 'lost'
  const state = {
    configured: true,
    started: true,
    clusterName: 'test',
    localNode: 'n1',
    quorate,
    votes: { present: quorate ? 3 : 1, expected: 3, needed: 2 },
    store: { kind: 'etcd', healthy: quorate, ...(quorate ? {} : { message: 'no lease' }) },
    members: [
      { node: 'n1', state: 'member', links: [] },
      { node: 'n2', state: others, links: [] },
      { node: 'n3', state: others, links: [] },
    ],
    fencing: [],
    notes: [],
    transition: { state: 'idle', number: 1, pending: [], blockedBy: [], blockedResources: [] },
  }
  const live = { getState: async () => state } as never
  const { standardOutput } = await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: scriptedTerminal(told),
    openCluster: () => ({ ...scratchAccess(parsed.value), live }),
  })
  return standardOutput
}

test('status as JSON has what its text says of the store and of nodes that are not heard', async () => {
  expect(JSON.parse(await type('status --json', false))).toMatchObject({
    started: true,
    store: { healthy: false, message: 'no lease' },
    quorum: { quorate: false, notHeard: ['n2', 'n3'] },
  })
  expect(JSON.parse(await type('status --json', true))).toMatchObject({
    store: { healthy: true },
    quorum: { quorate: true, notHeard: [] },
  })
})

for (const line of ['why a', 'why n2', 'why --fence n2', 'why --move a n2'])
  test(`${line} says that it answers from what the node last known`, async () => {
    const [told, before]: [string[], string[]] = [[], []]
    await type(line, false, told)
    expect(told.join('\n')).toContain('n2, n3 are not heard. The last known state follows.')
    await type(line, true, before)
    expect(before.join('\n')).not.toContain('last known')
  })
