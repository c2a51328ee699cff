/** Whether what a step waits for is there. */
import { awaitedOf, missing } from '../../../services/index.ts'
import { type ClusterStatus, type PrimitiveResource, partsOf, type Resource } from '../../../status/index.ts'
import { type Call, Refusal } from '../../call/command.ts'
import { knownServices, serviceNamed } from '../service/known.ts'
import { convergence } from '../wait/converged.ts'
import type { Awaited } from './recipe-file.ts'

/** Undefined once it is there; otherwise what is missing. */
export async function lackingFor(call: Call, awaited: Awaited): Promise<string | undefined> {
  if (awaited.kind === 'converged') {
    const { state, missing: lacking } = await convergence(call)
    return state === 'converged' ? undefined : `${state}${lacking.length === 0 ? '' : `: ${lacking.join('; ')}`}`
  }
  const known = await knownServices(call)
  if (awaited.kind === 'service') {
    const service = serviceNamed(known, awaited.service)
    return missing(service, awaited.min ?? awaitedOf(service))?.join('; ')
  }
  const resource = resourceNamed(known.status, awaited.resource)
  const primitives = primitivesOf(resource)
  const active = primitives.filter(({ state }) => state.active.length > 0)
  if (awaited.kind === 'stopped') return active.length === 0 ? undefined : `${active.length} still active`
  const there =
    awaited.kind === 'started'
      ? active.length
      : primitives.filter(({ state }) => state.active.some(({ role }) => role === 'Promoted')).length
  const least = awaited.min ?? (awaited.kind === 'started' ? primitives.length : 1)
  return there >= least ? undefined : `${there} of ${least} ${awaited.kind}`
}

/** A resource that the configuration has; what can never be promoted is refused. */
export function refuseUnknown(
  status: ClusterStatus,
  services: readonly string[],
  awaited: Awaited,
): string | undefined {
  if (awaited.kind === 'converged') return undefined
  if (awaited.kind === 'service')
    return services.includes(awaited.service) ? undefined : `There is no service '${awaited.service}' at this step.`
  const found = find(status.resources, awaited.resource)
  if (found === undefined) return `There is no resource '${awaited.resource}' at this step.`
  const isPromotable = primitivesOf(found).some(({ instance }) => instance?.promotable === true)
  return awaited.kind === 'promoted' && !isPromotable ? `'${awaited.resource}' is not promotable.` : undefined
}

function resourceNamed(status: ClusterStatus, id: string): Resource {
  const found = find(status.resources, id)
  if (found === undefined) throw new Refusal(`There is no resource '${id}'.`)
  return found
}

/** A name of something in a clone stands for all its instances: the clone itself is found first by its own name. */
function find(resources: readonly Resource[], id: string): Resource | undefined {
  for (const resource of resources) {
    if (String(resource.configuredId) === id) return resource
    const parts = resource.kind === 'primitive' ? [] : partsOf(resource)
    const inside = find(parts, id)
    if (inside !== undefined) return resource.kind === 'clone' ? resource : inside
  }
  return undefined
}

const primitivesOf = (resource: Resource): readonly PrimitiveResource[] =>
  resource.kind === 'primitive' ? [resource] : partsOf(resource).flatMap(primitivesOf)
