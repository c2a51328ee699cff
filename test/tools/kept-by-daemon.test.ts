/** CIB_file may name the file in which Pacemaker keeps the cluster's CIB: crmsh looks for the nodes there when it collects a report. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'
import { serveTools, type ToolReply, type ToolServer } from '../../src/tools/index.ts'

const root = mkdtempSync(join(tmpdir(), 'systole-kept-'))
const kept = join(root, 'var/lib/pacemaker/cib/cib.xml')
const socket = join(root, 'tools.sock')
const environment = { SYSTOLE_ROOT: root, SYSTOLE_TOOLS_SOCKET: socket, CIB_file: kept }
let server: ToolServer
beforeAll(async () => {
  mkdirSync(join(root, 'var/lib/pacemaker/cib'), { recursive: true })
  server = await serveTools(socket, {
    handle: async ({ tool }) => ({ exitCode: 0, output: `the daemon answers ${tool}\n`, errors: '' }),
    callerOf: () => ({ kind: 'user', uid: 0, gid: 0, pid: 0 }),
    userOf: ({ uid }) => uid,
    group: undefined,
  })
})
beforeEach(() => rmSync(kept, { force: true }))
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true })
})

async function cibadmin(more: typeof environment, ...words: readonly string[]): Promise<ToolReply> {
  return await replyTo({ tool: 'cibadmin', arguments: words, files: callerFiles(more) }, more)
}

test('a query of it is answered by the daemon where the file is not', async () =>
  expect(await cibadmin(environment, '-Ql')).toMatchObject({ exitCode: 0, output: 'the daemon answers cibadmin\n' }))

test('a file that is there is the CIB', async () => {
  writeFileSync(
    kept,
    '<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>',
  )
  expect((await cibadmin(environment, '-Q')).output).toContain('validate-with="pacemaker-3.9"')
})

test('nothing is written to the cluster that way', async () =>
  expect((await cibadmin(environment, '--delete', '--xml-text', '<primitive id="web"/>')).exitCode).not.toBe(0))

test('another file that is not there is an error', async () => {
  const other = await cibadmin({ ...environment, CIB_file: join(root, 'other.xml') }, '-Q')
  expect(other).toMatchObject({ output: '' })
  expect(other.exitCode).not.toBe(0)
})
