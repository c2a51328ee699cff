import { readConfiguration } from '../../../cib/index.ts'
import { type Call, type Command, Refusal } from '../../command.ts'
import { formatFlag, inFormat } from '../../output-format.ts'
import { rebuildingCommands, rebuiltSections } from '../../replay/index.ts'
import { expectWords } from '../../words.ts'

/** Each part is what its own command shows. */
const parts: readonly { readonly title: string; readonly line: readonly string[] }[] = [
  { title: 'Resources', line: ['resource', 'config'] },
  { title: 'Stonith Devices', line: ['stonith', 'config'] },
  { title: 'Fencing Levels', line: ['stonith', 'level', 'config'] },
  { title: 'Constraints', line: ['constraint', 'config'] },
  { title: 'Alerts', line: ['alert', 'config'] },
  { title: 'Resources Defaults', line: ['resource', 'defaults'] },
  { title: 'Operations Defaults', line: ['resource', 'op', 'defaults'] },
  { title: 'Cluster Properties', line: ['property', 'config'] },
  { title: 'Tags', line: ['tag', 'config'] },
  { title: 'Node Attributes', line: ['node', 'attribute'] },
]

export const configShow: Command = {
  path: ['config', 'show'],
  bare: [['config']],
  usage: '[--show-secrets] [--output-format text|cmd|json]',
  summary: 'Show the whole configuration, or print the commands that make it again',
  details: 'With --output-format cmd the secrets are in the commands: they must be, to make the same again.',
  flags: [{ name: 'show-secrets', summary: 'Show passwords and tokens' }, formatFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'config show' })
    const { cib } = await call.cluster.readCib()
    const shown = await Promise.all(parts.map(async (part) => ({ ...part, outcome: await showPart(call, part.line) })))
    const nodes = readConfiguration(cib).nodes.map(({ name }) => name)
    return await inFormat(call, {
      text: () =>
        [
          `Nodes:\n  ${nodes.join(' ')}\n`,
          ...shown.map(({ title, outcome }) => {
            const [first = ''] = outcome.text.split('\n')
            // Some begin with a title of their own.
            const titled =
              first.endsWith(':') && !first.startsWith(' ') && /Constraints|Properties|Alerts|Attributes/.test(first)
            return titled ? outcome.text : `${title}:\n${outcome.text.replace(/^(?=.)/gm, '  ')}`
          }),
        ].join('\n'),
      json: { nodes, ...Object.fromEntries(shown.map(({ title, outcome }) => [title, outcome.json])) },
      cmd: () => rebuildingCommands(call, cib, { sections: rebuiltSections }),
    })
  },
}

async function showPart(
  call: Call,
  line: readonly string[],
): Promise<{ readonly text: string; readonly json: unknown }> {
  const secrets =
    call.flags.has('show-secrets') && line[1] === 'config' && ['resource', 'stonith'].includes(line[0] ?? '')
  const outcome = await call.runOn(secrets ? [...line, '--show-secrets'] : line, call.cluster)
  if (outcome.kind === 'refused') throw new Refusal(...outcome.sentences)
  return outcome
}
