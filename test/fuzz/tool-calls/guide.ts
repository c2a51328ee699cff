/** The tables of docs/guides/pacemaker-commands.md: for each command and option of Pacemaker's, how many lines were compared and how they ended. */
import { allTools } from '../../../src/tools/command/all-tools.ts'
import { optionsOf, writtenNames } from '../../../src/tools/help.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { Outcome, Tally } from './outcome.ts'

export const guideTitle = '## How it was compared\n'

/** What stands below its title in docs/guides/pacemaker-commands.md. */
export function comparison(outcome: Outcome): string {
  const all = Object.values(outcome.commands)
  const sum = (count: (tally: Tally) => number): number => all.reduce((total, tally) => total + count(tally), 0)
  const total = sum(linesOf)
  return `Written by \`npm run tools-coverage\`. ${total} lines of our own (\`test/tools/compared\`) were given to Pacemaker 3.0.0 and
to these commands on the same files, with \`npm run fuzz:tools\`. *Same*: exit code, files, output and errors are equal. *Other words*: only
text differs. *As 2.1.5*: 3.0.0 ends differently, and this is the result of 2.1.5. *Other result*: the exit code or a file differs from both.
A line counts for each of its options, so an option shares the reason of the line, whichever option causes it. At ${outcome.crashed} more
lines Pacemaker's own program crashed. No daemon ran: options that need a cluster ended with the same refusal here and there.

| Command | Lines | Same | Other words | As 2.1.5 | Other result |
| --- | --- | --- | --- | --- | --- |
${allTools.map((tool) => rowOf(tool, outcome)).join('\n')}
| all | ${total} | ${sum(({ same }) => same)} | ${sum(({ words }) => words)} | ${sum(({ older }) => older)} | ${sum(({ result }) => result)} |

${allTools.map((tool) => sectionOf(tool, outcome)).join('\n')}`
}

function linesOf({ same, words, older, result }: Tally): number {
  return same + words + older + result
}

function rowOf({ name }: Tool, outcome: Outcome): string {
  const tally = outcome.commands[name]
  if (tally === undefined) return `| \`${name}\` | 0 | ${notCompared(name)} | | | |`
  return `| \`${name}\` | ${linesOf(tally)} | ${tally.same} | ${tally.words} | ${tally.older} | ${tally.result} |`
}

function sectionOf(tool: Tool, outcome: Outcome): string {
  const rows = optionsOf(tool).map((option) => {
    const tally = outcome.options[`${tool.name} ${option.names[0] ?? ''}`]
    return `| \`${writtenNames(option).replaceAll('|', '\\|')}\` | ${tally === undefined ? 0 : linesOf(tally)} | ${ending(tally, tool.name)} |`
  })
  return `### ${tool.name}\n\n| Option | Lines | How they ended |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

/** Why no line can be given to the original. */
const whyNot: Readonly<Record<string, string>> = {
  crm_report: 'collects from the nodes of a running cluster',
  'corosync-cfgtool': 'asks a running Corosync',
  'corosync-quorumtool': 'asks a running Corosync',
  'corosync-cmapctl': 'asks a running Corosync',
  crm_mon: 'goes on until it is ended',
}

const notCompared = (tool: string): string =>
  whyNot[tool] === undefined ? 'not compared' : `not compared: ${whyNot[tool]}`

function ending(tally: Tally | undefined, tool: string): string {
  if (tally === undefined) return notCompared(tool)
  const parts = [
    ...(tally.same > 0 ? [`same ${tally.same}`] : []),
    ...(tally.words > 0 ? [`other words ${tally.words}`] : []),
    ...(tally.older > 0 ? [`as 2.1.5 ${tally.older}`] : []),
    ...Object.entries(tally.reasons).map(([reason, count]) => `other result ${count} because ${reason}`),
  ]
  return parts.length === 1 && tally.same > 0 ? 'same' : parts.join('; ')
}
