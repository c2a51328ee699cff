/** A version that a request names: nothing is done with another, whatever the command changes. */
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import { clusterFor, runCommand } from '../../src/web/run-command.ts'
import { localClient } from '../support/local-client.ts'

const xml = '<cib><configuration><crm_config/><nodes/><resources/><constraints/></configuration></cib>'

function daemon() {
  const done: string[] = []
  let version = 17
  const live = localClient({
    getCib: async () => await Promise.resolve({ xml, version }),
    pushConfiguration: async ({ command }: { readonly command: string }) => {
      done.push(command)
      version += 1
      return await Promise.resolve({ kind: 'saved', version })
    },
    stopCluster: async () => {
      done.push('stopCluster')
      return await Promise.resolve({ answers: [] })
    },
    revokeApiToken: async () => {
      done.push('revokeApiToken')
      return await Promise.resolve({})
    },
  })
  return { live, done }
}

test('also a command that changes no configuration is refused with another version', async () => {
  const { live, done } = daemon()
  const endpoint = endpointsOf(allCommands).find(({ path }) => path === '/token/revoke')
  if (!endpoint) throw new Error('no endpoint')
  const given = { words: ['ci'], flags: {}, files: {}, isDryRun: false }
  await expect(runCommand(endpoint, given, { live, user: 'x', ifVersion: 16 })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining('Nothing was changed') as unknown,
  })
  expect(done).toEqual([])
  await runCommand(endpoint, given, { live, user: 'x', ifVersion: 17 })
  expect(done).toEqual(['revokeApiToken'])
})

test('a command that changes the configuration twice is not stopped in the middle', async () => {
  const { live } = daemon()
  const trace = { code: undefined, version: undefined }
  const access = clusterFor({ live, user: 'x', ifVersion: 17 }, trace)
  const { cib, version } = await access.readCib()
  await access.push({ cib, expectedVersion: version, command: 'first' })
  expect((await access.readCib()).version).toBe(18)
})

test('what is recorded of a change is what was asked for, without the words that the API adds', async () => {
  const { live, done } = daemon()
  const endpoint = endpointsOf(allCommands).find(({ path }) => path === '/property/set')
  if (!endpoint) throw new Error('no endpoint')
  const given = { words: ['cluster-delay=61s'], flags: {}, files: {}, isDryRun: false }
  await runCommand(endpoint, given, { live, user: 'x', ifVersion: 17 })
  expect(done).toEqual(['systole property set cluster-delay=61s'])
})

test('the version of an answer is the one that the change has made, whatever others change meanwhile', async () => {
  const { live } = daemon()
  const trace = { code: undefined, version: undefined }
  const access = clusterFor({ live, user: 'x', ifVersion: 17 }, trace)
  const { cib, version } = await access.readCib()
  await access.push({ cib, expectedVersion: version, command: 'own' })
  await live.pushConfiguration({ xml, expectedVersion: 18, user: 'y', command: 'of another' })
  expect((await access.readCib()).version).toBe(19)
  expect(trace.version).toBe(18)
})
