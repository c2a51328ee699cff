import type { RolloutNode } from './record.ts'

/** What a node had under way must be over before anything else begins there. */
export const staleOf = ({ task, stale }: RolloutNode): Partial<RolloutNode> => {
  const before = task ?? stale
  return before === undefined ? {} : { stale: before }
}
