import {
  addFencingLevel,
  describeTarget,
  type FencingLevel,
  readConfiguration,
  removeFencingLevels,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import type { Dialect, Speech } from '../../call/speech.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { commandsText, levelCommands } from '../../pcs-form/as-commands.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { asDevices, readLevelWords, readTarget, type Target } from './level-words.ts'

export const stonithLevel: Command = {
  path: ['stonith', 'level'],
  aliases: [['stonith', 'level', 'config']],
  usage: '[--output-format text|cmd|json]',
  flags: [formatFlag],
  summary: 'Show the fencing topology: the order in which devices are tried',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'stonith level' })
    const { cib } = await call.cluster.readCib()
    const levels = [...readConfiguration(cib).fencingLevels]
    return await inFormat(call, {
      text: () =>
        fencingLevelLines(levels, call.speech.dialect)
          .map((line) => `${line}\n`)
          .join(''),
      nothing: 'There is no fencing topology.',
      json: levels,
      pcsJson: () => levelsForm(levels),
      pcsCmd: () => commandsText(levelCommands(fencingLevelsIn(cib))),
      cmd: () => rebuildingCommands(call, cib, { sections: ['fencing-topology'] }),
    })
  },
}

/** As they are typed. */
export const fencingLevelsIn = (
  cib: XmlElement,
): readonly {
  readonly id: string
  readonly index: number
  readonly target: string
  readonly devices: readonly string[]
}[] =>
  readConfiguration(cib).fencingLevels.map(({ id, index, devices, target }) => ({
    id,
    index,
    devices,
    target: typedTarget(target),
  }))

function typedTarget(target: Target): string {
  if (target.by === 'node') return target.node
  return target.by === 'pattern' ? `regexp%${target.pattern}` : `attrib%${target.name}=${target.value}`
}

/** What follows a list of fence devices; nothing where there is no topology. */
export function topologyLines(cib: XmlElement, dialect: Dialect): readonly string[] {
  const levels = fencingLevelLines(readConfiguration(cib).fencingLevels, dialect)
  const indent = dialect === '0.12' ? '  ' : ' '
  const title = dialect === '0.9' || dialect === '0.10' ? [] : ['', 'Fencing Levels:']
  return levels.length === 0 ? [] : [...title, ...levels.map((line) => `${indent}${line}`)]
}

/** By target: nodes, then patterns, then attributes, each by name. */
function fencingLevelLines(levels: readonly FencingLevel[], dialect: Dialect): readonly string[] {
  const isOld = dialect !== '0.12'
  const targets = (['node', 'pattern', 'attribute'] as const).flatMap((by) => {
    const names = levels.flatMap(({ target }) => (target.by === by ? [describeTarget(target)] : []))
    return [...new Set(names)].sort()
  })
  return targets.flatMap((target) => {
    const own = levels.filter((level) => describeTarget(level.target) === target).sort((a, b) => a.index - b.index)
    return [
      ...own.slice(0, 1).map((first) => (isOld ? oldHeading(first.target, dialect) : heading(first.target))),
      ...own.map(({ index, devices }) =>
        isOld ? `  Level ${index} - ${devices.join(',')}` : `  Level ${index}: ${devices.join(' ')}`,
      ),
    ]
  })
}

function heading(target: Target): string {
  switch (target.by) {
    case 'node':
      return `Target (node): ${target.node}`
    case 'pattern':
      return `Target (regexp): ${target.pattern}`
    case 'attribute':
      return `Target (attribute): ${target.name}=${target.value}`
  }
}

/** Until 0.11 a heading was the target alone; a pattern was marked since 0.10. */
function oldHeading(target: Target, dialect: Dialect): string {
  switch (target.by) {
    case 'node':
      return `Target: ${target.node}`
    case 'pattern':
      return `Target${dialect === '0.9' ? '' : ' (regexp)'}: ${target.pattern}`
    case 'attribute':
      return `Target: ${target.name}=${target.value}`
  }
}

/** As `pcs stonith level config --output-format json` gives it out. */
function levelsForm(levels: readonly FencingLevel[]): unknown {
  const of = <By extends Target['by']>(
    by: By,
    names: (target: Extract<Target, { readonly by: By }>) => Readonly<Record<string, string>>,
  ): unknown =>
    levels.flatMap(({ id, index, devices, target }) =>
      target.by === by ? [{ id, ...names(target as Extract<Target, { readonly by: By }>), index, devices }] : [],
    )
  return {
    target_node: of('node', ({ node }) => ({ target: node })),
    target_regex: of('pattern', ({ pattern }) => ({ target_pattern: pattern })),
    target_attribute: of('attribute', ({ name, value }) => ({ target_attribute: name, target_value: value })),
  }
}

export const stonithLevelAdd: Command = {
  path: ['stonith', 'level', 'add'],
  usage: '<level> <node> <fence device>...',
  summary: 'Try these devices together at a level when the node is fenced',
  details:
    'Levels are tried from 1 to 9 until one succeeds. A target may also be regexp%<pattern> or attrib%<name>=<value>.',
  flags: changeFlags,
  completes: [{ words: ['1', '2', '3'] }, 'node', 'fence-device'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 3, usage: 'stonith level add <level> <node> <fence device>...' })
    const [level = '', target = '', ...words] = call.words
    const devices = words.filter((word) => !word.startsWith('id=')).flatMap((word) => word.split(','))
    const id = words.find((word) => word.startsWith('id='))?.slice('id='.length)
    return await changeCib(call, {
      edit: (cib) =>
        addFencingLevel(cib, {
          index: readLevel(level, call.speech),
          // As it is typed, so that an id made by pcs is made here.
          // pcs 0.12 writes the zeros before a number.
          ...(judgesAsPcs(call.speech) && !writesAs011(call.speech) ? { writtenIndex: level } : {}),
          target: readTarget(target),
          devices,
          force: call.flags.has('force'),
          forceTakesServices: judgesAsPcs(call.speech) && writesAs011(call.speech),
          ...(id === undefined ? {} : { id }),
        }),
      // A device that is to come later.
      keepsMistakes: call.flags.has('force'),
      message: () => `Level ${level} for ${target}: ${devices.join(', ')}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const stonithLevelRemove: Command = {
  path: ['stonith', 'level', 'remove'],
  aliases: [['stonith', 'level', 'delete']],
  usage: '<level> [target <node>] [stonith <fence device>...]',
  summary: 'Remove levels of the fencing topology',
  flags: changeFlags,
  completes: [{ words: ['1', '2', '3', 'target', 'stonith'] }, 'node', 'fence-device'],
  run: async (call) => {
    const { index, target, devices } = readSelector(call.words, call.speech)
    // All levels go by a command of their own: whoever forgets a word must not lose the topology.
    if (index === undefined && (target === undefined || call.speech.dialect === '0.12'))
      throw new Refusal(
        "Specify the level: 'stonith level remove 1 target <node>'. 'stonith level clear' removes all levels.",
      )
    return await changeCib(call, {
      edit: (cib) =>
        removeFencingLevels(cib, {
          ...(index === undefined ? {} : { index }),
          ...(target === undefined ? {} : { target }),
          ...(devices.length === 0 ? {} : { devices }),
        }),
      message: ({ removed }) =>
        removed.length === 0 ? 'There is no level to remove.' : `Removed: ${removed.map(({ id }) => id).join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

function readSelector(
  words: readonly string[],
  speech: Speech,
): {
  readonly index?: number | string
  readonly target?: Target
  readonly devices: readonly string[]
} {
  const [first, ...rest] = words
  const numbered = first !== undefined && /^\d+$/.test(first)
  const { target, devices, bare } = readLevelWords(numbered ? rest : words)
  const isBare = target === undefined && devices.length === 0
  if (!isBare && bare.length > 0)
    throw new Refusal(`Unexpected word '${bare[0]}' before 'target' or 'stonith'. Nothing was removed.`)
  const [node, ...others] = bare
  return {
    ...(numbered ? { index: readAnyLevel(first, speech) } : {}),
    ...(target === undefined ? {} : { target }),
    ...(node === undefined ? {} : { target: readTarget(node) }),
    devices: isBare ? asDevices(others) : devices,
  }
}

/** Of a level that cannot be pcs says that it is not there. */
const readAnyLevel = (text: string, speech: Speech): number | string =>
  judgesAsPcs(speech) && !/^[1-9]$/.test(text) ? text : readLevel(text, speech)

/** pcs takes zeros before the number. */
function readLevel(text: string, speech: Speech): number {
  if (/^[1-9]$/.test(text) || (judgesAsPcs(speech) && /^0*[1-9]$/.test(text))) return Number(text)
  throw new Refusal({
    own: `'${text}' is not a fencing level. Levels are numbers from 1 to 9.`,
    about: { code: 'bad-choice', name: 'level', value: text, choices: '1..9' },
  })
}
