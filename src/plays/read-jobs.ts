/** A list of jobs as steps: nodes go through a step each at its own pace, and meet where one node acts for all, where facts are exchanged, and at a boot. */

import { type FieldPath, isMap, type Mistake } from '../base/index.ts'
import type { Component, PlayFile } from './component.ts'
import { grammars } from './grammar.ts'
import type { NamedStep } from './graph.ts'
import { readComponent } from './read-component.ts'

/** What a reader of files knows besides the file. */
export interface PlayGround {
  /** Cluster nodes, in order: all that are meant where none is named. */
  readonly nodes: readonly string[]
  /** Remote and guest nodes, which are meant where they are named. */
  readonly remotes: readonly string[]
  /** The node where the play is started. */
  readonly here: string
  /** Files by a pattern beside the file that names them, or why there are none. */
  readonly files: (pattern: string, beside: string) => readonly PlayFile[] | string
  /** Components that users have written, by verb. */
  readonly own: ReadonlyMap<string, PlayFile>
}

/** A file that was read. */
export interface PlaySource {
  readonly value: unknown
  /** Its name, as it was typed. */
  readonly file: string
  /** The folder of it, absolute: commands on a node begin elsewhere. */
  readonly folder: string
  /** `file:line: field` */
  readonly placeOf: (path: FieldPath) => string
}

interface JobList {
  readonly id: string
  readonly jobs: readonly unknown[]
  readonly path: FieldPath
  readonly nodes: readonly string[]
  readonly source: PlaySource
}

/** The steps follow each other; `mistakes` have paths in the file. */
export function readJobs(list: JobList, ground: PlayGround): readonly NamedStep[] | readonly Mistake[] {
  const mistakes: Mistake[] = []
  const components = list.jobs.flatMap((one, at) => {
    const path = [...list.path, at]
    const read = componentOf(one, path, { list, ground })
    if ('sentence' in read) {
      mistakes.push(...read.sentence.map((sentence) => ({ path: read.path, sentence })))
      return []
    }
    return [read]
  })
  if (mistakes.length > 0) return mistakes
  const parts = partsOf(components)
  const ids = parts.map((_, at) => (parts.length === 1 ? list.id : `${list.id}.${at + 1}`))
  return parts.map((part, at): NamedStep => {
    const before = ids[at - 1]
    return {
      id: ids[at] ?? list.id,
      nodes: list.nodes,
      ...(part.once && { once: true }),
      ...(part.reboots && { reboots: true }),
      components: part.components,
      provides: [],
      requires: before === undefined ? [] : [before],
      place: list.source.placeOf(list.path),
    }
  })
}

export const areSteps = (read: readonly NamedStep[] | readonly Mistake[]): read is readonly NamedStep[] =>
  read.every((one) => 'id' in one)

type Read = Component | { readonly path: FieldPath; readonly sentence: readonly string[] }

function componentOf(
  value: unknown,
  path: FieldPath,
  { list, ground }: { readonly list: JobList; readonly ground: PlayGround },
): Read {
  const fields = isMap(value) ? value : {}
  const verbs = Object.keys(fields).filter((key) => key !== 'vars')
  const [verb = ''] = verbs
  if (verbs.length !== 1)
    return { path, sentence: [`A job has one verb; here are ${verbs.length === 0 ? 'none' : verbs.join(' and ')}.`] }
  if (!/^[A-Z]/.test(verb)) return { path, sentence: [`'${verb}' is not a verb here: verbs have capital letters.`] }
  const vars = isMap(fields.vars)
    ? Object.fromEntries(Object.entries(fields.vars).map(([key, one]) => [key, one === true ? '' : String(one ?? '')]))
    : {}
  const own = new Set(ground.own.keys())
  const { component, mistakes } = readComponent({ verb, value: String(fields[verb] ?? ''), vars, own })
  if (component === undefined) return { path: [...path, verb], sentence: mistakes }
  const brought = bring(component, { list, ground })
  return typeof brought === 'string' ? { path: [...path, verb], sentence: [brought] } : brought
}

function bring(
  component: Component,
  { list, ground }: { readonly list: JobList; readonly ground: PlayGround },
): Component | string {
  const { verb, words } = component
  const program = Object.hasOwn(grammars, verb) ? undefined : ground.own.get(verb)
  if (program !== undefined) return { ...component, files: [program] }
  if (verb !== 'ADD' && verb !== 'COPY') return component
  const [source = '', target = ''] = words ?? []
  const files = ground.files(source, list.source.file)
  if (typeof files === 'string') return files
  if (files.length > 1 && !target.endsWith('/'))
    return `Several files need a folder: '${target}' does not end with a slash.`
  return { ...component, files }
}

interface Part {
  readonly once: boolean
  readonly reboots: boolean
  readonly components: readonly Component[]
}

function partsOf(components: readonly Component[]): readonly Part[] {
  const parts: Part[] = []
  let open: Component[] = []
  let once = false
  const close = (): void => {
    if (open.length > 0) parts.push({ once, reboots: false, components: open })
    open = []
  }
  for (const component of components) {
    const isOnce = component.options['run-once'] !== undefined
    if (isOnce !== once) close()
    once = isOnce
    if (component.verb === 'REBOOT') {
      close()
      parts.push({ once, reboots: true, components: [component] })
    } else if (component.verb === 'QUEUESENTINEL') close()
    else {
      open.push(component)
      if (component.verb === 'QUERY') close()
    }
  }
  close()
  return parts
}
