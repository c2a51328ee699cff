/** What is done most often with a thing, as the command that is typed for it. */
import type { StatusFacts } from '../../cli/index.ts'

export interface Action {
  readonly title: string
  readonly line: string
}

export function actionsFor(name: string, { nodes, resources, holds }: StatusFacts): readonly Action[] {
  const node = nodes.find((one) => one.name === name)
  if (node !== undefined)
    return [
      holds.some(({ kind, node: held }) => kind === 'drain' && held === name)
        ? { title: 'End the drain', line: `node undrain ${name}` }
        : { title: 'Drain', line: `node drain ${name}` },
      node.standby
        ? { title: 'End standby', line: `node unstandby ${name}` }
        : { title: 'Standby', line: `node standby ${name}` },
      node.maintenance
        ? { title: 'End maintenance', line: `node unmaintenance ${name}` }
        : { title: 'Maintenance', line: `node maintenance ${name}` },
      ...(node.type === 'guest' ? [] : [{ title: 'Fence', line: `stonith fence ${name}` }]),
    ]
  const parts = resources.filter((one) => one.configured === name || one.inside.includes(name))
  if (parts.length === 0) return []
  const isDisabled = parts.every(({ targetRole }) => targetRole === 'Stopped')
  const isUnmanaged = parts.some(({ managed }) => !managed)
  const hasFailed = parts.some(({ failed, failCounts }) => failed || Object.keys(failCounts).length > 0)
  return [
    ...(hasFailed ? [{ title: 'Clean up', line: `resource cleanup ${name}` }] : []),
    { title: 'Move', line: `resource move ${name}` },
    { title: 'Restart', line: `resource restart ${name}` },
    isDisabled
      ? { title: 'Enable', line: `resource enable ${name}` }
      : { title: 'Disable', line: `resource disable ${name}` },
    isUnmanaged
      ? { title: 'Manage', line: `resource manage ${name}` }
      : { title: 'Unmanage', line: `resource unmanage ${name}` },
  ]
}
