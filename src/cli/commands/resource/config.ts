import { didYouMean, similarWords } from '../../../base/index.ts'
import { type ResourceDefinition, readConfiguration } from '../../../cib/index.ts'
import { type Call, type Command, type Outcome, Refusal } from '../../command.ts'
import { describeResource } from '../../describe-resource.ts'
import { formatFlag, inFormat } from '../../output-format.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { isSecretName } from '../../secrets.ts'

const flags = [
  { name: 'show-secrets', summary: 'Show passwords and tokens' },
  { name: 'full', summary: 'Accepted for pcs’s sake' },
  formatFlag,
] as const

export const resourceConfig: Command = {
  path: ['resource', 'config'],
  usage: '[<resource>...] [--show-secrets] [--output-format text|cmd|json]',
  summary: 'Show how resources are configured, or print the commands that make them again',
  flags,
  completes: ['resource'],
  run: (call) => show(call, (resource) => !isFenceDevice(resource)),
}

export const stonithConfig: Command = {
  path: ['stonith', 'config'],
  usage: '[<fence device>...] [--show-secrets] [--output-format text|cmd|json]',
  summary: 'Show how fence devices are configured',
  flags,
  completes: ['fence-device'],
  run: (call) => show(call, isFenceDevice),
}

function isFenceDevice(resource: ResourceDefinition): boolean {
  return resource.kind === 'primitive' && resource.agent.class === 'stonith'
}

async function show(call: Call, listed: (resource: ResourceDefinition) => boolean): Promise<Outcome> {
  const { cib } = await call.cluster.readCib()
  const all = readConfiguration(cib).resources.flatMap(withInner)
  const top = readConfiguration(cib).resources.filter(listed)
  const shown = call.words.length === 0 ? top : call.words.map((id) => named(all, id))
  const showSecrets = call.flags.has('show-secrets')
  const text = (): string => {
    const described = shown.map((resource) => describeResource(resource, { showSecrets })).join('')
    return described === '' ? 'Nothing is configured.\n' : described
  }
  const json: unknown = JSON.parse(
    JSON.stringify(shown, (_key, value: unknown) => (showSecrets ? value : hidden(value))),
  )
  const ids = new Set(shown.map(({ id }) => String(id)))
  return await inFormat(call, {
    text,
    json,
    cmd: () => rebuildingCommands(call, cib, { sections: ['resources'], ids: [...ids] }),
  })
}

function named(all: readonly ResourceDefinition[], id: string): ResourceDefinition {
  const found = all.find((resource) => resource.id === id)
  if (found) return found
  throw new Refusal(
    `There is no resource '${id}'.${didYouMean(
      similarWords(
        id,
        all.map((resource) => resource.id),
      ),
    )}`,
  )
}

function withInner(resource: ResourceDefinition): readonly ResourceDefinition[] {
  if (resource.kind === 'group') return [resource, ...resource.members]
  if (resource.kind === 'clone') return [resource, ...withInner(resource.child)]
  if (resource.kind === 'bundle') return resource.child ? [resource, resource.child] : [resource]
  return [resource]
}

/** A name/value pair whose name says that it is secret loses its value; places in the text mean nothing to a reader. */
function hidden(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('value' in value)) return value
  return isSecretName(String(value.name)) ? { ...value, value: '******' } : value
}
