/** Constraints that come, go or weigh differently. */
import { allNamed, childNamed, configurationOf, ensureChild, nodesOf, removeFrom, type Tree, tree } from './cib-tree.ts'
import type { Mutation } from './mutation.ts'

const scores = ['-INFINITY', '-100', '-1', '0', '1', '50', '500', 'INFINITY'] as const

const constraintsOf = (cib: Tree): Tree => ensureChild(configurationOf(cib), 'constraints')

/** Top-level resources and, less often, members of groups. */
function namable(cib: Tree): readonly Tree[] {
  const section = childNamed(configurationOf(cib), 'resources')
  if (section === undefined) return []
  const top = section.children.filter(({ name }) => name !== 'template')
  const members = top.filter(({ name }) => name === 'group').flatMap((group) => allNamed(group, 'primitive'))
  return [...top, ...top, ...members]
}

function newId(cib: Tree): string {
  const known = constraintsOf(cib).children.map(({ attributes }) => attributes.id)
  let number = known.length
  while (known.includes(`fuzz-${number}`)) number++
  return `fuzz-${number}`
}

export const constraintMutations: readonly Mutation[] = [
  {
    name: 'location',
    weight: 8,
    apply: (cib, random) => {
      const [resource, node] = [random.pick(namable(cib)), random.pick(nodesOf(cib))]
      if (resource === undefined || node === undefined) return undefined
      const [id, rsc, uname] = [newId(cib), resource.attributes.id ?? '', node.attributes.uname ?? '']
      const score = random.pick(scores) ?? '0'
      const isPromotable = resource.name === 'master' || resource.name === 'clone'
      const role = isPromotable && random.below(3) === 0 ? { role: 'Promoted' } : {}
      const discovery = random.below(8) === 0 ? (random.pick(['never', 'exclusive']) ?? 'never') : undefined
      const more = discovery === undefined ? {} : { 'resource-discovery': discovery }
      constraintsOf(cib).children.push(tree('rsc_location', { id, rsc, node: uname, score, ...role, ...more }))
      return `location of ${rsc} on ${uname}: ${score} ${role.role ?? ''} ${discovery ?? ''}`
    },
  },
  {
    name: 'score',
    weight: 8,
    apply: (cib, random) => {
      const scored = allNamed(constraintsOf(cib), 'rsc_location', 'rsc_colocation', 'rule').filter(
        ({ attributes }) => attributes.score !== undefined,
      )
      const found = random.pick(scored)
      if (found === undefined) return undefined
      found.attributes.score = random.pick(scores) ?? '0'
      return `${found.attributes.id}: score ${found.attributes.score}`
    },
  },
  {
    name: 'colocation',
    weight: 5,
    apply: (cib, random) => {
      const [dependent, primary] = [random.pick(namable(cib)), random.pick(namable(cib))]
      if (dependent === undefined || primary === undefined || dependent === primary) return undefined
      const [id, rsc, withRsc] = [newId(cib), dependent.attributes.id ?? '', primary.attributes.id ?? '']
      const score = random.pick(scores) ?? '0'
      const role = (attribute: string, named: Tree): Record<string, string> =>
        named.name !== 'primitive' && named.name !== 'group' && random.below(4) === 0
          ? { [attribute]: random.pick(['Promoted', 'Unpromoted', 'Started']) ?? 'Started' }
          : {}
      const influence: Record<string, string> = random.below(6) === 0 ? { influence: 'false' } : {}
      const roles = { ...role('rsc-role', dependent), ...role('with-rsc-role', primary) }
      constraintsOf(cib).children.push(
        tree('rsc_colocation', { id, rsc, 'with-rsc': withRsc, score, ...roles, ...influence }),
      )
      return `${rsc} with ${withRsc}: ${score} ${JSON.stringify({ ...roles, ...influence })}`
    },
  },
  {
    name: 'order',
    weight: 4,
    apply: (cib, random) => {
      const [first, then] = [random.pick(namable(cib)), random.pick(namable(cib))]
      if (first === undefined || then === undefined || first === then) return undefined
      const [id, a, b] = [newId(cib), first.attributes.id ?? '', then.attributes.id ?? '']
      const kind = random.pick(['Mandatory', 'Mandatory', 'Optional', 'Serialize']) ?? 'Mandatory'
      const attributes: [string, string][] = [
        ['id', id],
        ['first', a],
        ['then', b],
        ['kind', kind],
      ]
      constraintsOf(cib).children.push(tree('rsc_order', Object.fromEntries(attributes)))
      return `${a} then ${b}: ${kind}`
    },
  },
  {
    name: 'order-changed',
    weight: 2,
    apply: (cib, random) => {
      const order = random.pick(allNamed(constraintsOf(cib), 'rsc_order'))
      if (order === undefined) return undefined
      delete order.attributes.score
      const [name, value] = random.pick([
        ['kind', 'Optional'],
        ['kind', 'Serialize'],
        ['kind', 'Mandatory'],
        ['symmetrical', 'false'],
        ['require-all', 'false'],
      ] as const) ?? ['kind', 'Optional']
      if (name === 'symmetrical' && order.attributes.kind === 'Serialize') return undefined
      if (value === 'Serialize') delete order.attributes.symmetrical
      order.attributes[name] = value
      return `${order.attributes.id}: ${name}=${value}`
    },
  },
  {
    name: 'constraint-removed',
    weight: 4,
    apply: (cib, random) => {
      const found = random.pick(constraintsOf(cib).children)
      if (found === undefined) return undefined
      removeFrom(constraintsOf(cib), found)
      return `constraint ${found.attributes.id} removed`
    },
  },
  {
    name: 'set',
    weight: 3,
    apply: (cib, random) => {
      const kind = random.pick(['rsc_colocation', 'rsc_order', 'rsc_order']) ?? 'rsc_order'
      const members = [random.pick(namable(cib)), random.pick(namable(cib)), random.pick(namable(cib))]
      const names = [...new Set(members.map((member) => member?.attributes.id ?? ''))].filter((name) => name !== '')
      if (names.length < 2) return undefined
      const id = newId(cib)
      const sequential: Record<string, string> = random.below(3) === 0 ? { sequential: 'false' } : {}
      const requireAll: Record<string, string> =
        kind === 'rsc_order' && random.below(4) === 0 ? { 'require-all': 'false', sequential: 'false' } : {}
      const set = (number: number, refs: readonly string[]): Tree =>
        tree(
          'resource_set',
          { id: `${id}-${number}`, ...sequential, ...requireAll },
          refs.map((ref) => tree('resource_ref', { id: ref })),
        )
      const sets = random.below(2) === 0 ? [set(0, names)] : [set(0, names.slice(0, 1)), set(1, names.slice(1))]
      const weight =
        kind === 'rsc_order'
          ? { kind: random.pick(['Mandatory', 'Optional']) ?? 'Optional' }
          : { score: random.pick(scores) ?? '0' }
      constraintsOf(cib).children.push(tree(kind, { id, ...weight }, sets))
      return `${kind} of sets ${JSON.stringify([names, weight, sequential, requireAll, sets.length])}`
    },
  },
  {
    name: 'order-of-roles',
    weight: 2,
    apply: (cib, random) => {
      const [first, then] = [random.pick(namable(cib)), random.pick(namable(cib))]
      if (first === undefined || then === undefined || first === then) return undefined
      const actionOf = ({ name }: Tree): string =>
        (name === 'clone' || name === 'master'
          ? random.pick(['start', 'promote', 'demote', 'stop'])
          : random.pick(['start', 'stop'])) ?? 'start'
      const [id, a, b] = [newId(cib), first.attributes.id ?? '', then.attributes.id ?? '']
      const [firstAction, thenAction] = [actionOf(first), actionOf(then)]
      const symmetrical: [string, string][] = random.below(3) === 0 ? [['symmetrical', 'false']] : []
      // As pairs, because an object with a `then` looks like a promise.
      const attributes: [string, string][] = [
        ['id', id],
        ['first', a],
        ['then', b],
        ['first-action', firstAction],
        ['then-action', thenAction],
        ...symmetrical,
      ]
      constraintsOf(cib).children.push(tree('rsc_order', Object.fromEntries(attributes)))
      return `${firstAction} ${a} then ${thenAction} ${b} ${JSON.stringify(symmetrical)}`
    },
  },
]
