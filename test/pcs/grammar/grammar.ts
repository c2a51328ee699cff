/** The commands whose lines are drawn: ours by our own table, pcs's by the usage that the running pcs prints. */

import type { Command } from '../../../src/cli/call/command.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import type { Reference } from '../reference.ts'
import { actsOnHost } from './left-out.ts'
import { type Grammar, parseUsage } from './notation.ts'
import { isBareSlot } from './slots.ts'

export interface Entry {
  /** The words that name the command, as both know them: `resource op add`. */
  readonly name: string
  readonly words: readonly string[]
  readonly rest: Grammar
}

const areas = [
  'resource',
  'stonith',
  'constraint',
  'property',
  'acl',
  'alert',
  'tag',
  'node',
  'cluster',
  'status',
  'quorum',
  'cib',
] as const

/** Usages of pcs, in the version that answers. */
export async function grammarOfReference(reference: Reference): Promise<readonly Entry[]> {
  const answers: Entry[] = []
  // Below `config` ours have commands of their own, which pcs does not have.
  for (const area of [...areas, 'config']) {
    const { standardOutput } = await reference.run([area, 'help'])
    answers.push(...usagesIn(standardOutput).flatMap((usage) => entryOf(area, usage)))
  }
  return answers
}

/** A command stands four columns in, what belongs to its line more than eight, what it does eight. */
export function usagesIn(help: string): readonly string[] {
  const usages: string[] = []
  let continues = false
  for (const line of help.slice(help.indexOf('Commands:')).split('\n')) {
    if (/^(Examples?|Notes?):/.test(line)) break
    const [, indent = '', text = ''] = /^( *)(.*)$/.exec(line) ?? []
    if (indent.length === 4 && text !== '') {
      usages.push(text)
      continues = true
    } else if (continues && indent.length > 8) usages.push(`${usages.pop()} ${text}`)
    else continues = false
  }
  return usages
}

/** pcs has no such options: a line with one is not pcs's. */
const onlyOurs: ReadonlySet<string> = new Set(['preview', 'json'])

/** Ours: of commands that pcs does not have, both refusals are compared as well. */
export const grammarOfOurs = (): readonly Entry[] =>
  allCommands.filter(isDrawn).flatMap((command) => {
    const [area = '', ...rest] = command.path
    const flags = (command.flags ?? [])
      .filter(({ name }) => !onlyOurs.has(name))
      .map(({ name, value }) => (value === undefined ? `[--${name}]` : value.startsWith('[') ? `[--${name}]` : ''))
    return entryOf(area, [...rest, command.usage, ...flags].join(' '))
  })

const isDrawn = ({ path, refuses, usage }: Command): boolean =>
  refuses === undefined && areas.some((area) => area === path[0]) && !/<(what if|xml|file)>/.test(usage)

function entryOf(area: string, usage: string): readonly Entry[] {
  // `pcs resource [status …]`, `pcs tag config …`: the words of the name, and what follows them.
  const [named = ''] = /^([a-z][a-z-]*(\s+|$))*/.exec(usage) ?? []
  const name = `${area} ${named}`.trim()
  const rest = parseUsage(usage.slice(named.length), isBareSlot)
  const words = name.split(/\s+/)
  if (actsOnHost(name)) return []
  return [{ name, words, rest }]
}
