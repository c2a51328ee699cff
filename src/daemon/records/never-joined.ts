import type { NodeStateRecord } from '../../cib/index.ts'

/** A node that was added and has not come yet cannot have gone on without this one. */
export const neverJoined = (state: NodeStateRecord | undefined): boolean =>
  state?.expected === 'down' && state.attributes?.incarnation === undefined
