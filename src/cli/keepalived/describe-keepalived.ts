/**
 * keepalived.conf as the values of a cluster file. A VRRP instance is a group with its addresses and routes; priorities are scores; without nopreempt the group has no
 * stickiness, with it all there is. The files of several nodes are one description: what they say of a resource must be the same.
 */
import { Refusal, type Terminal } from '../call/command.ts'
import { type Balancing, haproxyOf } from './haproxy.ts'
import { readUnits, type Unit } from './instances.ts'
import { type Fields, type LeftOut, Notes } from './notes.ts'
import { readBlocks } from './read-blocks.ts'
import { ruleFor } from './tracks.ts'

export interface NamedFile {
  readonly node: string | undefined
  readonly file: string
}

export interface KeepalivedDescription {
  readonly values: Fields
  readonly places: ReadonlyMap<string, string>
  readonly leftOut: readonly LeftOut[]
  /** Of the virtual servers of the first file, which those of the others repeat. */
  readonly balancing: Balancing | undefined
}

/** `n1=keepalived.conf` is the file of the node n1; a path with a slash before the `=` is a path. */
export function namedFile(word: string): NamedFile {
  const [, node, file] = /^([^/=]+)=(.+)$/.exec(word) ?? []
  return node === undefined || file === undefined ? { node: undefined, file: word } : { node, file }
}

export async function describeKeepalived(
  terminal: Terminal,
  files: readonly NamedFile[],
): Promise<KeepalivedDescription> {
  const builder = new Builder()
  const refusals: string[] = []
  let balancing: Balancing | undefined
  const unitsOf = new Map<NamedFile, readonly Unit[]>()
  for (const one of files)
    try {
      const statements = await readBlocks({ ...one, readFile: terminal.readFile, listFolder: terminal.listFolder })
      unitsOf.set(one, readUnits(statements, builder.notes))
      balancing ??= haproxyOf(statements)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refusals.push(...error.sentences)
    }
  if (refusals.length + builder.notes.mistakes.length > 0) throw new Refusal(...refusals, ...builder.notes.mistakes)
  // Where one file has it, the resource does not move back by itself: an option of a resource is the same for all nodes.
  const sticky = new Set([...unitsOf.values()].flat().flatMap(({ id, isSticky }) => (isSticky ? [id] : [])))
  for (const [one, units] of unitsOf)
    for (const unit of units) builder.add({ ...unit, isSticky: sticky.has(unit.id) }, one)
  builder.ban([...unitsOf])
  return { ...builder.made(), balancing }
}

class Builder {
  readonly notes = new Notes()
  readonly #resources: Record<string, Fields> = {}
  readonly #constraints: Record<string, Fields> = {}
  readonly #places = new Map<string, string>()

  add(unit: Unit, { node }: NamedFile): void {
    const members = Object.fromEntries(unit.members.map(({ id, body }) => [id, body]))
    for (const { id, place } of unit.members) this.#places.set(id, this.#places.get(id) ?? place)
    const stickiness = unit.isSticky ? 'INFINITY' : '0'
    const group = { group: members, meta: { 'resource-stickiness': stickiness } }
    this.#put(this.#resources, unit.id, { body: group, place: unit.place })
    for (const track of unit.tracks) {
      const { check } = track
      this.#put(this.#resources, `${check.id}-clone`, { body: check.body, place: check.place })
      const [id, body] = ruleFor(unit.id, track)
      this.#put(this.#constraints, id, { body, place: track.place })
    }
    const { priority, priorityPlace } = unit
    if (node === undefined)
      this.notes.leave(
        priorityPlace,
        `It is the score of one node. Specify whose file it is, such as n1=${priorityPlace.place.replace(/:\d+$/, '')}.`,
      )
    else
      this.#put(this.#constraints, `${unit.id}-priority-${node}`, {
        body: { location: unit.id, node, score: String(priority) },
        place: priorityPlace.place,
      })
  }

  /** A node whose file does not have the instance never had its addresses. */
  ban(files: readonly (readonly [NamedFile, readonly Unit[]])[]): void {
    const all = new Map(files.flatMap(([, units]) => units.map((unit) => [unit.id, unit] as const)))
    for (const [{ node }, units] of files)
      for (const unit of all.values())
        if (node !== undefined && !units.some(({ id }) => id === unit.id))
          this.#put(this.#constraints, `${unit.id}-priority-${node}`, {
            body: { location: unit.id, node, score: '-INFINITY' },
            place: unit.place,
          })
  }

  #put(
    into: Record<string, Fields>,
    id: string,
    { body, place }: { readonly body: Fields; readonly place: string },
  ): void {
    const known = into[id]
    const other = this.#places.get(id)
    if (known === undefined && other === undefined) {
      into[id] = body
      this.#places.set(id, place)
    } else if (JSON.stringify(known) !== JSON.stringify(body))
      this.notes.mistakes.push(
        `${place}: ${id} differs from ${other ?? 'another file'}. A resource of the cluster is the same on all nodes: only priorities may differ.`,
      )
  }

  made(): Omit<KeepalivedDescription, 'balancing'> {
    if (this.notes.mistakes.length > 0) throw new Refusal(...this.notes.mistakes)
    return {
      values: { resources: this.#resources, constraints: this.#constraints },
      places: this.#places,
      leftOut: this.notes.leftOut,
    }
  }
}
