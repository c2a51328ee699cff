/** The DC's logical writes as keys and JSON: what the daemon puts into one transaction, compared with the term. */
import { assertNever } from '../base/index.ts'
import type { Edit } from './effects.ts'
import { keys } from './keys.ts'

export type KeyWrite =
  | { readonly kind: 'put'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'delete'; readonly key: string }
  | { readonly kind: 'delete-prefix'; readonly prefix: string }

/**
 * The last edit of a key wins, and a key under a prefix that is deleted as well is not written: the store refuses both
 * twice in one transaction.
 */
export function writesOfEdits(edits: readonly Edit[]): readonly KeyWrite[] {
  const writes = new Map<string, KeyWrite>()
  for (const edit of edits) {
    for (const write of writesOf(edit)) writes.set(write.kind === 'delete-prefix' ? write.prefix : write.key, write)
  }
  const prefixes = [...writes.values()].flatMap((write) => (write.kind === 'delete-prefix' ? [write.prefix] : []))
  const covered = (name: string) => prefixes.some((prefix) => prefix !== name && name.startsWith(prefix))
  return [...writes].filter(([name]) => !covered(name)).map(([, write]) => write)
}

function writesOf(edit: Edit): readonly KeyWrite[] {
  if (edit.kind === 'delete-attributes')
    return [
      { kind: 'delete-prefix', prefix: keys.attributesOfNode(edit.node) },
      { kind: 'delete-prefix', prefix: keys.withheldOfNode(edit.node) },
    ]
  return [writeOf(edit)]
}

function writeOf(edit: Exclude<Edit, { kind: 'delete-attributes' }>): KeyWrite {
  switch (edit.kind) {
    case 'put-node-state':
      return { kind: 'put', key: keys.nodeState(edit.record.node), value: edit.record }
    case 'delete-node-state':
      return { kind: 'delete', key: keys.nodeState(edit.node) }
    case 'delete-history':
      return edit.resource === undefined
        ? { kind: 'delete-prefix', prefix: keys.historyOfNode(edit.node) }
        : { kind: 'delete-prefix', prefix: keys.historyOfResource(edit.node, edit.resource) }
    case 'delete-record':
      return { kind: 'delete', key: edit.key }
    case 'put-attribute': {
      const { node, name, value } = edit
      return { kind: 'put', key: keys.attribute(node, '', name), value: { node, set: '', name, value } }
    }
    case 'delete-attribute':
      return { kind: 'delete', key: keys.attribute(edit.node, edit.set, edit.name) }
    case 'put-shutdown-lock':
      return { kind: 'put', key: keys.shutdownLock(edit.lock.node, edit.lock.resource), value: edit.lock }
    case 'delete-confirmation':
      return { kind: 'delete', key: keys.fencingConfirmed(edit.node) }
    default:
      return assertNever(edit)
  }
}
