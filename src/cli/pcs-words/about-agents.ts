/** What pcs says of agents, of parameters that they do not have, and of those that are missing. */
import type { About, CallNames } from '../call/message.ts'
import { one, quoted, type Said } from './said.ts'

export const creates = (typed: string): boolean => / create$/.test(typed)

export function aboutAgents(abouts: readonly About[], about: About, { typed }: CallNames): Said | undefined {
  switch (about.code) {
    case 'no-agent':
      return one(`Unable to find agent '${about.agent}', try specifying its full name`, true)
    case 'many-agents':
      return one(
        `Multiple agents match '${about.agent}', please specify full name: ${about.names.map((name) => `'${name}'`).join(' or ')}`,
        true,
      )
    case 'bad-agent-name':
      return one(
        `Invalid resource agent name '${about.agent}'. Use standard:provider:type when standard is 'ocf' or standard:type otherwise. List of standards and providers can be obtained by using commands 'pcs resource standards' and 'pcs resource providers'.`,
        true,
      )
    case 'no-metadata':
      return one(
        `Agent '${about.agent}' is not installed or does not provide valid metadata: crm_resource: Metadata query for ${about.agent} failed: No such device or address, Error performing operation: No such object, use --force to override`,
        true,
      )
    case 'unknown-parameter': {
      const names = abouts.flatMap((other) => (other.code === 'unknown-parameter' ? [other.name] : []))
      const kind = about.standard === 'stonith' ? 'stonith' : 'resource'
      const option = names.length === 1 ? `option '${names[0]}'` : `options: ${quoted(names)}`
      const known = parametersOf(about)
      const allowed = known.length === 0 ? 'there are no options allowed' : `allowed options are: ${quoted(known)}`
      return one(`invalid ${kind} ${option}, ${allowed}, use --force to override`, creates(typed))
    }
    case 'missing-parameter': {
      const missing = abouts.flatMap((other) => (other.code === 'missing-parameter' ? [other] : []))
      return { errors: missingParameters(missing, about.isFencing ? 'stonith' : 'resource'), closes: creates(typed) }
    }
    case 'no-value':
      return creates(typed)
        ? one(`${about.name} cannot be empty`, true)
        : one(`required resource option '${about.name}' is missing, use --force to override`)
    default:
      return undefined
  }
}

/** One that has older names is a sentence of its own. */
function missingParameters(
  missing: readonly { readonly name: string; readonly older: readonly string[] }[],
  kind: string,
): readonly string[] {
  const alone = missing.filter(({ older }) => older.length === 0).map(({ name }) => name)
  const option = alone.length === 1 ? `option '${alone[0]}' is` : `options ${quoted(alone)} are`
  return [
    ...missing.flatMap(({ name, older }) => {
      const names = [`'${name}'`, ...[...older].sort().map((one) => `'${one}' (deprecated)`)]
      const list = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
      return older.length === 0 ? [] : [`${kind} option ${list} has to be specified, use --force to override`]
    }),
    ...(alone.length === 0 ? [] : [`required ${kind} ${option} missing, use --force to override`]),
  ]
}

/** pcs lists what the agents of these two providers take besides their own, and not what only a person asks a fence agent. */
function parametersOf({
  known,
  standard,
  provider = '',
}: {
  readonly known: readonly string[]
  readonly standard: string
  readonly provider?: string | undefined
}): readonly string[] {
  if (standard === 'stonith') return known.filter((name) => name !== 'help' && name !== 'version')
  const isTraced = standard === 'ocf' && ['heartbeat', 'pacemaker'].includes(provider)
  return isTraced ? [...new Set([...known, 'trace_file', 'trace_ra'])] : known
}
