/** Says what went away with what was deleted. */
import type { Edited, Removed } from '../../cib/index.ts'

export function describeRemoved(edited: Edited, asked: readonly string[]): string {
  const others = edited.removed.filter(({ id, from }) => from !== undefined || !asked.includes(id))
  if (others.length === 0) return ''
  return ` Also removed: ${others.map(describeOne).join(', ')}.`
}

function describeOne({ element, id, from }: Removed): string {
  return from === undefined ? `${element} ${id}` : `${id} out of ${from}`
}
