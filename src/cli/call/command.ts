/**
 * A command is a value: its name, its usage, its help and its handler. Parsing, help, completion and the reference in
 * docs/ all read the same value, so that they cannot disagree.
 */
import type { IsSecret } from '../../cib/index.ts'
import type { Writing } from '../../tools/index.ts'
import type { ClusterAccess } from './access.ts'
import { type Message, type Notice, ownWords } from './message.ts'
import type { Speech } from './speech.ts'

export interface Command {
  /** The words that name it: `['resource', 'create']`. */
  readonly path: readonly string[]
  /** Older or alternative names that scripts use. They work, and help names them once. */
  readonly aliases?: readonly (readonly string[])[]
  /** Names that stand for it where no word follows, as `pcs resource` stands for `pcs resource status`. */
  readonly bare?: readonly (readonly string[])[]
  /** What follows the name, in pcs's notation: `<id> [<option>=<value>]... [--wait[=<seconds>]]`. */
  readonly usage: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Paragraphs for `--help`. */
  readonly details?: string
  readonly examples?: readonly string[]
  /** Besides the flags that every command has. */
  readonly flags?: readonly Flag[]
  /** What the words after the name are, for completion; the last one repeats. */
  readonly completes?: readonly Completion[]
  /** Why it does nothing here, whatever follows. Such a command is understood and left out of help. */
  readonly refuses?: string
  readonly run: (call: Call) => Promise<Outcome>
}

export interface Flag {
  readonly name: string
  /** Shown in help for the value; a flag without one takes no value. `[seconds]` in brackets may be left out. */
  readonly value?: string
  readonly summary: string
  /** What its value is, for completion. */
  readonly completes?: Completion
  /** May be given several times; the values are then joined by line ends. */
  readonly repeats?: boolean
  /** One letter, for `-n value`. */
  readonly letter?: string
  /** Taken so that what was written for pcs goes on to work, and obeyed by nothing: why. Whoever gives it is told. Absent: it acts. */
  readonly withoutEffect?: string
}

export type Completion =
  | 'resource'
  | 'node'
  | 'agent'
  | 'fence-agent'
  | 'fence-device'
  | 'constraint'
  | 'tag'
  | 'property'
  | 'file'
  | { readonly words: readonly string[] }
  | 'anything'

export interface Call {
  readonly command: Command
  /** The words after the command's name. */
  readonly words: readonly string[]
  readonly flags: ReadonlyMap<string, string | true>
  readonly cluster: ClusterAccess
  readonly terminal: Terminal
  /** What another dialect says here and ours does not. */
  readonly tell: (notice: Notice) => void
  /** The words of its name as they were typed: `resource remove`. */
  readonly typedName: string
  /** The command line as typed, for the configuration's history, without what is secret. */
  readonly typed: (isSecret: IsSecret) => string
  /** All commands there are, for those that take one as an argument. */
  readonly commands: readonly Command[]
  /** Runs another command line on another cluster, for commands that try an edit on a copy. Throws a Refusal as any command. */
  readonly runOn: (line: readonly string[], cluster: ClusterAccess) => Promise<Outcome>
  /** Under which name the program was called, and whose words it speaks. */
  readonly speech: Speech
}

/** What a command may know of the world besides the cluster. */
export interface Terminal {
  readonly columns: number
  readonly color: boolean
  readonly user: string
  readonly now: () => Date
  /** Progress of long work: to standard error, so that it never mixes with the answer. */
  readonly progress: (line: string) => void
  readonly readFile: (path: string) => Promise<string>
  /** The names in a folder. Absent where whoever calls has files and no folders. */
  readonly listFolder?: (path: string) => Promise<readonly string[]>
  /** Of a file that nobody else can have written; refuses others. Absent: those of this host. */
  readonly readOwnFile?: (path: string) => Promise<string>
  /** Absent: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** One line from a person, or all of what a pipe or a file gives. */
  readonly readInput: (question: string) => Promise<string>
  readonly writeFile: (path: string, text: string, how?: Writing) => Promise<void>
  /** The IP address of a host by its name, as this host knows it. */
  readonly resolve: (host: string) => Promise<string | undefined>
  /** The text as an administrator left it in an editor; undefined where there is none. */
  readonly edit: (text: string) => Promise<string | undefined>
  /** Asks for yes or no; undefined where nobody can answer. */
  readonly confirm: (question: string) => Promise<boolean | undefined>
  /** False where no agent may be run with what was given. Absent: it may. */
  readonly runsAgents?: false
}

export type Outcome =
  | { readonly kind: 'done'; readonly text: string; readonly json: unknown; readonly exitCode?: number }
  /** Nothing was changed. Each sentence says what is wrong, where, and what to do. */
  | {
      readonly kind: 'refused'
      readonly sentences: readonly string[]
      /** The same with what they are about, where that is known. */
      readonly messages?: readonly (string | Message)[]
      readonly exitCode?: number
    }

export function done(text: string, json: unknown, exitCode?: number): Outcome {
  return exitCode === undefined ? { kind: 'done', text, json } : { kind: 'done', text, json, exitCode }
}

export function refused(...messages: readonly (string | Message)[]): Outcome {
  return { kind: 'refused', sentences: messages.map(ownWords), messages }
}

/** A refusal found deep inside a handler. `runCommand` turns it into an outcome; nothing has been changed by then. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly messages: readonly (string | Message)[]
  readonly sentences: readonly string[]
  constructor(...messages: readonly (string | Message)[]) {
    const sentences = messages.map(ownWords)
    super(sentences.join(' '))
    this.messages = messages
    this.sentences = sentences
  }
}

/** Flags that every command understands. */
export const commonFlags: readonly Flag[] = [
  { name: 'help', letter: 'h', summary: 'Show this help' },
  { name: 'json', summary: 'Print the same facts as JSON' },
  { name: 'file', letter: 'f', value: 'file', summary: 'Use a CIB file instead of the running cluster' },
  { name: 'debug', summary: 'Show the cause of an unexpected error' },
]

/** Flags that pcs takes with every command and that have nothing to do here. Read where the program is called as pcs. */
export const pcsFlags: readonly Flag[] = [
  { name: 'force', summary: 'Make the change even if a check advises against it' },
  {
    name: 'skip-offline',
    summary: 'Without effect: offline nodes receive the change when they return',
    withoutEffect: 'offline nodes receive the change when they return.',
  },
  {
    name: 'request-timeout',
    value: 'seconds',
    summary: 'Without effect: the local daemon answers for all nodes',
    withoutEffect: 'the local daemon answers for all nodes.',
  },
  // Those that do have it themselves.
  {
    name: 'yes',
    summary: 'Without effect: the command does not ask for confirmation',
    withoutEffect: 'the command does not ask for confirmation.',
  },
  {
    name: 'corosync_conf',
    value: 'file',
    summary: 'Without effect: the node names come from the CIB',
    withoutEffect: 'the node names come from the CIB.',
  },
]

/** Flags of commands that change the configuration. */
export const changeFlags: readonly Flag[] = [
  { name: 'preview', summary: 'Show the actions that the change would cause, without making it' },
  { name: 'force', summary: 'Make the change even if a check advises against it' },
  { name: 'wait', value: '[seconds]', summary: 'Wait until the cluster has settled (default 60 seconds)' },
  {
    name: 'confirm-within',
    value: 'time',
    summary: "Take the change back after this time (5s to 24h) unless 'config confirm' is run",
  },
]
