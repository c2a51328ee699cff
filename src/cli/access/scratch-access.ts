/** A CIB in memory that stands for no cluster: commands are tried on it. Nobody is told what a change would cause. */
import type { XmlElement } from '../../cib/index.ts'
import type { ClusterAccess } from '../call/access.ts'

export function scratchAccess(start: XmlElement): ClusterAccess & { readonly current: () => XmlElement } {
  let cib = start
  return {
    live: undefined,
    isScratch: true,
    close: () => undefined,
    current: () => cib,
    readCib: () => Promise.resolve({ cib, version: 0 }),
    push: (change) => {
      cib = change.cib
      return Promise.resolve({ kind: 'saved', version: 0 })
    },
  }
}
