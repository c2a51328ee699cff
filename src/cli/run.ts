/** From a command line to printed text and an exit code. */
import { RefusedError } from '../rpc/index.ts'
import type { ClusterAccess } from './access.ts'
import { type Command, commonFlags, type Flag, type Outcome, Refusal, refused, type Terminal } from './command.ts'
import { describeCommand, listCommands } from './help.ts'
import { withoutSecrets } from './secrets.ts'
import { commandsBelow, findCommand, unknownCommand } from './tree.ts'
import { splitFlags } from './words.ts'

export interface Invocation {
  readonly commands: readonly Command[]
  readonly line: readonly string[]
  readonly terminal: Terminal
  /** Opened only when a command runs: help needs no cluster. The file is that of `-f`. */
  readonly openCluster: (file: string | undefined) => ClusterAccess
}

export interface Printed {
  readonly standardOutput: string
  readonly standardError: string
  readonly exitCode: number
}

export async function runLine(invocation: Invocation): Promise<Printed> {
  const json = invocation.line.includes('--json')
  try {
    return print(await dispatch(invocation), json)
  } catch (error) {
    if (error instanceof Refusal || error instanceof RefusedError) return print(refused(...error.sentences), json)
    const cause = error instanceof Error ? error : new Error(String(error))
    const debug = invocation.line.includes('--debug') ? `\n${cause.stack ?? ''}` : ''
    return print(refused(`${cause.message}${debug}`), json)
  }
}

async function dispatch(invocation: Invocation): Promise<Outcome> {
  const { commands, terminal } = invocation
  const line = leadingFlagsLast(invocation.line)
  const found = findCommand(commands, line)
  if (!found || asksForArea(found.command, found.rest, commands)) return helpOrRefusal(commands, line)
  const { command, rest } = found
  if (rest.includes('--help') || rest.includes('-h')) {
    const text = describeCommand(command)
    return { kind: 'done', text, json: { path: command.path, usage: command.usage, summary: command.summary } }
  }
  const { words, flags } = splitFlags(rest, [...(command.flags ?? []), ...commonFlags])
  const file = flags.get('file')
  const cluster = invocation.openCluster(typeof file === 'string' ? file : undefined)
  const typed = ['systole', ...withoutSecrets(invocation.line)].join(' ')
  try {
    return await command.run({
      command,
      words,
      flags,
      cluster,
      terminal,
      typed,
      commands,
      runOn: (other, copy) =>
        dispatch({
          ...invocation,
          line: other,
          terminal: { ...terminal, progress: () => undefined },
          openCluster: () => copy,
        }),
    })
  } finally {
    cluster.close()
  }
}

/** `pcs -f file resource create …`: flags before the command's name belong to the command. */
function leadingFlagsLast(line: readonly string[]): readonly string[] {
  const leading: string[] = []
  let rest = [...line]
  for (let first = rest[0]; first?.startsWith('-'); first = rest[0]) {
    const takesValue = commonFlags.some(
      (flag: Flag) => flag.value !== undefined && (first === `-${flag.letter}` || first === `--${flag.name}`),
    )
    leading.push(...rest.slice(0, takesValue ? 2 : 1))
    rest = rest.slice(takesValue ? 2 : 1)
  }
  return [...rest, ...leading]
}

/** `systole resource op` names both a command and an area where a command of that very name exists and words are missing. */
function asksForArea(command: Command, rest: readonly string[], commands: readonly Command[]): boolean {
  const below = commandsBelow(commands, command.path).filter((other) => other !== command)
  return rest[0] === '--help' && below.length > 0 && command.usage === ''
}

function helpOrRefusal(commands: readonly Command[], line: readonly string[]): Outcome {
  const words = line.filter((word) => !word.startsWith('-'))
  if (line.includes('--version')) return { kind: 'done', text: `${version}\n`, json: { version } }
  if (words.length > 0 && commandsBelow(commands, words).length === 0) throw unknownCommand(commands, words)
  const asked = line.includes('--help') || line.includes('-h') || words[0] === 'help' || line.length === 0
  if (!asked) throw unknownCommand(commands, words)
  const text = listCommands(commands, words)
  return {
    kind: 'done',
    text,
    json: commandsBelow(commands, words).map(({ path, summary, usage }) => ({ path, summary, usage })),
  }
}

export const version = '0.1.0'

function print(outcome: Outcome, json: boolean): Printed {
  if (outcome.kind === 'done') {
    const text = json ? `${JSON.stringify(outcome.json, null, 2)}\n` : outcome.text
    return { standardOutput: text, standardError: '', exitCode: outcome.exitCode ?? 0 }
  }
  const exitCode = outcome.exitCode ?? 1
  if (json)
    return { standardOutput: `${JSON.stringify({ error: outcome.sentences }, null, 2)}\n`, standardError: '', exitCode }
  return {
    standardOutput: '',
    standardError: outcome.sentences.map((sentence) => `Error: ${sentence}\n`).join(''),
    exitCode,
  }
}
