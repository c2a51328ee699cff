/** What this node knows of versions: which one is desired, and which each node runs. */
import type { NodeName } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import { type RolloutsKnown, type Setting, versionsOfAll } from '../../rollout/index.ts'
import { connectedNodeNames } from '../../status/index.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { fromBytes } from '../records/json-value.ts'
import { settingsPrefix } from '../records/keys.ts'
import { desiredIn, versionsIn } from './known-rollouts.ts'
import type { Below } from './rollout-records.ts'

interface Known {
  readonly file: ClusterFile
  readonly view: ClusterView
  readonly rollouts: { readonly below: Below }
}

export const membersOf = ({ nodes }: ClusterFile): readonly NodeName[] =>
  nodes.filter(({ leaving }) => leaving !== true).map(({ name }) => name)

export function lifecycleOf({ file, view, rollouts }: Known): Pick<RolloutsKnown, 'versions' | 'desired'> {
  const connected = view.configuration === undefined ? [] : connectedNodeNames(view.configuration.typed)
  return {
    ...desiredIn(rollouts.below),
    versions: versionsOfAll({ members: membersOf(file), connected }, versionsIn(rollouts.below)),
  }
}

export const settingsIn = (below: Below): readonly Setting[] =>
  below(settingsPrefix).flatMap(({ value }) => {
    const setting = fromBytes(value)
    return typeof setting === 'object' && setting !== null && 'key' in setting && 'value' in setting
      ? [setting as Setting]
      : []
  })
