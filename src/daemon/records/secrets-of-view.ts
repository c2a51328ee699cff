/** What is secret in this cluster, as this node sees it: by names, by the cluster's option, and by what agents have marked. */
import { type IsSecret, secretNames, secretNamesOf } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'

export function secretsOfView(view: ClusterView): IsSecret {
  const written = view.configuration && secretNames(view.configuration.cib)
  const marked = [...view.operations.values()].map(({ attributes }) => attributes['op-secure-params'] ?? '')
  const noted = secretNamesOf({ noted: marked.flatMap((names) => names.split(' ').filter((name) => name !== '')) })
  return (name) => noted(name) || written?.(name) === true
}
