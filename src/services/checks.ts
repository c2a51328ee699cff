/** Which checks a node performs, and which of their results are left from before. */
import { compareText } from '../base/index.ts'
import type { ClusterStatus, NodeStatus } from '../status/index.ts'
import type { Catalogue } from './catalogue.ts'
import type { Check } from './definition.ts'
import { type DnsQuestion, declaredGates, gateAttribute } from './gates.ts'
import { checkAttribute, passedCheck } from './health.ts'

export interface DueCheck {
  readonly service: string
  readonly resource: string
  /** Whose attribute has the result. */
  readonly node: string
  readonly address: string
  readonly port: number
  /** The last result, as it is recorded now. */
  readonly recorded?: string | undefined
  /** The node attribute that has the result. */
  readonly attribute: string
  readonly check: Exclude<Check, { readonly kind: 'monitor' }> | DnsQuestion
}

export interface OwnChecks {
  readonly due: readonly DueCheck[]
  /** What is named as the result of a check of an instance that is not there any more. */
  readonly left: readonly { readonly node: string; readonly attribute: string }[]
}

/** A member checks what it runs, and what runs on the remote and guest nodes whose connection it holds. */
export function checksOf(self: string, catalogue: Catalogue, status: ClusterStatus): OwnChecks {
  const own = status.nodes.filter((node) => checkedBy(node, status) === self)
  const recordedOn = (node: string, attribute: string): string | undefined =>
    own.find(({ name }) => name === node)?.attributes.get(attribute)
  const names = new Set<string>(own.map(({ name }) => name))
  const ofServices = catalogue.services.flatMap(({ definition: { name, resource, check }, instances }) =>
    instances.flatMap(({ node, address, port, state }): readonly DueCheck[] =>
      check.kind === 'monitor' || node === undefined || address === undefined || state === 'stopped' || !names.has(node)
        ? []
        : [
            {
              service: name,
              resource,
              node,
              address,
              port,
              attribute: checkAttribute(name),
              check,
              recorded: recordedOn(node, checkAttribute(name)),
            },
          ],
    ),
  )
  const due = [...ofServices, ...ofGates(own, status, recordedOn)]
  const results = new Set(due.map(({ attribute, node }) => `${node} ${attribute}`))
  const left = own.flatMap(({ name, attributes }) =>
    [...attributes].flatMap(([attribute, value]) =>
      isResult(attribute, value) && !results.has(`${name} ${attribute}`) ? [{ node: String(name), attribute }] : [],
    ),
  )
  return { due: due.toSorted((a, b) => compareText(a.service, b.service)), left }
}

/** Each node asks DNS itself: it is the one on which something is to start. */
function ofGates(
  own: readonly NodeStatus[],
  { configuration }: ClusterStatus,
  recordedOn: (node: string, attribute: string) => string | undefined,
): readonly DueCheck[] {
  return declaredGates(configuration).gates.flatMap((gate) => {
    const { service, resource, dns } = gate
    if (dns === undefined) return []
    const attribute = gateAttribute(gate)
    return own
      .filter(({ online }) => online)
      .map(({ name }) => ({
        service,
        resource,
        node: name,
        address: '',
        port: 0,
        attribute,
        check: dns,
        recorded: recordedOn(name, attribute),
      }))
  })
}

function checkedBy(node: NodeStatus, status: ClusterStatus): string | undefined {
  if (node.kind === 'member') return node.name
  const connection = node.connection && status.primitivesById.get(node.connection)
  return connection?.state.active[0]?.node
}

const isResult = (name: string, value: string): boolean =>
  (name.startsWith(checkAttribute('')) || name.startsWith('requires-')) &&
  (value === passedCheck || value.startsWith('failing: '))
