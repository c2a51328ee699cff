import { readConfiguration } from '../../../cib/index.ts'
import { type Call, type Command, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { expectWords } from '../../grammar/words.ts'
import { rebuildingCommands, rebuiltSections } from '../../replay/index.ts'

interface Part {
  readonly title: string
  readonly line: readonly string[]
  /** The command's own text has the title already. */
  readonly isTitled?: true
  readonly indent?: string
}

/** Each part is what its own command shows; a part that is empty is left out, as pcs does. */
const parts: readonly Part[] = [
  { title: 'Resources', line: ['resource', 'config'] },
  { title: 'Stonith Devices', line: ['stonith', 'config', '--without-levels'] },
  { title: 'Fencing Levels', line: ['stonith', 'level', 'config'] },
  { title: 'Constraints', line: ['constraint', 'config', '--full'], isTitled: true },
  { title: 'Alerts', line: ['alert', 'config'], isTitled: true },
  { title: 'Resources Defaults', line: ['resource', 'defaults', '--full'] },
  { title: 'Operations Defaults', line: ['resource', 'op', 'defaults', '--full'] },
  { title: 'Cluster Properties', line: ['property', 'config'], isTitled: true },
  { title: 'Tags', line: ['tag', 'config'], indent: ' ' },
]

/** Not part of what pcs shows. */
const moreParts: readonly Part[] = [{ title: 'Node Attributes', line: ['node', 'attribute'], isTitled: true }]

export const configShow: Command = {
  path: ['config', 'show'],
  bare: [['config']],
  usage: '[--show-secrets] [--output-format text|cmd|json]',
  summary: 'Show the whole configuration, or print the commands that create it',
  details: 'With --output-format cmd, the commands contain secrets, which are needed to create the same configuration.',
  flags: [{ name: 'show-secrets', summary: 'Show passwords and tokens' }, formatFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'config show' })
    const { cib } = await call.cluster.readCib()
    const listed = call.speech.program === 'pcs' ? parts : [...parts, ...moreParts]
    const shown = await Promise.all(listed.map(async (part) => ({ ...part, outcome: await showPart(call, part.line) })))
    const { nodes: all, options } = readConfiguration(cib)
    const nodes = all.map(({ name: node }) => node)
    const state = await call.cluster.live?.getState({})
    const written = options.flatMap(({ pairs }) => pairs).find((pair) => pair.name === 'cluster-name')?.value
    const name = state?.configured ? state.clusterName : written
    // pcs has them as in corosync.conf, and once more by name.
    const lists =
      call.speech.program === 'pcs'
        ? [['Corosync Nodes', nodes] as const, ['Pacemaker Nodes', [...nodes].sort()] as const]
        : [['Nodes', nodes] as const]
    return await inFormat(call, {
      text: () =>
        [
          `${name === undefined ? '' : `Cluster Name: ${name}\n`}${lists.map(([title, names]) => `${title}:\n ${names.join(' ')}\n`).join('')}`,
          ...shown.flatMap(({ title, outcome, isTitled, indent = '  ' }) => {
            if (outcome.text === '') return []
            return [isTitled ? outcome.text : `${title}:\n${outcome.text.replace(/^(?=.)/gm, indent)}`]
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
