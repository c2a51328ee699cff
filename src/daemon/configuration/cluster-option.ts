/** A cluster option as the configuration has it, or its default: for the few that the daemon itself obeys. */
import { type Configuration, clusterOption, nvSetsByPrecedence } from '../../cib/index.ts'

/** Sets under a rule are left out: these options must not depend on the time of day. */
export function clusterOptionValue(configuration: Configuration | undefined, name: string): string {
  const names = [name, ...(clusterOption(name)?.otherNames ?? [])]
  const sets = nvSetsByPrecedence(configuration?.options ?? [], 'cib-bootstrap-options')
  for (const { rule, pairs } of sets) {
    const pair = rule === undefined ? pairs.find((candidate) => names.includes(candidate.name)) : undefined
    if (pair) return pair.value
  }
  return clusterOption(name)?.default ?? ''
}
