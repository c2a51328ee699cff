/** Every word that is accepted, from the definitions themselves, and how it looks where it is used. */
import {
  attributesWithoutEffect,
  cloneMetaOptions,
  clusterOptions,
  commonMetaOptions,
  fenceDeviceOptions,
  forms,
  groupMetaOptions,
  guestMetaOptions,
  nodeAttributes,
  type OptionDefinition,
  operationOptions,
} from '../../src/cib/index.ts'
import {
  allCommands,
  type Command,
  changeFlags,
  commonFlags,
  type Flag,
  foreseeFlag,
  pcsFlags,
} from '../../src/cli/index.ts'
import { allTools, type Tool } from '../../src/tools/index.ts'
import { type CommandOption, hasOption } from './commands.ts'
import type { TestPiece } from './tests.ts'

export interface Word {
  /** Unique: `cluster option no-quorum-policy`, `crm_node --quiet`. */
  readonly name: string
  readonly kind: string
  /** Where a test uses it: any of these, in the text of a test in which white space, quotes and commas are single blanks. */
  readonly uses?: readonly RegExp[]
  /** Or as an option of a command: both stand in one command of a test. */
  readonly option?: CommandOption
  /** As it stands in a CIB, for the scheduler's cases: an element, an attribute, or a pair of this name. */
  readonly inCib?: { readonly element?: string; readonly attribute?: string; readonly pair?: string }
  /** Whoever gives it gets this sentence and an exit code; nothing is done. */
  readonly refused?: string
  /** It does nothing, and the user is told so in these words. */
  readonly withoutEffect?: string
  /** What it asks for is so without it. */
  readonly always?: string
}

export const kinds = [
  'Elements of the CIB',
  'Attributes of the CIB',
  'Cluster options',
  'Meta-attributes',
  'Options of operations',
  'Parameters of every fence device',
  'Node attributes with a meaning',
  'Options of commands',
  'Options of Pacemaker’s commands',
] as const

export function acceptedWords(): readonly Word[] {
  const words = [
    ...Object.keys(forms).map(elementWord),
    ...Object.entries(forms).flatMap(([name, form]) =>
      Object.keys(form.attributes).map((attribute) => attributeWord(name, attribute)),
    ),
    ...attributesOfAll.map((attribute) => attributeWord('any element', attribute)),
    ...optionWords('Cluster options', 'cluster option', clusterOptions),
    ...optionWords('Meta-attributes', 'meta-attribute', [
      ...commonMetaOptions,
      ...groupMetaOptions,
      ...cloneMetaOptions,
      ...guestMetaOptions,
    ]),
    ...optionWords('Options of operations', 'operation option', operationOptions),
    ...optionWords('Parameters of every fence device', 'fence device', fenceDeviceOptions),
    ...optionWords('Node attributes with a meaning', 'node attribute', nodeAttributes),
    ...commandWords(),
    ...allTools.flatMap(toolWords),
  ]
  return [...new Map(words.map((word) => [word.name, word])).values()]
}

const attributesOfAll = ['id', 'id-ref', 'description']

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function elementWord(name: string): Word {
  return {
    name: `<${name}>`,
    kind: 'Elements of the CIB',
    uses: [new RegExp(`<${escaped(name)}[ />]`)],
    inCib: { element: name },
  }
}

function attributeWord(element: string, attribute: string): Word {
  const option = element === 'op' ? operationOptions.find(({ name }) => name === attribute) : undefined
  const told = attributesWithoutEffect[`${element} ${attribute}`] ?? option?.withoutEffect
  const inside = element === 'any element' ? '[a-z_-]+' : escaped(element)
  return {
    name: `${element === 'any element' ? '<…' : `<${element}`} ${attribute}>`,
    kind: 'Attributes of the CIB',
    uses: [new RegExp(`<${inside} (?:[^<>]* )?${escaped(attribute)}=`)],
    inCib: element === 'any element' ? { attribute } : { element, attribute },
    ...(told !== undefined && { withoutEffect: told }),
  }
}

function optionWords(kind: string, label: string, options: readonly OptionDefinition[]): readonly Word[] {
  return options.flatMap((option) =>
    [option.name, ...(option.otherNames ?? [])].map((name) => ({
      name: `${label} ${name}`,
      kind,
      uses: [new RegExp(`(?<![\\w-])(?:name=\\\\? ?${escaped(name)}\\\\? |${escaped(name)} ?[=:])`)],
      // The scheduler does not read them: where its answer is another, that is because a digest is.
      ...(!name.startsWith('pcmk_') && {
        inCib: kind === 'Options of operations' ? { element: 'op', attribute: name } : { pair: name },
      }),
      ...(option.withoutEffect !== undefined && { withoutEffect: option.withoutEffect }),
      ...(option.setByCluster === true && { withoutEffect: 'The cluster writes it itself, over what is set.' }),
    })),
  )
}

function commandWords(): readonly Word[] {
  const commands = allCommands.filter(({ refuses }) => refuses === undefined)
  const shared = new Map<Flag, string>([
    ...commonFlags.map((flag) => [flag, 'every command'] as const),
    ...pcsFlags.map((flag) => [flag, 'every command, called as pcs'] as const),
    ...changeFlags.map((flag) => [flag, 'commands that change the configuration'] as const),
    [foreseeFlag, 'commands that act through the daemon'],
  ])
  const everyPath = [...new Set(commands.flatMap(({ path: [noun = ''] }) => noun))].map((noun) => [noun])
  return [
    ...[...shared].map(([flag, who]) => flagWord(`${who}: --${flag.name}`, everyPath, flag)),
    ...commands.flatMap((command) =>
      (command.flags ?? [])
        .filter((flag) => !shared.has(flag))
        .map((flag) => flagWord(`${command.path.join(' ')} --${flag.name}`, pathsOf(command), flag)),
    ),
  ]
}

const pathsOf = ({ path, aliases = [], bare = [] }: Command): readonly (readonly string[])[] => [
  path,
  ...aliases,
  ...bare,
]

function flagWord(
  name: string,
  paths: readonly (readonly string[])[],
  { name: flag, letter, summary, withoutEffect }: Flag,
): Word {
  return {
    name,
    kind: 'Options of commands',
    option: {
      paths,
      isTool: false,
      stands: (word) => word === `--${flag}` || word.startsWith(`--${flag}=`) || word === `-${letter}`,
    },
    ...(withoutEffect !== undefined && { withoutEffect }),
    ...(summary.startsWith('Refused: ') && { refused: summary.slice('Refused: '.length) }),
  }
}

function toolWords({ name, options }: Tool): readonly Word[] {
  /** Letters may be written together as long as they take no value. */
  const bare = options.filter(({ value }) => value === 'none').flatMap(({ names }) => names.filter(isLetter))
  return options.map(({ names, ignored, help }) => {
    const letters = names.filter(isLetter).map(escaped).join('')
    const bundle = letters === '' ? undefined : new RegExp(`^-[${bare.map(escaped).join('')}]*[${letters}]`)
    const long = names.filter((one) => !isLetter(one)).map(escaped)
    const whole = new RegExp(`^--?(?:${long.join('|') || '(?!)'})(?:=|$)`)
    const [first = ''] = names
    return {
      name: `${name} ${first.length === 1 ? '-' : '--'}${first}`,
      kind: 'Options of Pacemaker’s commands',
      option: { paths: [[name]], isTool: true, stands: (word) => whole.test(word) || bundle?.test(word) === true },
      ...(ignored === 'told' && { withoutEffect: help.replace(/^No effect: /, '') }),
      ...(ignored === 'holds' && { always: help.replace(/^Always so: /, '') }),
      ...(help.startsWith('Refused: ') && { refused: help.slice('Refused: '.length) }),
    }
  })
}

const isLetter = (name: string): boolean => name.length === 1

/**
 * Whether a test uses the word: of an option, only where it stands in one command with what it is an option of. A line that is typed shows of a word of
 * the CIB that it is taken, not what it does.
 */
export function isUsedIn({ uses = [], option }: Word, piece: TestPiece): boolean {
  const { text, commands, hasShims, isTyped, isNoDeed } = piece
  if (isTyped !== true && uses.some((use) => use.test(text))) return true
  if (isNoDeed === true) return false
  return option !== undefined && commands.some((command) => hasOption(command, option, hasShims))
}
