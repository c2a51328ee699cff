/** What pcs says of ids: bad ones, those that are taken, and those of something else than was asked for. */
import type { About, CallNames } from '../call/message.ts'
import { one, quoted, type Said } from './said.ts'

/** What each command calls the thing that the id is for. */
const idNames: readonly (readonly [begins: string, name: string, closes: boolean])[] = [
  ['resource create', 'resource name', false],
  ['stonith create', 'stonith name', false],
  ['resource bundle', 'bundle name', true],
  ['resource group', 'group name', true],
  ['stonith level clear', 'stonith id', true],
  ['stonith level', 'fencing level id', true],
  ['constraint location', 'constraint id', false],
  ['constraint', 'constraint id', false],
  ['acl role', 'ACL role', false],
  ['acl user', 'ACL user', false],
  ['acl group', 'ACL group', false],
  ['alert recipient', 'recipient-id', true],
  ['alert', 'alert-id', true],
  ['tag', 'id', true],
  ['resource', 'id', true],
]

/** Commands that go on to look for more that is wrong. */
const goesOn = /^(alert|tag|resource bundle|(resource|stonith) (op )?defaults|stonith level|resource group)/

/** Constraints on one resource, or between two: of sets, rules and tickets pcs says it otherwise. */
const namesOne = (typed: string, words: readonly string[]): boolean =>
  !/ticket| set$/.test(typed) && words[0] !== 'set' && words[1] !== 'rule'

/** Undefined for an id as XML has them. */
export function badCharacter(id: string, name: string): string | undefined {
  if (id === '') return `${name} cannot be empty`
  const bad = [...id].find((character, index) => !(index === 0 ? /[A-Za-z_]/ : /[\w.-]/).test(character))
  if (bad === undefined) return undefined
  return `invalid ${name} '${id}', '${bad}' is not a valid ${bad === id[0] ? 'first ' : ''}character for a ${name}`
}

export const aboutIds = (about: About, names: CallNames): Said | undefined =>
  aboutPlaces(about, names) ?? aboutKinds(about, names)

function aboutPlaces(about: About, { typed, words }: CallNames): Said | undefined {
  switch (about.code) {
    case 'bad-id': {
      // The only other name in that line that is looked at as one.
      if (typed === 'resource create' && words[0] !== about.id)
        return one(badCharacter(about.id, 'group name') ?? `invalid group name '${about.id}'`, true)
      const [, name = 'id', closes = false] = idNames.find(([begins]) => typed.startsWith(begins)) ?? []
      return one(badCharacter(about.id, name) ?? `invalid ${name} '${about.id}'`, closes)
    }
    case 'id-in-use':
      if (/^resource (clone|promotable)/.test(typed)) return one(`id '${about.id}' already exists`)
      if (/^constraint (order|colocation) (?!set)/.test(typed))
        return one(`id '${about.id}' is already in use, please specify another one`)
      return one(`'${about.id}' already exists`, goesOn.test(typed))
    case 'already-inside':
      if (/^resource (clone|promotable)/.test(typed)) return one(`${about.id} is already a clone resource`)
      if (typed.startsWith('resource group'))
        return one(
          `'${about.id}' cannot be put into a group because its parent '${about.parent}' is a ${about.kind} resource`,
          true,
        )
      if (typed.startsWith('acl role assign')) return one(`Role '${about.id}' is already assigned to '${about.parent}'`)
      return undefined
    case 'not-inside':
      if (/^(resource ungroup|resource group (remove|delete))/.test(typed))
        return one(`Resource '${about.id}' does not exist in group '${about.parent}'`)
      if (typed.startsWith('acl role unassign')) return one(`Role '${about.id}' is not assigned to '${about.parent}'`)
      if (typed.startsWith('tag update'))
        return one(
          words.slice(words.indexOf('remove') + 1).includes(about.id) && words.includes('remove')
            ? `Tag '${about.parent}' does not contain id: '${about.id}'`
            : `There is no reference id '${about.id}' in the tag '${about.parent}', cannot put reference ids next to it in the tag`,
          true,
        )
      if (/^resource (group add|create)/.test(typed)) return one(`'${about.id}' does not exist`, true)
      return undefined
    default:
      return undefined
  }
}

function aboutKinds(about: About, { typed, words }: CallNames): Said | undefined {
  switch (about.code) {
    case 'wrong-kind':
      if (about.wanted === 'group')
        return /^resource (group add|create)/.test(typed)
          ? one(`'${about.id}' is not a group`, true)
          : one(`Group '${about.id}' does not exist`)
      if (typed.startsWith('resource group') && about.kind === 'bundle')
        return one(`'${about.id}' is a bundle resource, bundle resources cannot be put into a group`, true)
      if (/^resource (clone|promotable)/.test(typed)) return one(`unable to find group or resource: ${about.id}`)
      if (about.wanted === 'clone') return one(`'${about.id}' is not a clone resource`)
      if (about.wanted === 'bundle') return one(`'${about.id}' is not a bundle`)
      if (typed.startsWith('stonith level')) return one('This command does not accept resources.')
      if (typed.startsWith('resource utilization')) return one(`Unable to find a resource: ${about.id}`)
      if (/^(resource|stonith) (update|op)/.test(typed)) return one(`Unable to find resource: ${about.id}`)
      if (typed.startsWith('tag')) return one(`'${about.id}' is not a bundle/clone/group/resource`, true)
      if (typed.startsWith('constraint'))
        return namesOne(typed, words)
          ? one(`Resource '${about.id}' does not exist`)
          : one(`'${about.id}' is not a bundle/clone/group/resource`, true)
      return undefined
    case 'in-one-group':
      return one('Cannot create an order constraint for resources in the same group')
    case 'must-leave-first':
      return /^resource (ungroup|group (delete|remove))/.test(typed)
        ? one('Cannot remove all resources from a cloned group')
        : undefined
    case 'nothing-left':
      if (typed.startsWith('resource group add'))
        return one(
          `Unable to move resource ${quoted(words.slice(1))} as it would leave group '${about.id}' empty. Please, use the 'pcs resource ungroup ${about.id}' command first.`,
          true,
        )
      return one(
        `There would be no references left in the tag '${about.id}', please remove the whole tag using the 'pcs tag remove ${about.id}' command`,
        true,
      )
    case 'part-of-clone': {
      const sentence = `${about.id} is a ${about.kind} resource, you should use the ${about.kind} id: ${about.outer} when adding constraints`
      return / set$| set |ticket/.test(typed) || (typed === 'constraint location' && words[1] === 'rule')
        ? one(`${sentence}, use --force to override`, true)
        : one(`${sentence}. Use --force to override.`)
    }
    default:
      return undefined
  }
}
