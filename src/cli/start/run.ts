/** From a command line to printed text and an exit code. */
import { firstNotInXml } from '../../base/index.ts'
import { type IsSecret, wordsWithoutSecrets } from '../../cib/index.ts'
import { RefusedError } from '../../rpc/index.ts'
import { chooseSpeech } from '../as-pcs/dialect.ts'
import { judgesAsPcs, type Known, refuseAsPcs, refuseOptions, refuseUnreadable } from '../as-pcs/index.ts'
import { keepKindsApart } from '../as-pcs/kinds-apart.ts'
import { capabilities } from '../as-pcs/pcs-capabilities.ts'
import { withWholeOptions } from '../as-pcs/whole-options.ts'
import type { ClusterAccess } from '../call/access.ts'
import {
  type Call,
  type Command,
  commonFlags,
  type Flag,
  type Outcome,
  pcsFlags,
  Refusal,
  refused,
  type Terminal,
} from '../call/command.ts'
import { describeCommand, listCommands } from '../call/help.ts'
import { type CallNames, ownWords as inOwnWords, type Voice } from '../call/message.ts'
import { pcsVersion, type Speech } from '../call/speech.ts'
import { commandsBelow, findCommand, unknownCommand } from '../call/tree.ts'
import { presentWords } from '../grammar/old-words.ts'
import { isFlag, splitFlags } from '../grammar/words.ts'
import { takesNext } from '../pcs-words/command-options.ts'
import { hasHelp, pcsHelp, wholeHelp } from '../pcs-words/group-help.ts'
import { usageBelow, usageOf } from '../pcs-words/usage.ts'
import { voiceOf } from './voice.ts'

export interface Invocation {
  readonly commands: readonly Command[]
  readonly line: readonly string[]
  readonly terminal: Terminal
  /** Opened only when a command runs: help needs no cluster. The file is that of `-f`, which is made where it is not there if `makesFile` says so. */
  readonly openCluster: (file: string | undefined, makesFile: boolean) => ClusterAccess
  /** The name that the program was called by, and PCS_COMPAT; `systole` and none where left out. */
  readonly called?: { readonly program: 'systole' | 'pcs'; readonly environment: string | undefined }
  /** Words of the line that whoever calls has added to what was asked for: obeyed, and not part of the command in histories. */
  readonly unrecorded?: ReadonlySet<string>
  /** Why a command cannot be run with these flags here. Asked of those that other commands run, too: lines of a file, and `simulate --with`. */
  readonly refusal?: (command: Command, flags: ReadonlyMap<string, unknown>) => string | undefined
}

export interface Printed {
  readonly standardOutput: string
  readonly standardError: string
  readonly exitCode: number
}

export async function runLine(asTyped: Invocation): Promise<Printed> {
  const invocation = { ...asTyped, line: wholeLine(asTyped) }
  const json = ownWords(invocation.line).includes('--json')
  const manner: Manner = { json, voice: voiceOf(speechOf(invocation)), names: namesOf(invocation) }
  try {
    return print(await dispatch(spokenTo(invocation, manner)), manner)
  } catch (error) {
    if (error instanceof Refusal) return print(refused(...error.messages), manner)
    if (error instanceof RefusedError) return print(refused(...error.sentences), manner)
    const cause = error instanceof Error ? error : new Error(String(error))
    const debug = ownWords(invocation.line).includes('--debug') ? `\n${cause.stack ?? ''}` : ''
    return print(refused(`${cause.message}${debug}`), manner)
  }
}

/** Our own options are not shortened: a new one would change what the letters stand for. */
function wholeLine(invocation: Invocation): readonly string[] {
  const speech = speechOf(invocation)
  if (speech.program !== 'pcs') return invocation.line
  const flags = [...commonFlags, ...pcsFlags, ...flagsOfCommand(invocation, speech)]
  const own = new Set(flags.map(({ name }) => name))
  return withWholeOptions(invocation.line, { dialect: speech.dialect, own: (name) => own.has(name) })
}

function flagsOfCommand({ commands, line }: Invocation, speech: Speech): readonly Flag[] {
  try {
    return findCommand(commands, presented(line, speech).line)?.command.flags ?? []
  } catch {
    return []
  }
}

/** Without those of a command that follows `--`. */
const ownWords = (line: readonly string[]): readonly string[] =>
  line.includes('--') ? line.slice(0, line.indexOf('--')) : line

/** How an answer is printed, and whose words it is in. */
interface Manner {
  readonly json: boolean
  readonly voice: Voice
  readonly names: CallNames
}

/** What a command says beside its answer goes through the voice. */
function spokenTo(invocation: Invocation, { voice, names }: Manner): Spoken {
  const { terminal } = invocation
  const progress = (line: string): void => {
    const said = voice.aside(line)
    if (said !== undefined) terminal.progress(said)
  }
  return { ...invocation, voice, names, say: terminal.progress, terminal: { ...terminal, progress } }
}

function speechOf({ line, called }: Invocation): Speech {
  const program = called?.program ?? 'systole'
  try {
    return chooseSpeech(line, called ?? { program, environment: undefined }).speech
  } catch {
    return { program, dialect: '0.12', readsOldWords: false }
  }
}

/** The command by the words that were typed, for what is said of a wrong call. */
function namesOf(invocation: Invocation): CallNames {
  const none: CallNames = { typed: '', words: [], usage: '' }
  try {
    const speech = speechOf(invocation)
    const chosen = chooseSpeech(invocation.line, invocation.called ?? { program: 'systole', environment: undefined })
    const { line } = presented(chosen.line, speech)
    const found = findCommand(invocation.commands, line)
    if (!found) return none
    const { command, name, rest } = found
    return { typed: name.join(' '), words: withoutFlags(rest), usage: command.usage, dialect: speech.dialect }
  } catch {
    return none
  }
}

/** A line without its flags and their values. */
function withoutFlags(line: readonly string[]): readonly string[] {
  return line.filter((word, index) => !isFlagWord(word) && !isValueOf(line[index - 1]))
}

const isFlagWord = (word: string): boolean => word.startsWith('-')
const isValueOf = (before: string | undefined): boolean =>
  before !== undefined &&
  [...commonFlags, ...pcsFlags].some(
    ({ name, letter, value }) => value !== undefined && (before === `--${name}` || before === `-${letter}`),
  )

interface Spoken extends Invocation {
  readonly voice: Voice
  readonly names: CallNames
  /** Past the voice: what it has said already. */
  readonly say: (line: string) => void
}

async function dispatch(invocation: Spoken): Promise<Outcome> {
  for (const word of invocation.line) {
    const character = firstNotInXml(word)
    if (character !== undefined)
      throw new Refusal(`'${word}' holds the control character ${character}, which a CIB cannot hold.`)
  }
  const { commands, terminal } = invocation
  const chosen = chooseSpeech(invocation.line, invocation.called ?? { program: 'systole', environment: undefined })
  const { speech } = chosen
  const { line, isOld } = presented(chosen.line, speech)
  const found = findCommand(commands, line)
  const ownFlags = found === undefined ? [...commonFlags, ...pcsFlags] : flagsOf(found.command, speech)
  const known: Known = { dialect: speech.dialect, own: (option) => ownFlags.some((flag) => isNamed(flag, option)) }
  // Old words are obeyed with the options that they had.
  const isJudged = judgesAsPcs(speech) && !isOld
  if (isJudged) refuseUnreadable(found?.rest ?? line, known)
  if (speech.program === 'pcs' && asksForAreaAsPcs(line, commands)) return helpAsPcs(commands, line, speech)
  if (!found || asksForArea(found.command, found.rest, commands)) return helpOrRefusal(commands, line, speech)
  const { command, rest } = found
  if (ownWords(rest).includes('--help') || ownWords(rest).includes('-h')) {
    const heading =
      speech.program === 'pcs' ? usageOf({ typed: found.name.join(' '), usage: command.usage }) : undefined
    const text = describeCommand(command, speech.program, heading)
    return { kind: 'done', text, json: { path: command.path, usage: command.usage, summary: command.summary } }
  }
  const first = invocation.voice.before(invocation.names)
  if (first !== undefined) invocation.say(first)
  if (isJudged) refuseOptions(line.slice(0, line.length - rest.length).join(' '), rest, known)
  if (command.refuses !== undefined) throw new Refusal(command.refuses)
  const { words, flags } = splitFlags(rest, flagsOf(command, speech))
  const refusal = invocation.refusal?.(command, flags)
  if (refusal !== undefined) throw new Refusal(refusal)
  tellWithoutEffect(flagsOf(command, speech), flags, terminal)
  const file = flags.get('file')
  const cluster = invocation.openCluster(typeof file === 'string' ? file : undefined, judgesAsPcs(speech))
  const recorded = invocation.line.filter((word) => invocation.unrecorded?.has(word) !== true)
  const typed = (isSecret: IsSecret): string => [speech.program, ...wordsWithoutSecrets(recorded, isSecret)].join(' ')
  try {
    const call: Call = {
      command,
      words,
      flags,
      cluster,
      terminal,
      tell: (notice) => {
        const said = invocation.voice.notice(notice, invocation.names)
        if (said !== undefined) invocation.say(said)
      },
      typedName: invocation.names.typed,
      typed,
      commands,
      speech,
      runOn: (other, copy) =>
        dispatch({
          ...invocation,
          line: other,
          terminal: { ...terminal, progress: () => undefined },
          say: () => undefined,
          openCluster: () => copy,
        }),
    }
    await keepKindsApart(line, call)
    await refuseAsPcs(call)
    return await command.run(call)
  } finally {
    cluster.close()
  }
}

const isNamed = ({ name, letter }: Flag, option: string): boolean => name === option || letter === option

/** Whoever asks for something that is not done learns it, out of the way of what scripts read. */
function tellWithoutEffect(known: readonly Flag[], given: ReadonlyMap<string, unknown>, { progress }: Terminal): void {
  for (const { name, withoutEffect } of known)
    if (withoutEffect !== undefined && given.has(name)) progress(`--${name} has no effect here: ${withoutEffect}`)
}

function flagsOf(command: Command, { program }: Speech): readonly Flag[] {
  const own = [...(command.flags ?? []), ...commonFlags]
  return program === 'pcs' ? [...own, ...pcsFlags.filter(({ name }) => !own.some((flag) => flag.name === name))] : own
}

/** Which command a line of Systole's own grammar runs. */
export function commandOfLine(line: readonly string[], commands: readonly Command[]): Command | undefined {
  return findCommand(commands, presented(line, { program: 'systole', dialect: '0.12', readsOldWords: false }).line)
    ?.command
}

interface Presented {
  readonly line: readonly string[]
  /** Written in words that pcs has given up. */
  readonly isOld: boolean
}

/** In present words. `-f` and its file are none of those that the old forms take apart. */
function presented(typed: readonly string[], speech: Speech): Presented {
  const ordered = leadingFlagsLast(fileApart(typed))
  const end = ordered.indexOf('--')
  const at = ordered.findIndex((word, index) => (word === '-f' || word === '--file') && (end < 0 || index < end))
  const file = at < 0 ? [] : ordered.slice(at, at + 2)
  const others = at < 0 ? ordered : [...ordered.slice(0, at), ...ordered.slice(at + 2)]
  const present = presentWords(others, speech)
  const isOld = present.length !== others.length || present.some((word, index) => word !== others[index])
  // Without its value it stays last, and takes no other flag for it.
  return { line: file.length === 1 ? [...present, ...file] : beforeFlags(present, file), isOld }
}

/** `-fFILE` in two words. The value of another flag may begin in the same way. */
function fileApart(line: readonly string[]): readonly string[] {
  const end = line.indexOf('--')
  const isFile = (word: string, index: number): boolean =>
    /^-f./.test(word) && (end < 0 || index < end) && !takesNext(line[index - 1])
  return line.flatMap((word, index) => (isFile(word, index) ? ['-f', word.slice(2)] : [word]))
}

/** Where no flag takes them for its value. */
function beforeFlags(line: readonly string[], others: readonly string[]): readonly string[] {
  const flag = line.findIndex((word) => word === '--' || isFlag(word))
  const end = flag < 0 ? line.length : flag
  return [...line.slice(0, end), ...others, ...line.slice(end)]
}

/**
 * `pcs -f file resource create … -- …`: flags before the command's name belong to the command, and not to what follows `--`. They
 * stand before its other flags: one that lacks its value at the end of the line takes none of them for it, and -f is not lost.
 */
function leadingFlagsLast(line: readonly string[]): readonly string[] {
  const leading: string[] = []
  let rest = [...line]
  for (let first = rest[0]; first?.startsWith('-'); first = rest[0]) {
    if (first === '--' && rest.length > 1) return [...rest.slice(1), ...leading]
    // Also an option that only some commands have: `--output-format cmd stonith defaults`.
    const takesValue =
      takesNext(first) ||
      [...commonFlags, ...pcsFlags].some(
        (flag: Flag) => flag.value !== undefined && (first === `-${flag.letter}` || first === `--${flag.name}`),
      )
    leading.push(...rest.slice(0, takesValue ? 2 : 1))
    rest = rest.slice(takesValue ? 2 : 1)
  }
  return beforeFlags(rest, leading)
}

/** `systole resource op` names both a command and an area where a command of that very name exists and words are missing. */
function asksForArea(command: Command, rest: readonly string[], commands: readonly Command[]): boolean {
  const below = commandsBelow(commands, command.path).filter((other) => other !== command)
  return rest[0] === '--help' && below.length > 0 && command.usage === ''
}

/** `pcs status help` and `pcs status --help`: of the area, also where a command has its very name. */
function asksForAreaAsPcs(line: readonly string[], commands: readonly Command[]): boolean {
  const [area = '', word, ...more] = withoutFlags(ownWords(line))
  if (commandsBelow(commands, [area]).every(({ path }) => path.length === 1)) return false
  if (word === 'help') return true
  return word === undefined && more.length === 0 && ['--help', '-h'].some((flag) => ownWords(line).includes(flag))
}

function helpOrRefusal(commands: readonly Command[], line: readonly string[], speech: Speech): Outcome {
  if (speech.program === 'pcs') return helpAsPcs(commands, line, speech)
  const typed = withoutFlags(line)
  if (line.includes('--version')) return tellVersion(speech, line.includes('--full'))
  // pcs says `resource help` and `resource help create`, too.
  const words = typed.filter((word) => word !== 'help')
  if (words.length > 0 && commandsBelow(commands, words).length === 0) throw unknownCommand(commands, words)
  const asked = ['--help', '-h', '--fullhelp', 'help'].some((word) => line.includes(word)) || line.length === 0
  if (!asked) throw unknownCommand(commands, words)
  const text = listCommands(commands, words, speech.program)
  return {
    kind: 'done',
    text,
    json: commandsBelow(commands, words).map(({ path, summary, usage }) => ({ path, summary, usage })),
  }
}

/** `pcs` alone is a wrong call; `help` in the first place explains pcs as a whole, in the second the area, whatever follows. */
function helpAsPcs(commands: readonly Command[], line: readonly string[], speech: Speech): Outcome {
  if (line.includes('--version')) return tellVersion(speech, line.includes('--full'))
  const typed = withoutFlags(line)
  const words = typed[0] === 'help' ? [] : typed.filter((word, index) => word !== 'help' || index !== 1)
  const asked = typed.slice(0, 2).includes('help') || ['--help', '-h', '--fullhelp'].some((word) => line.includes(word))
  const known = hasHelp(commands, words) ? words : longestWithHelp(commands, words)
  if (!asked || (known.length === 0 && words.length > 0)) throw wrongCallAsPcs(commands, words)
  const json = commandsBelow(commands, known).map(({ path, summary, usage }) => ({ path, summary, usage }))
  return { kind: 'done', text: pcsHelp(commands, known, known.length === words.length), json }
}

function longestWithHelp(commands: readonly Command[], words: readonly string[]): readonly string[] {
  const end = words.findIndex((_, index) => !hasHelp(commands, words.slice(0, index + 1)))
  return end < 0 ? words : words.slice(0, end)
}

/** Of an area that is there the heading is enough; whoever names none, or another, is shown them all. */
function wrongCallAsPcs(commands: readonly Command[], words: readonly string[]): Refusal {
  const refusal = unknownCommand(commands, words)
  const [area] = longestWithHelp(commands, words)
  const isOurs = area !== undefined && commandsBelow(commands, [area]).length > 0
  if (isOurs && !hasHelp(commands, words)) return refusal
  const after = area === undefined ? wholeHelp(commands) : usageBelow(isOurs ? words : [area], true)
  const own = refusal.messages.map(inOwnWords).join(' ')
  return new Refusal({ own, about: { code: 'said-by-pcs', errors: [], after } })
}

export const version = '0.2.0'

function tellVersion(speech: Speech, full: boolean): Outcome {
  const told = speech.program === 'pcs' ? pcsVersion(speech) : version
  const codes = full ? capabilities : []
  const text = full ? `${told}\n\n${codes.join(' ')}\n` : `${told}\n`
  return { kind: 'done', text, json: { version: told, ...(full ? { capabilities: codes } : {}) } }
}

function print(outcome: Outcome, { json, voice, names }: Manner): Printed {
  if (outcome.kind === 'done') {
    const text = json ? `${JSON.stringify(outcome.json, null, 2)}\n` : outcome.text
    return { standardOutput: text, standardError: '', exitCode: outcome.exitCode ?? 0 }
  }
  const exitCode = outcome.exitCode ?? 1
  if (json)
    return { standardOutput: `${JSON.stringify({ error: outcome.sentences }, null, 2)}\n`, standardError: '', exitCode }
  return {
    standardOutput: '',
    standardError: voice.refusal(outcome.messages ?? outcome.sentences, names),
    exitCode,
  }
}
