/** Takes away from a CIB what a difference does not need, as long as it stays. */
import { allNamed, configurationOf, descendants, removeFrom, resourcesOf, statusOf, type Tree } from './cib-tree.ts'
import { removeResource } from './mutate-resources.ts'

/** Called with a smaller CIB; says whether the difference is still there. */
export type StillDiffers = (cib: Tree) => boolean

export function shrink(cib: Tree, differs: StillDiffers, attempts = 400): Tree {
  let best = cib
  let left = attempts
  for (const { candidates, remove } of passes) {
    // From the end, so that what was tried keeps its place.
    for (let index = candidates(best).length - 1; index >= 0 && left > 0; index--) {
      const smaller = structuredClone(best)
      const target = candidates(smaller)[index]
      if (target === undefined) continue
      remove(smaller, target)
      left--
      if (differs(smaller)) best = smaller
      index = Math.min(index, candidates(best).length)
    }
  }
  return best
}

interface Pass {
  readonly candidates: (cib: Tree) => readonly Tree[]
  readonly remove: (cib: Tree, target: Tree) => void
}

const byRemoval = (candidates: Pass['candidates']): Pass => ({ candidates, remove: removeFrom })

const passes: readonly Pass[] = [
  { candidates: (cib) => resourcesOf(cib, 'bundle', 'clone', 'master', 'group'), remove: removeResource },
  { candidates: (cib) => resourcesOf(cib, 'primitive'), remove: removeResource },
  byRemoval((cib) => [...(configurationOf(cib).children.find(({ name }) => name === 'constraints')?.children ?? [])]),
  {
    candidates: (cib) => allNamed(configurationOf(cib), 'node'),
    remove: (cib, node) => {
      removeFrom(cib, node)
      const state = allNamed(statusOf(cib), 'node_state').find(
        ({ attributes }) => attributes.uname === node.attributes.uname,
      )
      if (state !== undefined) removeFrom(cib, state)
    },
  },
  byRemoval((cib) => allNamed(statusOf(cib), 'lrm_resource')),
  byRemoval((cib) => allNamed(statusOf(cib), 'lrm_rsc_op')),
  byRemoval((cib) => allNamed(configurationOf(cib), 'op', 'rule', 'tag', 'fencing-level', 'template')),
  byRemoval((cib) => allNamed(cib, 'nvpair')),
  byRemoval((cib) => [...descendants(cib)].filter(({ children }) => children.length === 0)),
]
