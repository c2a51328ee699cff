/** Writes of transient attributes as the store takes them, and what is known of attributes as the view has it. */
import type { AttributeWrite, KnownAttributes } from '../../attributes/index.ts'
import { assertNever } from '../../base/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Write } from '../../store/index.ts'
import { toBytes } from './json-value.ts'
import { keys } from './keys.ts'

export function knownAttributes({ attributes, withheld, attributeTraits }: ClusterView): KnownAttributes {
  return { written: [...attributes.values()], withheld: [...withheld.values()], traits: attributeTraits }
}

export function attributeWrite(write: AttributeWrite): Write {
  switch (write.kind) {
    case 'put-attribute': {
      const { node, set, name } = write.record
      return { kind: 'put', key: keys.attribute(node, set, name), value: toBytes(write.record) }
    }
    case 'delete-attribute':
      return { kind: 'delete', key: keys.attribute(write.node, write.set, write.name) }
    case 'withhold-attribute': {
      const { node, set, name } = write.record
      return { kind: 'put', key: keys.withheld(node, set, name), value: toBytes(write.record) }
    }
    case 'release-attribute':
      return { kind: 'delete', key: keys.withheld(write.node, write.set, write.name) }
    case 'put-traits':
      return { kind: 'put', key: keys.attributeTraits(write.record.name), value: toBytes(write.record) }
    default:
      return assertNever(write)
  }
}
