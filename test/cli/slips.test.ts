/** Lines with a slip: a node that is not there, whose answer would be taken for one about another, an option in the wrong place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { refuse } from '../../src/rpc/index.ts'
import { localClient } from '../support/local-client.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-names-'))
const file = join(folder, 'cib.xml')
writeFileSync(
  file,
  `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes><resources/><constraints/></configuration><status/></cib>`,
)
afterAll(() => rmSync(folder, { recursive: true }))

const live = localClient({
  getState: async () => ({
    configured: true,
    started: true,
    clusterName: 'lab',
    localNode: 'n1',
    quorate: true,
    votes: { present: 2, expected: 2, needed: 2 },
    members: [],
    transition: { state: 'idle', number: 1, computedVersion: 1, pending: [], blockedBy: [], blockedResources: [] },
    fencing: [
      {
        id: '1',
        target: 'n7',
        action: 'off',
        outcome: 'succeeded',
        client: 'administrator',
        begun: '2026-11-20T11:00:00Z',
      },
    ],
    store: { kind: 'etcd', healthy: true },
    configVersion: 1,
    revision: 1,
    notes: ['Something to know.'],
    enabled: true,
  }),
  fence: async () => ({ succeeded: true, message: '' }),
  removeNode: ({ node }) => Promise.reject(refuse('no-such-node', `There is no node '${node}'.`)),
})

async function type(line: string, program: 'systole' | 'pcs' = 'systole'): Promise<Printed & { progress: string[] }> {
  const progress: string[] = []
  const printed = await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: scriptedTerminal(progress),
    openCluster: () => ({ ...fileAccess(file), live }),
    called: { program, environment: undefined },
  })
  return { ...printed, progress }
}

test('the history of a node that is not there is not an empty one', async () => {
  expect(await type('stonith history n9')).toMatchObject({
    exitCode: 1,
    standardError: "Error: There is no node 'n9'. Did you mean 'n1' or 'n2'?\n",
  })
  expect((await type('stonith history n2')).standardOutput).toBe('Node n2 was never fenced.\n')
  // It was removed since.
  expect((await type('stonith history n7')).standardOutput).toContain('off of n7')
  expect(await type('stonith history n9', 'pcs')).toMatchObject({ exitCode: 0 })
})

test('nothing is said to begin with a node that is not there', async () => {
  expect((await type('cluster node remove n9')).progress).toEqual([])
  expect((await type('cluster node remove n2')).progress).toEqual(['Removing n2: its resources move first …'])
  expect((await type('stonith fence n9')).progress).toEqual([])
  expect((await type('stonith fence n2')).progress).toEqual(['Fencing n2 (reboot) …'])
})

test('the last line of the status is a whole one, also where it is a note', async () => {
  expect((await type('status')).standardOutput).toMatch(/Something to know\.\n$/)
})

test('an option of a bundle that stands behind the wrong word is told where it belongs', async () => {
  const { standardError } = await type(
    'resource bundle create web container podman image=x replicas=2 control-port=3131 source-dir=/a toString=x',
  )
  expect(standardError).toContain("There is no container option 'control-port'. Specify it after 'network'.\n")
  expect(standardError).toContain("There is no container option 'source-dir'. Specify it after 'storage-map'.\n")
  expect(standardError).toContain("There is no container option 'toString'.\n")
})
