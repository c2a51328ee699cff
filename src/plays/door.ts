/** A graph as the command line sends it to the daemon, and what the daemon takes. */

import { checkBySchema, fieldOf, isMap, type Schema } from '../base/index.ts'
import { wrongCommonValues } from './check-component.ts'
import type { Component } from './component.ts'
import { defaultTimeoutS, grammars } from './grammar.ts'
import { findCircle, type PlayStep } from './graph.ts'
import { readComponent } from './read-component.ts'

export interface AskedPlay {
  /** What people call it. */
  readonly name: string
  readonly steps: readonly PlayStep[]
  readonly force?: boolean
  readonly queue?: boolean
}

/** Of the steps and their nodes together: the record is written with each of them. */
export const mostHosts = 4000
/** Of all steps together, for the same reason. */
const mostRequirements = 50_000

const text = (title: string, maxLength: number): Schema => ({ type: 'string', title, maxLength })
const flag: Schema = { type: 'boolean', title: 'true or false' }
const texts = (title: string, maxLength: number): Schema => ({
  type: 'array',
  title,
  maxItems: 2000,
  items: text('a text', maxLength),
})

const file: Schema = {
  type: 'object',
  title: 'a file',
  additionalProperties: false,
  required: ['name', 'data', 'mode'],
  properties: {
    name: { ...text('a name', 255), pattern: '^[^/\\0]+$', minLength: 1 },
    data: text('content', 4 * 1024 * 1024),
    mode: { type: 'integer', title: 'a mode', minimum: 0, maximum: 0o7777 },
  },
}

const component: Schema = {
  type: 'object',
  title: 'a component',
  additionalProperties: false,
  required: ['verb', 'label', 'options'],
  properties: {
    verb: { ...text('a verb', 100), pattern: '^[A-Z][A-Z0-9_]*$' },
    label: text('a label', 70_000),
    options: {
      type: 'object',
      title: 'options',
      additionalProperties: false,
      patternProperties: { '^[a-z][a-z-]*$': text('a text', 65_536) },
    },
    text: text('a text', 65_536),
    words: texts('words', 65_536),
    files: { type: 'array', title: 'files', maxItems: 1000, items: file },
  },
}

const playSchema: Schema = {
  type: 'object',
  title: 'a play',
  additionalProperties: false,
  required: ['name', 'steps'],
  properties: {
    name: { ...text('a name', 1000), minLength: 1 },
    force: flag,
    queue: flag,
    steps: {
      type: 'array',
      title: 'steps',
      minItems: 1,
      maxItems: mostHosts,
      items: {
        type: 'object',
        title: 'a step',
        additionalProperties: false,
        required: ['id', 'requires', 'nodes', 'components'],
        properties: {
          id: { ...text('an id', 500), minLength: 1 },
          requires: texts('ids', 500),
          nodes: { ...texts('nodes', 255), minItems: 1 },
          once: flag,
          reboots: flag,
          components: { type: 'array', title: 'components', maxItems: 20_000, items: component },
        },
      },
    },
  },
}

/** What is wrong with it, as sentences. */
export function checkPlay(value: unknown): AskedPlay | readonly string[] {
  const wrong = checkBySchema(value, playSchema)
  if (wrong.length > 0) return wrong.map(({ path, sentence }) => `${fieldOf(path)}: ${sentence}`)
  const play = value as AskedPlay
  const sentences: string[] = []
  const ids = new Set<string>()
  for (const step of play.steps) {
    if (ids.has(step.id)) sentences.push(`The step '${step.id}' is there twice.`)
    ids.add(step.id)
  }
  for (const { id, requires, nodes, components } of play.steps) {
    for (const one of requires) if (!ids.has(one)) sentences.push(`${id}: There is no step '${one}'.`)
    if (new Set(nodes).size < nodes.length) sentences.push(`${id}: A node is there twice.`)
    for (const part of components) {
      const mistake = wrongComponent(part)
      if (mistake !== undefined) sentences.push(`${id}: ${mistake}`)
    }
  }
  const requirements = play.steps.reduce((sum, { requires }) => sum + requires.length, 0)
  if (requirements > mostRequirements)
    return [`The steps of a play have ${mostRequirements} requirements at most. These have ${requirements}: divide it.`]
  const circle = sentences.length === 0 ? findCircle(play.steps) : undefined
  if (circle) sentences.push(`The steps wait for each other: ${[...circle, circle[0]].join(' requires ')}.`)
  const hosts = play.steps.reduce((sum, { nodes }) => sum + nodes.length, 0)
  if (hosts > mostHosts)
    sentences.push(`A play has ${mostHosts} steps at most, counted on each node. This one has ${hosts}: divide it.`)
  return sentences.length > 0 ? sentences : play
}

/** By the same grammar as files are read: what a node performs was checked here. */
function wrongComponent({ verb, options, text: command = '', words = [], files = [] }: Component): string | undefined {
  if (verb === 'EXEC') return words.length === 0 ? 'A command is missing.' : wrongCommonValues(options)[0]
  if (!Object.hasOwn(grammars, verb))
    return files.length === 1 ? wrongCommonValues(options)[0] : `There is no component '${verb}'.`
  const value = grammars[verb]?.rest === 'text' ? command : words.map(quoted).join(' ')
  const vars = Object.fromEntries(Object.entries(options))
  const { mistakes } = readComponent({ verb, value, vars, own: new Set() })
  if (mistakes[0] !== undefined) return mistakes[0]
  return (verb === 'ADD' || verb === 'COPY') && files.length === 0 ? `${verb} brings no file.` : undefined
}

const quoted = (word: string): string => (word.includes('"') ? `'${word}'` : `"${word}"`)

/** Of all components of a step, one after another. */
export const timeoutOf = ({ components }: Pick<PlayStep, 'components'>): number =>
  Math.min(
    7 * 24 * 3_600_000,
    60_000 + components.reduce((sum, { options }) => sum + 1000 * Number(options.timeout ?? defaultTimeoutS), 0),
  )

export const isAskedPlay = (value: AskedPlay | readonly string[]): value is AskedPlay =>
  isMap(value) && 'steps' in value
