import { readConfiguration, setDefaults } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Call, type Command, changeFlags, done, type Outcome } from '../../command.ts'
import { describeSets } from '../../describe-resource.ts'
import { parsePairs } from '../../words.ts'

type Kind = 'resource' | 'operation'

export const resourceDefaults = defaultsCommand('resource', ['resource', 'defaults'])
export const resourceOpDefaults = defaultsCommand('operation', ['resource', 'op', 'defaults'])

function defaultsCommand(of: Kind, path: readonly string[]): Command {
  return {
    path,
    aliases: [
      [...path, 'update'],
      [...path, 'config'],
    ],
    usage: '[<name>=<value>...]',
    summary: of === 'resource' ? 'Show or set defaults of meta-attributes' : 'Show or set defaults of operations',
    details: 'An empty value unsets a default.',
    examples: [
      of === 'resource'
        ? 'systole resource defaults resource-stickiness=100'
        : 'systole resource op defaults timeout=60s',
    ],
    flags: changeFlags,
    run: (call) => (call.words.length === 0 ? showDefaults(call, of) : updateDefaults(call, of)),
  }
}

async function showDefaults(call: Call, of: Kind): Promise<Outcome> {
  const configuration = readConfiguration((await call.cluster.readCib()).cib)
  const sets = of === 'resource' ? configuration.resourceDefaults : configuration.operationDefaults
  const lines = describeSets('Meta Attrs', sets, { showSecrets: false })
  return done(lines.length === 0 ? 'No defaults are set.\n' : lines.map((line) => `${line.slice(2)}\n`).join(''), sets)
}

async function updateDefaults(call: Call, of: Kind): Promise<Outcome> {
  const values = Object.fromEntries(parsePairs(call.words, 'defaults'))
  return await changeCib(call, {
    edit: (cib) => setDefaults(cib, { of, values, force: call.flags.has('force') }),
    message: () => `Defaults of ${of}s: ${call.words.join(' ')}.`,
    facts: () => ({ values }),
  })
}
