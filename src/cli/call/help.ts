/** Help texts, from the commands themselves. */
import { type Command, commonFlags, type Flag, pcsFlags } from './command.ts'
import { commandsBelow } from './tree.ts'

/** The heading is that of whoever has another one than our own. */
export function describeCommand(command: Command, program = 'systole', heading?: readonly string[]): string {
  const name = [program, ...command.path].join(' ')
  const parts = [
    heading?.join('\n') ?? `Usage: ${name}${command.usage === '' ? '' : ` ${command.usage}`}`,
    command.summary,
    ...(command.details ? [command.details] : []),
  ]
  const otherNames = [...(command.bare ?? []), ...(command.aliases ?? [])]
  if (otherNames.length > 0) parts.push(`Also accepted as: ${otherNames.map((alias) => alias.join(' ')).join(', ')}.`)
  const own = [...(command.flags ?? []), ...commonFlags]
  const more = program === 'pcs' ? pcsFlags.filter(({ name }) => !own.some((flag) => flag.name === name)) : []
  const flags = [...own, ...more]
  parts.push(['Options:', ...alignPairs(flags.map((flag) => [flagUsage(flag), flag.summary] as const))].join('\n'))
  if (command.examples && command.examples.length > 0)
    parts.push(['Examples:', ...command.examples.map((example) => `  ${example}`)].join('\n'))
  return `${parts.join('\n\n')}\n`
}

export function listCommands(commands: readonly Command[], below: readonly string[], program = 'systole'): string {
  const shown = commandsBelow(commands, below)
  const title = [program, ...below, '<command>'].join(' ')
  if (below.length > 0) return [`Usage: ${title}`, '', ...alignPairs(summaries(shown)), '', hint, ''].join('\n')
  const areas = [...new Set(shown.map((command) => command.path[0] ?? ''))]
  const blocks = areas.map((area) =>
    alignPairs(summaries(shown.filter((command) => command.path[0] === area))).join('\n'),
  )
  return [`Usage: ${title}`, '', blocks.join('\n\n'), '', hint, ''].join('\n')
}

const hint = "Add --help to a command for its options and examples; '<area> --help' lists one area."

function summaries(commands: readonly Command[]): readonly (readonly [string, string])[] {
  return commands.map((command) => [command.path.join(' '), command.summary] as const)
}

export function flagUsage(flag: Flag): string {
  const letter = flag.letter ? `-${flag.letter}, ` : ''
  if (flag.value === undefined) return `${letter}--${flag.name}`
  const optional = /^\[(.*)\]$/.exec(flag.value)
  return optional ? `${letter}--${flag.name}[=<${optional[1]}>]` : `${letter}--${flag.name}=<${flag.value}>`
}

function alignPairs(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.min(40, Math.max(0, ...pairs.map(([left]) => left.length)))
  return pairs.map(([left, right]) =>
    left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}` : `  ${left.padEnd(width)}  ${right}`,
  )
}
