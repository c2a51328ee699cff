/** Which operations a CIB records that the one before did not: what crm_mon --external-agent tells of. */
import { childElement, childElements, type XmlElement } from '../../cib/index.ts'
import { exitWord } from '../../status/index.ts'

export interface OperationNews {
  readonly node: string
  readonly resource: string
  readonly task: string
  readonly intervalMs: number
  readonly exitCode: number
  readonly expectedCode: number
  /** The number of its `op-status`. */
  readonly status: number
  readonly description: string
}

/** By node, resource and record, what is recorded; operations that are under way are no news yet. */
export type KnownOperations = ReadonlyMap<string, string>

export function newsIn(
  cib: XmlElement,
  known: KnownOperations | undefined,
): { readonly known: KnownOperations; readonly news: readonly OperationNews[] } {
  const recorded = new Map<string, string>()
  const news: OperationNews[] = []
  for (const { node, resource, operation } of operationsIn(cib)) {
    const { attributes } = operation
    if (attributes['op-status'] === '-1') continue
    const key = `${node}/${resource}/${attributes.id ?? ''}`
    const magic = `${attributes['call-id']} ${attributes['transition-magic']}`
    recorded.set(key, magic)
    // What was there when it began is no news.
    if (known !== undefined && known.get(key) !== magic) news.push(newsOf(node, resource, attributes))
  }
  return { known: recorded, news }
}

function operationsIn(cib: XmlElement) {
  const states = childElement(cib, 'status')
  return (states === undefined ? [] : childElements(states, 'node_state')).flatMap((state) => {
    const lrm = childElement(state, 'lrm')
    const list = lrm && childElement(lrm, 'lrm_resources')
    return (list === undefined ? [] : childElements(list, 'lrm_resource')).flatMap((resource) =>
      childElements(resource, 'lrm_rsc_op').map((operation) => ({
        node: state.attributes.uname ?? '',
        resource: resource.attributes.id ?? '',
        operation,
      })),
    )
  })
}

function newsOf(node: string, resource: string, attributes: XmlElement['attributes']): OperationNews {
  const exitCode = Number(attributes['rc-code'] ?? 0)
  // `12:7:0:uuid`: action, transition, the exit code that was hoped for.
  const expectedCode = Number(attributes['transition-key']?.split(':')[2] ?? 0)
  const status = Number(attributes['op-status'] ?? 0)
  const reason = attributes['exit-reason'] ?? ''
  return {
    node,
    resource,
    task: attributes.operation ?? '',
    intervalMs: Number(attributes.interval ?? 0),
    exitCode,
    expectedCode,
    status,
    description: `${exitWord(exitCode)}${reason === '' ? '' : ` (${reason})`}`,
  }
}
