import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  describeAgentMetadataReport,
  listAgents,
  listFenceAgents,
  listProviders,
  metadataReader,
  parseAgentMetadata,
  restartParameters,
} from '../../src/resource-agents/index.ts'
import { type AgentFolder, agentFolder } from './agent-folder.ts'

let folder: AgentFolder
beforeEach(() => {
  folder = agentFolder()
})
afterEach(() => folder.remove())

async function metadataOf(provider: string, type: string) {
  const answer = await metadataReader(folder.host)({ class: 'ocf', provider, type })
  if (!answer.ok) throw new Error(answer.reports.map(describeAgentMetadataReport).join())
  return answer.value
}

test('IPaddr2 says which parameter it needs and how long its actions may take', async () => {
  const metadata = await metadataOf('heartbeat', 'IPaddr2')
  expect(metadata.parameters.find(({ name }) => name === 'ip')).toMatchObject({ required: true, unique: true })
  expect(metadata.actions.find(({ name }) => name === 'monitor')).toMatchObject({
    timeoutMs: 20_000,
    intervalMs: 10_000,
  })
})

test('Stateful advises a monitor for each role, and only its state file needs a restart', async () => {
  const metadata = await metadataOf('pacemaker', 'Stateful')
  const monitors = metadata.actions.filter(({ name }) => name === 'monitor')
  expect(monitors.map(({ role, intervalMs }) => [role, intervalMs])).toEqual([
    ['Promoted', 10_000],
    ['Unpromoted', 11_000],
  ])
  expect(restartParameters(metadata)).toEqual(['state'])
})

test('fence_ipmilan marks its password as secret and its old names as deprecated', async () => {
  const answer = await metadataReader(folder.host)({ class: 'stonith', type: 'fence_ipmilan' })
  if (!answer.ok) throw new Error(answer.reports.map(describeAgentMetadataReport).join())
  const named = new Map(answer.value.parameters.map((parameter) => [parameter.name, parameter]))
  expect(named.get('password')?.private).toBe(true)
  expect(named.get('password_script')?.private).toBe(false)
  expect(named.get('ipaddr')?.deprecated).toBe(true)
  expect(named.get('method')?.choices).toEqual(['onoff', 'cycle'])
})

test('metadata is asked for once, and again when the agent has changed', async () => {
  const counting = (version: string) => `: meta-data; echo x >> ${folder.path}/asked
echo '<resource-agent name="a" version="${version}"><parameters/><actions/></resource-agent>'`
  folder.add('counted', counting('1'))
  const read = metadataReader(folder.host)
  const agent = { class: 'ocf', provider: 'test', type: 'counted' }
  const [first, second] = await Promise.all([read(agent), read(agent)])
  expect(first).toBe(second)
  folder.add('counted', counting('1.10'))
  expect(await read(agent)).toMatchObject({ ok: true, value: { version: '1.10' } })
})

const refused = [
  { name: 'that is not there', text: '', message: 'the agent printed none.' },
  { name: 'of another kind', text: '<html/>', message: 'it begins with <html>, not <resource-agent>.' },
  { name: 'cut off', text: '<resource-agent><parameters>', message: 'unclosed tag: parameters' },
]
for (const { name, text, message } of refused)
  test(`metadata ${name} is refused`, () => {
    const answer = parseAgentMetadata('ocf:test:a', text)
    expect(answer.ok ? '' : answer.reports.map(describeAgentMetadataReport).join()).toContain(message)
  })

test('providers and their agents are listed', () => {
  folder.add('one', '')
  expect(listProviders(folder.host)).toEqual(expect.arrayContaining(['heartbeat', 'pacemaker', 'test']))
  expect(listAgents(folder.host, 'test')).toEqual(['one'])
  expect(listAgents(folder.host, 'heartbeat').length).toBeGreaterThan(100)
  expect(listFenceAgents()).toContain('fence_ipmilan')
})
