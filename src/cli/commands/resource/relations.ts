import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  type Constraint,
  childrenOf,
  findResource,
  type ResourceDefinition,
  readConfiguration,
} from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { describeConstraint, resourcesOf } from '../../facts/describe-constraint.ts'
import { neighbourhoodOf, relationEdges } from '../../facts/relation-edges.ts'
import { expectWords } from '../../grammar/words.ts'
import { relationLines } from '../../pcs-form/relations.ts'

/** More of them nobody can look at in one drawing. */
const mostInGraph = 60

export const resourceRelations: Command = {
  path: ['resource', 'relations'],
  usage: '<resource> [--full]',
  summary: "Show a resource's dependencies, dependents and containers as a tree",
  flags: [{ name: 'full', summary: 'Show the constraints in full' }],
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'resource relations <resource>' })
    const id = call.words[0] ?? ''
    const { cib } = await call.cluster.readCib()
    const configuration = readConfiguration(cib)
    const relations = allRelations(configuration.resources, configuration.constraints)
    if (!findResource(cib, id)) {
      const known = [...new Set(relations.flatMap(({ members }) => members))]
      throw new Refusal({
        own: `There is no resource '${id}'.${didYouMean(similarWords(id, known))}`,
        about: { code: 'resource-not-found', id, similar: [] },
      })
    }
    const tree = treeOf(id, relations, new Set())
    const full = call.flags.has('full')
    if (judgesAsPcs(call.speech)) return done(`${relationLines(cib, id, full).join('\n')}\n`, tree)
    const edges = relationEdges(configuration.resources, configuration.constraints)
    return done(printTree(tree, full), { ...tree, graph: neighbourhoodOf(id, edges, mostInGraph) })
  },
}

interface Relation {
  readonly text: string
  readonly full: string
  readonly members: readonly string[]
}

interface Tree {
  readonly id: string
  readonly relations: readonly { readonly text: string; readonly full: string; readonly with: readonly Tree[] }[]
}

function allRelations(
  resources: readonly ResourceDefinition[],
  constraints: readonly Constraint[],
): readonly Relation[] {
  return [...resources.flatMap(containments), ...constraints.flatMap(relationOf)]
}

function containments(resource: ResourceDefinition): readonly Relation[] {
  const inner = childrenOf(resource)
  if (inner.length === 0) return []
  const members = [resource.id, ...inner.map(({ id }) => id)] as readonly string[]
  const text = `${resource.kind} '${resource.id}' of ${inner.map(({ id }) => `'${id}'`).join(', ')}`
  return [{ text, full: text, members }, ...inner.flatMap(containments)]
}

/** Locations relate a resource to nodes, not to others. */
function relationOf(constraint: Constraint): readonly Relation[] {
  const members = constraint.kind === 'location' ? [] : resourcesOf(constraint)
  if (members.length < 2) return []
  const full = describeConstraint(constraint)
  return [{ text: full.replace(/ \(id: .*\)$/, ''), full: `${constraint.kind}: ${full}`, members }].map((relation) => ({
    ...relation,
    text: `${constraint.kind}: ${relation.text}`,
  }))
}

/** A relation is told once, where it is met first; so loops end. */
function treeOf(id: string, relations: readonly Relation[], told: Set<Relation>): Tree {
  const own = relations.filter((relation) => relation.members.includes(id) && !told.has(relation))
  for (const relation of own) told.add(relation)
  return {
    id,
    relations: own.map((relation) => ({
      text: relation.text,
      full: relation.full,
      with: relation.members.filter((member) => member !== id).map((member) => treeOf(member, relations, told)),
    })),
  }
}

function printTree(tree: Tree, full: boolean): string {
  const lines = [tree.id]
  const print = (branch: Tree, indent: string): void => {
    for (const [index, relation] of branch.relations.entries()) {
      const last = index === branch.relations.length - 1
      lines.push(`${indent}${last ? '`-' : '|-'} ${full ? relation.full : relation.text}`)
      const below = `${indent}${last ? '   ' : '|  '}`
      for (const [at, other] of relation.with.entries()) {
        const lastOther = at === relation.with.length - 1
        lines.push(`${below}${lastOther ? '`-' : '|-'} ${other.id}`)
        print(other, `${below}${lastOther ? '   ' : '|  '}`)
      }
    }
  }
  print(tree, '')
  return `${lines.join('\n')}\n`
}
