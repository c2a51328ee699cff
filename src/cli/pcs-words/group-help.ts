/**
 * `pcs --help` and `pcs resource --help`: pcs's headings, and below them every command and option that is taken here, from the commands
 * themselves. What pcs has and the cluster does not do is listed with the reason.
 */
import { type Command, commonFlags, type Flag, pcsFlags } from '../call/command.ts'
import { flagUsage } from '../call/help.ts'
import { areaHeading, headingOf, usageBelow, wholeUsage } from './usage.ts'

/** pcs's areas, in its order. */
const areas: Readonly<Record<string, string>> = {
  cluster: 'Set up the cluster, and read or change its nodes and its CIB.',
  resource: 'Create, change, move and delete resources.',
  stonith: 'Create, change and test fence devices, and order them in levels.',
  constraint: 'Say where and in which order resources run.',
  property: 'Read and change cluster options.',
  acl: 'Say who may read and change which part of the CIB.',
  qdevice: 'Run a witness for the quorum of other clusters.',
  quorum: 'Read and change votes and the quorum.',
  booth: 'Tickets of clusters at several sites.',
  status: 'Show the state of the cluster and its parts.',
  config: 'Show and save the whole configuration.',
  pcsd: "Commands of pcs's own daemon.",
  host: "Hosts known to pcs's own daemon.",
  node: 'Standby, maintenance, attributes and utilization of nodes.',
  alert: 'Run programs when something happens.',
  client: "Access to pcs's own daemon.",
  dr: 'Recovery sites.',
  tag: 'Give several resources a name.',
}

const width = 80

interface Listed {
  readonly name: readonly string[]
  readonly command: Command
}

/** Names that the command line puts into present words before it looks for a command. */
const moreNames: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'status pcsd': [['cluster', 'pcsd-status']],
}

/** Every name by which a command is found, the commands in their order. */
function listed(commands: readonly Command[], below: readonly string[]): readonly Listed[] {
  return commands.flatMap((command) =>
    [command.path, ...(command.aliases ?? []), ...(command.bare ?? []), ...(moreNames[command.path.join(' ')] ?? [])]
      .filter((name) => below.every((word, index) => name[index] === word))
      .map((name) => ({ name, command })),
  )
}

export const hasHelp = (commands: readonly Command[], below: readonly string[]): boolean =>
  listed(commands, below).length > 0

/** Below these words; the heading says whether more of them were typed than name anything. */
export function pcsHelp(commands: readonly Command[], below: readonly string[], isAllTyped = true): string {
  const heading = below.length === 1 && isAllTyped ? `Usage: pcs ${areaHeading(below[0] ?? '')}` : headingBelow(below)
  const lines = below.length === 0 ? wholeHelp(commands) : areaHelp(listed(commands, below), below, heading)
  return lines.map((line) => `${line}\n`).join('')
}

export function wholeHelp(commands: readonly Command[]): readonly string[] {
  const own = [...new Set(commands.flatMap(({ path: [area = ''] }) => (area in areas ? [] : [area])))].sort()
  const verbs = (area: string): string =>
    [...new Set(listed(commands, [area]).flatMap(({ name }) => name.slice(1, 2)))].sort().join(', ')
  return [
    '',
    wholeUsage,
    'Control and configure the cluster.',
    '',
    'Options:',
    ...optionLines([
      ...commonFlags,
      ...pcsFlags,
      { name: 'version', summary: 'Show which version of pcs is spoken; with --full its capabilities' },
      { name: 'compat', value: 'version', summary: 'Speak as pcs 0.9, 0.10, 0.11 or 0.12' },
    ]),
    '',
    'Commands:',
    ...Object.entries(areas).map(([area, about]) => `    ${area.padEnd(12)}${about}`),
    '',
    'Commands that pcs does not have:',
    ...own.flatMap((area) => wrapped(`${area.padEnd(12)}${verbs(area)}`, 4, 16)),
  ]
}

const headingBelow = (below: readonly string[]): string =>
  below.length === 1 ? (usageBelow(below, true)[1] ?? '') : headingOf(below.join(' '))

function areaHelp(found: readonly Listed[], below: readonly string[], heading: string): readonly string[] {
  const [area = ''] = below
  return [
    '',
    heading,
    ...(below.length === 1 && areas[area] !== undefined ? [areas[area]] : []),
    '',
    'Commands:',
    ...found.flatMap((one) => entry(one, found)),
    '',
    'Options of every command:',
    ...optionLines([...commonFlags, ...pcsFlags]),
  ]
}

function entry({ name, command }: Listed, found: readonly Listed[]): readonly string[] {
  const { usage, flags = [], path, summary, refuses } = command
  const isMain = name === path || !found.some((other) => other.command === command && other.name === path)
  const words = name.slice(1).join(' ')
  if (refuses !== undefined) return [...wrapped(words, 4), ...wrapped(`Not here: ${refuses}`, 8), '']
  if (!isMain) return [...wrapped(`${words} ...`, 4), ...wrapped(`The same as '${path.slice(1).join(' ')}'.`, 8), '']
  const options = flags.filter((flag) => !usage.includes(`--${flag.name}`)).map((flag) => `[${flagUsage(flag)}]`)
  return [...wrapped([words, usage, ...options].filter(Boolean).join(' '), 4), ...wrapped(`${summary}.`, 8), '']
}

const optionLines = (flags: readonly Flag[]): readonly string[] =>
  flags.flatMap((flag) => wrapped(`${flagUsage(flag).padEnd(27)} ${flag.summary}.`, 4, 32))

/** Lines of a width that a terminal has, the later ones indented further. */
function wrapped(text: string, indent: number, later = indent + (indent === 4 ? 8 : 0)): readonly string[] {
  const lines: string[] = []
  let line = ' '.repeat(indent)
  for (const word of text.split(/ (?! )/)) {
    const isEmpty = line.trim() === ''
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line.trimEnd())
      line = ' '.repeat(later) + word
    } else line += isEmpty ? word : ` ${word}`
  }
  return [...lines, line.trimEnd()]
}
