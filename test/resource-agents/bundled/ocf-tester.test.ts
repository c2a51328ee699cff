import { readdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metadataReader } from '../../../src/resource-agents/index.ts'
import { freePort } from '../../support/free-ports.ts'
import { BundledAgents } from './bundled-agents.ts'

/** Every bundled agent by Debian's `ocf-tester`: metadata by its DTD, and each action again and again, in any order. */
let agents: BundledAgents
beforeAll(() => {
  agents = new BundledAgents()
  writeFileSync(agents.path('answers'), JSON.stringify({ '/': {} }))
})
afterAll(() => agents.remove())

const types = readdirSync(`${import.meta.dirname}/../../../agents/ocf/systole`)

async function parametersOf(type: string): Promise<Readonly<Record<string, string>>> {
  const port = await freePort()
  if (type === 'http') return { port: String(port) }
  if (type === 'haproxy') {
    const config = agents.path('haproxy.cfg')
    writeFileSync(config, `frontend f\n  mode http\n  timeout client 5s\n  bind 127.0.0.1:${port}\n`)
    return { config }
  }
  const command = `${process.execPath} ${import.meta.dirname}/stand-in.mjs ${port} ${agents.path('answers')}`
  return { command, user: 'root', url: `http://127.0.0.1:${port}/` }
}

describe.concurrent('ocf-tester is content with', () => {
  for (const type of ['http', 'process', 'haproxy', 'glance-api', 'nova-scheduler'])
    test(type, async () => {
      const { passed, said } = await agents.ocfTester(type, await parametersOf(type))
      expect(said).toContain('passed all tests')
      expect(passed).toBe(true)
    })
})

describe('what the agents say of themselves', () => {
  for (const type of types)
    test(`${type} has a description, parameters with defaults, and the actions of its kind`, async () => {
      const read = await metadataReader(agents.host)({ class: 'ocf', provider: 'systole', type })
      if (!read.ok) throw new Error(`no metadata of ${type}`)
      expect(read.value.name).toBe(type)
      expect(read.value.shortDescription).not.toBe('')
      expect(read.value.parameters.filter(({ shortDescription }) => shortDescription === '')).toEqual([])
      const names = read.value.actions.map(({ name }) => name)
      for (const action of ['start', 'stop', 'monitor', 'reload-agent', 'meta-data', 'validate-all'])
        expect(names).toContain(action)
    })
})
