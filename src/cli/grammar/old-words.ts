/**
 * Words that pcs has given up, in those of pcs 0.12: the one place where they are known. A line that no row knows stays as
 * it is. Where old words are not read (`--compat=0.12`, or `systole` without a switch) the line is refused with its new form.
 */
import { Refusal } from '../call/command.ts'
import type { Speech } from '../call/speech.ts'
import { presentCreate } from './old-create.ts'

interface OldForm {
  /** The words that the line begins with. */
  readonly begins: readonly string[]
  /** The line in present words, or undefined where it is not of the old form. */
  readonly present: (rest: readonly string[]) => readonly string[] | undefined
  /** How it is written now, for who is not to use the old form. */
  readonly now: string
  /** Two grammars understand the line differently, or it is plain what is meant: read in any case. */
  readonly always?: boolean
}

const namesNode = (word: string): boolean => !word.startsWith('-') && !word.includes('=')

const forms: readonly OldForm[] = [
  {
    // Fingers that know crmsh: `systole crm configure show`.
    begins: ['crm'],
    present: (rest) => rest,
    now: '<command>',
    always: true,
  },
  {
    begins: ['cluster', 'auth'],
    // Without nodes it is a command of 0.12, too.
    present: (rest) => (rest[0] !== undefined && namesNode(rest[0]) ? ['host', 'auth', ...rest] : undefined),
    now: 'host auth <node>... -u <user> -p <password>',
  },
  {
    begins: ['cluster', 'setup'],
    present: (rest) => {
      const at = rest.indexOf('--name')
      const name = rest[at + 1]
      if (at < 0 || name === undefined) return undefined
      return ['cluster', 'setup', name, ...rest.slice(0, at), ...rest.slice(at + 2)]
    },
    now: 'cluster setup <name> <node>...',
    always: true,
  },
  {
    begins: ['resource', 'create'],
    present: (rest) => {
      const now = presentCreate(rest)
      return now && ['resource', 'create', ...now]
    },
    now: 'resource create <id> <agent> ... clone [meta <name>=<value>...], or promotable instead of --master',
  },
  {
    begins: ['resource', 'master'],
    present: (rest) => {
      const names = rest.filter(namesNode)
      const [first = '', second] = names
      const [id, resource] = second === undefined ? [`${first}-master`, first] : [first, second]
      return ['resource', 'promotable', resource, id, ...rest.filter((word) => !names.includes(word))]
    },
    now: 'resource promotable <resource> [<clone id>] [meta <name>=<value>...]',
  },
  ...(['resource', 'stonith'] as const).map((area) => ({
    begins: [area, 'show'],
    // With --full it showed how everything is configured.
    present: (rest: readonly string[]) => [
      area,
      rest.some(namesNode) || rest.includes('--full') ? 'config' : 'status',
      ...rest,
    ],
    now: `${area} status, or ${area} config <id>`,
    always: true,
  })),
  {
    begins: ['property', 'set'],
    present: (rest) => nodeAttribute(rest, (pair) => pair),
    now: 'node attribute <node> <name>=<value>',
  },
  {
    begins: ['property', 'unset'],
    present: (rest) => nodeAttribute(rest, (name) => `${name}=`),
    now: 'node attribute <node> <name>=',
  },
  {
    begins: ['constraint', 'colocation', 'add'],
    present: (rest) => {
      const words = rest.filter((word) => !word.startsWith('--'))
      const [dependent, primary, ...more] = words
      if (dependent === undefined || primary === undefined || words.includes('with')) return undefined
      const flags = rest.filter((word) => word.startsWith('--'))
      return ['constraint', 'colocation', 'add', dependent, 'with', primary, ...more, ...flags]
    },
    now: 'constraint colocation add <resource> with <resource> [score=<score>]',
  },
  {
    begins: ['cluster', 'pcsd-status'],
    present: (rest) => ['status', 'pcsd', ...rest],
    now: 'status pcsd [<node>...]',
    always: true,
  },
]

export function presentWords(line: readonly string[], speech: Speech): readonly string[] {
  if (speech.dialect === '0.9' && line[0] === 'constraint' && line[1] === 'order') return withoutScore(line)
  for (const { begins, present, now, always } of forms) {
    if (!begins.every((word, index) => line[index] === word)) continue
    // --clone and --master went with 0.10; `resource create` itself is judged as 0.11 has it.
    if (speech.dialect === '0.11' && speech.program === 'pcs' && begins[1] === 'create') continue
    const written = present(line.slice(begins.length))
    if (written === undefined) continue
    if (speech.readsOldWords || always) return written
    throw new Refusal(
      `This is the syntax of an older pcs. Use '${speech.program} ${now}', or add --compat=0.9 for the old syntax.`,
    )
  }
  return line
}

/** `--node n1 a=b`, with the equals sign or without. */
function nodeAttribute(rest: readonly string[], asPair: (word: string) => string): readonly string[] | undefined {
  const at = rest.findIndex((word) => word === '--node' || word.startsWith('--node='))
  const word = rest[at]
  if (word === undefined) return undefined
  const inline = word.startsWith('--node=')
  const node = inline ? word.slice('--node='.length) : rest[at + 1]
  if (node === undefined) return undefined
  const others = [...rest.slice(0, at), ...rest.slice(at + (inline ? 1 : 2))]
  return ['node', 'attribute', node, ...others.map((other) => (other.startsWith('-') ? other : asPair(other)))]
}

/** 0.9 passed over a score behind an order, and puppet-corosync writes one: `… then start db INFINITY kind=Mandatory`. */
function withoutScore(line: readonly string[]): readonly string[] {
  const then = line.indexOf('then')
  return line.filter((word, index) => then < 0 || index < then + 2 || !/^[+-]?(INFINITY|\d+)$/.test(word))
}
