/** What the scheduler makes of a configuration whose nodes are all there and run nothing yet. */
import { element, readConfiguration, type XmlElement } from '../../../src/cib/index.ts'
import { md5 } from '../../../src/cli/host/md5.ts'
import { schedule } from '../../../src/scheduler/index.ts'
import type { GraphAction } from '../../../src/transition/index.ts'

export interface GraphFacts {
  readonly startedInstances: number
  /** Resources, by one of the longest chains of starts that wait for each other. */
  readonly longestChain: readonly string[]
  readonly loops: readonly string[]
  /** Pairs of the chain in which no instance of the later waits for one of the earlier. */
  readonly disorder: (chain: readonly string[]) => readonly string[]
}

export function graphFacts(cib: XmlElement): GraphFacts {
  const { graph } = schedule({ cib: withEverybodyOnline(cib), now: 1_795_000_000, md5, explain: false })
  const byId = new Map(graph.actions.map((action) => [action.id, action]))
  const starts = graph.actions.filter(isStart)
  const loops: string[] = []
  const known = new Map<number, readonly string[]>()
  /** Starts of primitives on the longest way to an action. */
  const chainTo = (action: GraphAction, above: ReadonlySet<number>): readonly string[] => {
    const before = known.get(action.id)
    if (before) return before
    if (above.has(action.id)) {
      loops.push(String(action.key))
      return []
    }
    const longest = action.inputs
      .flatMap((id) => byId.get(id) ?? [])
      .map((input) => chainTo(input, new Set([...above, action.id])))
      .reduce<readonly string[]>((best, chain) => (chain.length > best.length ? chain : best), [])
    // Instances of an ordered clone that wait for each other are one link.
    const chain = isStart(action) && longest.at(-1) !== nameOf(action) ? [...longest, nameOf(action)] : longest
    known.set(action.id, chain)
    return chain
  }
  const chains = starts.map((start) => chainTo(start, new Set()))
  const ancestors = (action: GraphAction): ReadonlySet<string> => {
    const seen = new Set<number>()
    const names = new Set<string>()
    const open = [...action.inputs]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const input = byId.get(id)
      if (!input || seen.has(id)) continue
      seen.add(id)
      if (isStart(input)) names.add(nameOf(input))
      open.push(...input.inputs)
    }
    return names
  }
  return {
    startedInstances: starts.length,
    longestChain: chains.reduce<readonly string[]>((best, chain) => (chain.length > best.length ? chain : best), []),
    loops,
    disorder: (chain) =>
      chain.slice(1).flatMap((later, index) => {
        const earlier = chain[index] ?? ''
        const own = starts.filter((start) => nameOf(start) === later)
        const waits = own.length > 0 && own.every((start) => ancestors(start).has(earlier))
        return waits ? [] : [`${later} does not wait for ${earlier}`]
      }),
  }
}

function isStart(action: GraphAction): action is GraphAction & { readonly kind: 'resource' } {
  return action.kind === 'resource' && action.operation === 'start'
}

/** The resource, whichever of its instances. */
function nameOf({ resource }: GraphAction & { readonly kind: 'resource' }): string {
  return resource.replace(/:\d+$/, '')
}

/** Every node in the membership and joined, and a promotion score for whatever can be promoted. */
function withEverybodyOnline(cib: XmlElement): XmlElement {
  const { nodes, resources } = readConfiguration(cib)
  const promotable = resources.flatMap((resource) =>
    resource.kind === 'clone' &&
    resource.meta.some(({ pairs }) => pairs.some(({ name, value }) => name === 'promotable' && value === 'true'))
      ? [resource.child.id]
      : [],
  )
  const states = nodes.map(({ id, name }) =>
    element('node_state', { id, uname: name, in_ccm: 'true', crmd: 'online', join: 'member', expected: 'member' }, [
      element('transient_attributes', { id }, [
        element(
          'instance_attributes',
          { id: `status-${id}` },
          promotable.map((resource) =>
            element('nvpair', { id: `status-${id}-master-${resource}`, name: `master-${resource}`, value: '100' }),
          ),
        ),
      ]),
      element('lrm', { id }, [element('lrm_resources')]),
    ]),
  )
  const configuration = cib.children.filter((child) => child.kind === 'element' && child.name === 'configuration')
  return {
    ...cib,
    attributes: { ...cib.attributes, 'have-quorum': '1', 'dc-uuid': nodes[0]?.id ?? '1' },
    children: [...configuration, element('status', {}, states)],
  }
}
