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
import { allCommands, type Command, changeFlags, commonFlags, type Flag, pcsFlags } from '../../src/cli/index.ts'
import { allTools, type Tool } from '../../src/tools/index.ts'

export interface Word {
  /** Unique: `cluster option no-quorum-policy`, `crm_node --quiet`. */
  readonly name: string
  readonly kind: string
  /** Where a test uses it: any of these, in the text of a test in which white space, quotes and commas are single blanks. */
  readonly uses: readonly RegExp[]
  /** Or all of these, anywhere in one test: the words of a command that a helper puts together. */
  readonly parts?: readonly RegExp[]
  /** As it stands in a CIB, for the scheduler's cases: an element, an attribute, or a pair of this name. */
  readonly inCib?: { readonly element?: string; readonly attribute?: string; readonly pair?: string }
  /** Whoever gives it gets this sentence and an exit code; nothing is done. */
  readonly refused?: string
  /** It does nothing, and the user is told so in these words. */
  readonly withoutEffect?: string
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
  const told = attributesWithoutEffect[`${element} ${attribute}`]
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
      inCib: kind === 'Options of operations' ? { element: 'op', attribute: name } : { pair: name },
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
  ])
  return [
    ...[...shared].map(([flag, who]) => flagWord(`${who}: --${flag.name}`, ['[a-z]+'], flag)),
    ...commands.flatMap((command) =>
      (command.flags ?? [])
        .filter((flag) => !shared.has(flag))
        .map((flag) => flagWord(`${command.path.join(' ')} --${flag.name}`, pathsOf(command), flag)),
    ),
  ]
}

const pathsOf = ({ path, aliases = [], bare = [] }: Command): readonly string[] =>
  [path, ...aliases, ...bare].map((words) => words.map(escaped).join(' '))

function flagWord(name: string, paths: readonly string[], { name: flag, letter, summary, withoutEffect }: Flag): Word {
  const written = letter === undefined ? `--${flag}` : `(?:--${flag}|-${letter})`
  return {
    name,
    kind: 'Options of commands',
    uses: paths.map((path) => new RegExp(`(?<![\\w-])${path} (?:[^;$]{0,240} )?${written}(?![\\w-])`)),
    ...(paths.every((path) => path.includes(' ')) && {
      parts: [new RegExp(`(?<![\\w-])(?:${paths.join('|')})(?![\\w-])`), new RegExp(`(?<![\\w-])--${flag}(?![\\w-])`)],
    }),
    ...(withoutEffect !== undefined && { withoutEffect }),
    ...(summary.startsWith('Refused: ') && { refused: summary.slice('Refused: '.length) }),
  }
}

function toolWords({ name, options }: Tool): readonly Word[] {
  return options.map(({ names, ignored, help }) => {
    const forms = names.map((one) =>
      one.length === 1 ? `-[A-Za-z0-9]*${escaped(one)}` : `--${escaped(one)}(?![\\w-])|-${escaped(one)}(?![\\w-])`,
    )
    const [first = ''] = names
    return {
      name: `${name} ${first.length === 1 ? '-' : '--'}${first}`,
      kind: 'Options of Pacemaker’s commands',
      uses: [new RegExp(`(?<![\\w-])${escaped(name)} (?:[^;$]{0,240} )?(?:${forms.join('|')})`)],
      ...(first.length > 1 && {
        parts: [
          new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`),
          new RegExp(`(?<![\\w-])--?${escaped(first)}(?![\\w-])`),
        ],
      }),
      ...(ignored !== undefined && { withoutEffect: help }),
      ...(help.startsWith('Refused: ') && { refused: help.slice('Refused: '.length) }),
    }
  })
}

/** Whether the text of a test, as `comparable` makes it, uses the word. */
export function isUsedIn({ uses, parts }: Word, text: string): boolean {
  return uses.some((use) => use.test(text)) || parts?.every((part) => part.test(text)) === true
}
