/** What completion offers besides commands: names out of the running cluster's CIB and of installed agents. */
import { readdirSync } from 'node:fs'
import { type Configuration, clusterOptions, readConfiguration } from '../../cib/index.ts'
import { connectLocal } from '../../rpc/index.ts'
import type { CompletionSources } from '../call/completion.ts'
import { parseAnswer } from './live-access.ts'

const answerWithinMs = 1000

export function completionSources(root: string): CompletionSources {
  return {
    candidates: async (kind) => {
      if (kind === 'property') return clusterOptions.map(({ name }) => name)
      if (kind === 'agent') return installedAgents()
      if (kind === 'fence-agent') return installedFenceAgents()
      if (kind === 'file' || kind === 'anything') return []
      const configuration = await runningConfiguration(root)
      if (!configuration) return []
      if (kind === 'node') return configuration.nodes.map(({ name }) => name)
      if (kind === 'tag') return configuration.tags.map(({ id }) => id)
      if (kind === 'constraint') return configuration.constraints.map(({ id }) => id)
      const resources = resourceIds(configuration)
      return kind === 'resource'
        ? resources.map(({ id }) => id)
        : resources.filter(({ fences }) => fences).map(({ id }) => id)
    },
  }
}

/** Nothing is offered where no cluster answers: completion must never hang or complain. */
async function runningConfiguration(root: string): Promise<Configuration | undefined> {
  const client = connectLocal(root)
  try {
    const { xml } = await client.getCib({}, { timeoutMs: answerWithinMs })
    return readConfiguration(parseAnswer(xml))
  } catch {
    return undefined
  } finally {
    client.close()
  }
}

function resourceIds(configuration: Configuration): readonly { readonly id: string; readonly fences: boolean }[] {
  return configuration.resources.flatMap((resource) => {
    const own = {
      id: resource.id as string,
      fences: resource.kind === 'primitive' && resource.agent.class === 'stonith',
    }
    if (resource.kind === 'group')
      return [own, ...resource.members.map(({ id }) => ({ id: id as string, fences: false }))]
    if (resource.kind === 'clone') return [own, { id: resource.child.id as string, fences: false }]
    return [own]
  })
}

function installedAgents(): readonly string[] {
  const folder = '/usr/lib/ocf/resource.d'
  return entries(folder).flatMap((provider) =>
    entries(`${folder}/${provider}`).map((type) => `ocf:${provider}:${type}`),
  )
}

function installedFenceAgents(): readonly string[] {
  return entries('/usr/sbin').filter((name) => name.startsWith('fence_'))
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}
