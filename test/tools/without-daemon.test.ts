/** Calls while no daemon answers: those that need none are answered, and the others say that there is no cluster. */
import { expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'

const calls: readonly { readonly line: string; readonly code: number; readonly says?: RegExp }[] = [
  { line: 'cibadmin --empty', code: 0 },
  { line: 'cibadmin', code: 64 },
  { line: 'crm_resource foo', code: 64, says: /foo/ },
  { line: 'crm_resource --meta -r', code: 64, says: /Missing argument/ },
  { line: 'crm_attribute -n x --bogus', code: 64, says: /bogus/ },
  { line: 'crm_resource --help', code: 0 },
  { line: 'cibadmin --query', code: 102, says: /Could not connect to the cluster/ },
  { line: 'crm_attribute -n x -G', code: 102 },
  { line: 'attrd_updater -n x -U 1', code: 102 },
  { line: 'crm_resource --cleanup', code: 102 },
  { line: 'stonith_admin --reboot n1', code: 102 },
  { line: 'stonith_admin --confirm n1', code: 102 },
  { line: 'crm_node -l', code: 102 },
  { line: 'crm_simulate --bogus', code: 64, says: /bogus/ },
  { line: 'crm_diff --bogus', code: 64, says: /bogus/ },
  { line: 'crm_diff', code: 65 },
  { line: 'crm_simulate', code: 102 },
  { line: 'crm_report --bogus', code: 64, says: /bogus/ },
  { line: 'crm_report --features', code: 0 },
  { line: 'crm_report -v', code: 0 },
  { line: 'corosync-cfgtool --bogus', code: 1, says: /bogus/ },
]

for (const { line, code, says } of calls)
  test(`${line}: ${code}`, async () => {
    const [tool = '', ...words] = line.split(' ')
    const environment = { SYSTOLE_TOOLS_SOCKET: '/nonexistent/tools.sock' }
    const reply = await replyTo({ tool, arguments: words, files: callerFiles(environment) }, environment)
    expect([reply.exitCode, reply.errors]).toEqual([code, says ? expect.stringMatching(says) : expect.anything()])
  })
