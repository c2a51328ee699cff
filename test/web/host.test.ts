/** What a request makes of the host that answers: its files are not read, and no program on it is run, whatever stands in words, options and files. */
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import type { LocalClient } from '../../src/rpc/index.ts'
import { endpointsOf } from '../../src/web/command-table.ts'
import type { Given } from '../../src/web/request.ts'
import { runCommand } from '../../src/web/run-command.ts'
import { localClient } from '../support/local-client.ts'

const endpoints = endpointsOf(allCommands)
const xml =
  '<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes/><resources/><constraints/></configuration><status/></cib>'

function clientThat(pushes: unknown[], shown = xml): LocalClient {
  return localClient({
    getCib: async () => await Promise.resolve({ xml: shown, version: 17 }),
    // A dry run asks whether the change would be allowed.
    whoAmI: async () => await Promise.resolve({ user: 'x', limited: false }),
    clearNode: async (asked: unknown) => {
      pushes.push(asked)
      return await Promise.resolve({})
    },
    pushConfiguration: async (asked: unknown) => {
      pushes.push(asked)
      return await Promise.resolve({ kind: 'saved', version: 18 })
    },
  })
}

async function answerOf(path: string, given: Partial<Given>, pushes: unknown[] = [], shown = xml): Promise<string> {
  const endpoint = endpoints.find((one) => one.path === path)
  if (!endpoint) throw new Error(`no endpoint ${path}`)
  const whole = { words: [], flags: {}, files: {}, isDryRun: false, ...given }
  const asking = { live: clientThat(pushes, shown), user: 'token:x', ifVersion: undefined }
  return await runCommand(endpoint, whole, asking).then(
    (ran) => JSON.stringify(ran),
    (error: unknown) => String(error),
  )
}

test('agents are not run with what a request says, nor is booth', async () => {
  const words = ['web', 'ocf:pacemaker:Dummy']
  for (const [path, flag] of [
    ['/resource/create', 'agent-validation'],
    ['/resource/update', 'agent-validation'],
    ['/stonith/create', 'agent-validation'],
    ['/stonith/create', 'test'],
    ['/stonith/create', 'no-test'],
  ] as const)
    expect(await answerOf(path, { words, flags: { [flag]: true } })).toContain('cannot be given here')
  expect(endpoints.filter(({ path }) => path.startsWith('/booth'))).toEqual([])
})

test('a fence device that is created by a request is not asked, and the answer says so', async () => {
  const pushes: unknown[] = []
  const words = ['f', 'fence_ipmilan', 'ip=127.0.0.1', 'username=x', 'password=y']
  expect(JSON.parse(await answerOf('/stonith/create', { words }, pushes))).toMatchObject({
    result: { created: ['f'] },
    notes: expect.arrayContaining([
      "f was not tested, as the API runs no agents. Run 'systole stonith test f' on a node.",
    ]) as unknown,
  })
  expect(pushes).toHaveLength(1)
  expect(await answerOf('/stonith/create', { words, isDryRun: true }, pushes)).not.toContain('was not tested')
  expect(pushes).toHaveLength(1)
})

test('nor by a line of a file that is applied, or a command that is simulated', async () => {
  const pushes: unknown[] = []
  const line = 'resource create web ocf:pacemaker:Dummy --agent-validation'
  const files = { setup: `pcs ${line}\n` }
  for (const path of ['/plan', '/apply']) {
    const answer = await answerOf(path, { words: ['setup'], files }, pushes)
    expect(answer).toContain('the API does not take it')
  }
  expect(await answerOf('/simulate', { flags: { with: [line] } })).toContain('the API does not take it')
  expect(pushes).toEqual([])
})

test('a saved plan is the one of the request, and not a file of the host by its name', async () => {
  const saved = { systolePlan: 1, file: 'a', made: 'then', version: 1, before: 'x', configuration: '<x/>', actions: [] }
  for (const name of ['/etc/passwd', '/nosuch']) {
    const answer = await answerOf('/apply', { words: [name], files: { [name]: JSON.stringify(saved) } })
    expect(answer).toContain(`${name} is damaged`)
  }
})

test('the environment of the process is not read either', async () => {
  const file = 'resources:\n  web: {agent: "ocf:pacemaker:Dummy", parameters: {fake: {from-env: PATH}}}\n'
  const answer = await answerOf('/plan', { words: ['c.yaml'], files: { 'c.yaml': file } })
  expect(answer).toContain('The environment has no variable PATH')
  expect(answer).not.toContain(process.env.PATH)
})

test('the groups that a user has on the host are told where the configuration names them, and no others', async () => {
  const answer = await answerOf('/acl/check', { words: ['nobody'] })
  expect(JSON.parse(answer)).toMatchObject({ result: { user: 'nobody', groups: [] } })
  const acls = '<acls><acl_role id="r"/><acl_group id="g" name="nogroup"><role id="r"/></acl_group></acls>'
  const named = await answerOf('/acl/check', { words: ['nobody'] }, [], xml.replace('<constraints/>', `$&${acls}`))
  expect(JSON.parse(named)).toMatchObject({ result: { groups: ['nogroup'] } })
})

test('a dry run of clearing a node says that nothing was done, also of one that only has a status', async () => {
  const status = '<status><node_state id="9" uname="n9"/></status>'
  const entry = '<nodes><node id="9" uname="n9"/></nodes>'
  for (const shown of [xml.replace('<status/>', status), xml.replace('<status/>', status).replace('<nodes/>', entry)]) {
    const done: unknown[] = []
    const answer = await answerOf('/cluster/node/clear', { words: ['n9'], isDryRun: true }, done, shown)
    expect(JSON.parse(answer)).toMatchObject({ result: { preview: true, actions: [] } })
    expect(done).toEqual([])
  }
})
