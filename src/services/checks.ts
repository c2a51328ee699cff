/** Which checks a node performs, and which of their results are left from before. */
import { compareText } from '../base/index.ts'
import type { ClusterStatus, NodeStatus } from '../status/index.ts'
import type { Catalogue } from './catalogue.ts'
import type { Check } from './definition.ts'
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
  readonly check: Exclude<Check, { readonly kind: 'monitor' }>
}

export interface OwnChecks {
  readonly due: readonly DueCheck[]
  /** What is named as the result of a check of an instance that is not there any more. */
  readonly left: readonly { readonly node: string; readonly attribute: string }[]
}

/** A member checks what it runs, and what runs on the remote and guest nodes whose connection it holds. */
export function checksOf(self: string, catalogue: Catalogue, status: ClusterStatus): OwnChecks {
  const own = status.nodes.filter((node) => checkedBy(node, status) === self)
  const recordedOn = (node: string, service: string): string | undefined =>
    own.find(({ name }) => name === node)?.attributes.get(checkAttribute(service))
  const names = new Set<string>(own.map(({ name }) => name))
  const due = catalogue.services.flatMap(({ definition: { name, resource, check }, instances }) =>
    instances.flatMap(({ node, address, port, state }): readonly DueCheck[] =>
      check.kind === 'monitor' || node === undefined || address === undefined || state === 'stopped' || !names.has(node)
        ? []
        : [{ service: name, resource, node, address, port, check, recorded: recordedOn(node, name) }],
    ),
  )
  const results = new Set(due.map(({ service, node }) => `${node} ${checkAttribute(service)}`))
  const left = own.flatMap(({ name, attributes }) =>
    [...attributes].flatMap(([attribute, value]) =>
      isResult(attribute, value) && !results.has(`${name} ${attribute}`) ? [{ node: String(name), attribute }] : [],
    ),
  )
  return { due: due.toSorted((a, b) => compareText(a.service, b.service)), left }
}

function checkedBy(node: NodeStatus, status: ClusterStatus): string | undefined {
  if (node.kind === 'member') return node.name
  const connection = node.connection && status.primitivesById.get(node.connection)
  return connection?.state.active[0]?.node
}

const isResult = (name: string, value: string): boolean =>
  name.startsWith(checkAttribute('')) && (value === passedCheck || value.startsWith('failing: '))
