/** What a transaction may say, checked once for every adapter; a breach is a bug of the caller, not an outcome. */
import { assert } from '../../base/index.ts'
import type { Transaction } from './store.ts'

export function assertTransaction(transaction: Transaction): void {
  const keys = new Set<string>()
  for (const write of transaction.writes) {
    const name = write.kind === 'delete-prefix' ? write.prefix : write.key
    assert(name !== '', 'a transaction names the keys that it writes')
    assert(!keys.has(name), `a transaction writes the key '${name}' once`)
    keys.add(name)
  }
  for (const write of transaction.writes) {
    if (write.kind !== 'delete-prefix') continue
    const inside = [...keys].find((key) => key !== write.prefix && key.startsWith(write.prefix))
    assert(
      inside === undefined,
      `a transaction that deletes the prefix '${write.prefix}' does not write '${inside}' too`,
    )
  }
}
