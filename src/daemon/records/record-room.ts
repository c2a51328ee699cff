/**
 * How much users and agents may have recorded beside the configuration, which has its own end: each daemon keeps all of it in memory, and whoever may
 * write one attribute of a node could otherwise fill the store of all nodes.
 */
import type { NodeName } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import { largestRecords } from './limits.ts'

/** Of an attribute or a ticket, besides its texts. */
const besideTexts = 32

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((bytes, [name, inside]) => bytes + name.length + bytesOf(inside), besideTexts)
}

const sum = (records: readonly object[]): number => records.reduce((bytes, record) => bytes + bytesOf(record), 0)

/** What becomes less may be too much still: of an older version's. */
function refuseGrowth(what: string, before: readonly object[], after: readonly object[]): void {
  const bytes = sum(after)
  if (bytes > largestRecords && bytes > sum(before))
    throw refuse(
      'too-much',
      `${what} would have ${bytes} bytes together: ${largestRecords} is the most that they may have.`,
    )
}

export function refuseManyTickets(before: readonly object[], after: readonly object[]): void {
  refuseGrowth('The tickets', before, after)
}

interface OfNode {
  readonly node: NodeName
}

/** Of each node by itself. */
export function refuseManyAttributes(before: readonly OfNode[], after: readonly OfNode[]): void {
  for (const node of new Set(after.map((attribute) => attribute.node))) {
    const of = (attributes: readonly OfNode[]) => attributes.filter((one) => one.node === node)
    refuseGrowth(`The transient attributes of ${node}`, of(before), of(after))
  }
}
