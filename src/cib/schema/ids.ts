/** Ids: which are taken, which are allowed, and a new one that is neither. */
import { longestId } from '../../base/index.ts'
import type { XmlElement } from '../document.ts'
import { configurationElement } from '../read-configuration.ts'
import { xmlId } from '../status/compose-cib.ts'
import { descendants } from '../tree.ts'

/** Elements whose `id` names another element. */
const referring = new Set(['resource_ref', 'obj_ref', 'role', 'role_ref'])

export const isReference = (candidate: XmlElement): boolean =>
  referring.has(candidate.name) && (candidate.name !== 'role' || candidate.children.length === 0)

/**
 * Every id of the configuration with the element that has it. Of several with one id the first counts. Node ids are a world
 * of their own: a remote node's is the id of its connection.
 */
function idsOf(cib: XmlElement): ReadonlyMap<string, XmlElement> {
  const ids = new Map<string, XmlElement>()
  for (const candidate of descendants(configurationElement(cib))) {
    const { id } = candidate.attributes
    if (id !== undefined && candidate.name !== 'node' && !isReference(candidate) && !ids.has(id)) ids.set(id, candidate)
  }
  return ids
}

/** An XML name without a colon: letters, digits, `_`, `-` and `.`, not beginning with a digit, `-` or `.`. */
export function isValidId(id: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(id)
}

/** What of a pattern or a name may stand in an id, as pcs takes it: the rest is left out. */
export function idPart(text: string): string {
  return text.replace(/[^\w.-]/g, '')
}

/** Hands out ids that are free; each is taken afterwards. */
export interface IdSource {
  /** The wanted id, made valid, with `-1`, `-2` … where it is taken. */
  readonly free: (wanted: string) => string
  readonly isTaken: (id: string) => boolean
  readonly all: () => Iterable<string>
}

/** Of the names of many resources an id is made that would be too long, with room for a number. */
function cut(id: string): string {
  return Buffer.byteLength(id) <= longestId - 8 ? id : id.replace(/[^\w.-]/g, '.').slice(0, longestId - 8)
}

export function idSource(cib: XmlElement): IdSource {
  const taken = new Set(idsOf(cib).keys())
  return {
    isTaken: (id) => taken.has(id),
    all: () => taken,
    free: (wanted) => {
      const base = cut(xmlId(wanted))
      let id = base
      for (let number = 1; taken.has(id); number++) id = `${base}-${number}`
      taken.add(id)
      return id
    },
  }
}
