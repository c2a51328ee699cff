/** What an agent's metadata says of parameters that are given or taken away. */
import { describe, expect, test } from 'vitest'
import { ownWords } from '../../src/cli/call/message.ts'
import {
  advisedOperations,
  type InstalledAgent,
  parameterMistakes,
  requiredMistakes,
} from '../../src/cli/host/agents.ts'
import { sentencesOf } from '../../src/cli/pcs-words/sentences.ts'
import { parseAgentMetadata } from '../../src/resource-agents/index.ts'
import { scriptMetadata } from '../../src/resource-agents/service-metadata.ts'

const fenceAgent = installed(
  { class: 'stonith', type: 'fence_x' },
  `<resource-agent name="fence_x">
    <parameters>
      <parameter name="ip" required="1" obsoletes="ipaddr"/>
      <parameter name="ipaddr" required="1" deprecated="1" obsoletes="host"/>
      <parameter name="host" required="1" deprecated="1"/>
      <parameter name="realm" required="1"/>
      <parameter name="plug" required="1"/>
    </parameters>
    <actions><action name="monitor"/></actions>
  </resource-agent>`,
)

describe('a required parameter with older names', () => {
  const said = (inTheEnd: readonly string[], changed?: readonly string[]): readonly string[] => {
    const mistakes = requiredMistakes(fenceAgent, new Set(inTheEnd), changed && new Set(changed))
    const abouts = mistakes.flatMap((one) => (typeof one === 'string' || one.about === undefined ? [] : [one.about]))
    return sentencesOf(abouts, { typed: 'stonith update', words: [], usage: '' })?.errors ?? []
  }

  test('is there under any of them', () => {
    for (const name of ['ip', 'ipaddr', 'host']) expect(said([name, 'realm'])).toEqual([])
  })

  test('is missing where none of them stays', () => {
    expect(said(['realm'], ['ipaddr'])).toEqual([
      "stonith option 'ip', 'host' (deprecated) or 'ipaddr' (deprecated) has to be specified, use --force to override",
    ])
  })

  test('is a sentence of its own, beside those that have no older name', () => {
    expect(said([])).toEqual([
      "stonith option 'ip', 'host' (deprecated) or 'ipaddr' (deprecated) has to be specified, use --force to override",
      "required stonith option 'realm' is missing, use --force to override",
    ])
  })

  test('is not asked for by a change that is about something else', () => {
    expect(said([], ['pcmk_host_list'])).toEqual([])
  })
})

describe('a script without parameters', () => {
  const script: InstalledAgent = { agent: { class: 'lsb', type: 'x' }, metadata: scriptMetadata('lsb:x', '') }

  test('what every fence device takes is among what was probably meant', () => {
    const device = { agent: { class: 'stonith', type: 'fence_x' }, metadata: script.metadata }
    const mistakes = parameterMistakes(device, new Map([['pcmk_host_lst', 'n1']]), { required: false })
    expect(mistakes.map(ownWords)).toEqual([
      "stonith:fence_x has no parameter 'pcmk_host_lst'. Did you mean 'pcmk_host_list' or 'pcmk_host_map'?",
    ])
  })

  test('takes none', () => {
    const mistakes = parameterMistakes(script, new Map([['foo', 'bar']]), { required: true })
    expect(mistakes.map(ownWords)).toEqual(["lsb:x has no parameter 'foo'."])
    const abouts = mistakes.flatMap((one) => (typeof one === 'string' || one.about === undefined ? [] : [one.about]))
    expect(sentencesOf(abouts, { typed: 'resource update', words: [], usage: '' })?.errors).toEqual([
      "invalid resource option 'foo', there are no options allowed, use --force to override",
    ])
  })

  test('may have any where nothing is known of it', () => {
    const unknown = { ...script, metadata: { ...script.metadata, actions: [] } }
    expect(parameterMistakes(unknown, new Map([['foo', 'bar']]), { required: true })).toEqual([])
  })

  test('takes what traces it, if it is an OCF agent', () => {
    const ocf: InstalledAgent = { ...script, agent: { class: 'ocf', provider: 'p', type: 'x' } }
    expect(parameterMistakes(ocf, new Map([['trace_ra', '1']]), { required: true })).toEqual([])
    expect(parameterMistakes(ocf, new Map([['foo', '1']]), { required: true })).toHaveLength(1)
  })

  test('gets its times without units, as Pacemaker advises them', () => {
    expect(advisedOperations(script).find(({ name }) => name === 'monitor')?.attributes).toEqual({
      interval: '15',
      timeout: '15',
    })
  })
})

function installed(agent: InstalledAgent['agent'], text: string): InstalledAgent {
  const metadata = parseAgentMetadata('x', text)
  if (!metadata.ok) throw new Error('The metadata of the test cannot be read.')
  return { agent, metadata: metadata.value }
}
