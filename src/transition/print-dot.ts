/** The graph as Graphviz text: what is executed in green, points in the order in orange. */
import type { GraphAction, TransitionGraph } from './graph.ts'

export function printDot(graph: TransitionGraph): string {
  const labels = new Map(graph.actions.map((action) => [action.id, label(action)]))
  const nodes = graph.actions.map(
    (action) =>
      `"${label(action)}" [ style=bold color="green" fontcolor="${action.kind === 'pseudo' ? 'orange' : 'black'}"]`,
  )
  const edges = graph.actions.flatMap((action) =>
    action.inputs.flatMap((id) => {
      const from = labels.get(id)
      return from === undefined ? [] : [`"${from}" -> "${label(action)}" [ style = bold]`]
    }),
  )
  return [' digraph "g" {', ...[...edges, ...nodes].sort(), '}', ''].join('\n')
}

/** `web_start_0 alpha`, `stonith 'reboot' alpha`, as crm_simulate names them; quotes would end the label. */
function label(action: GraphAction): string {
  const node = action.node === undefined ? '' : ` ${action.node}`
  return `${name(action)}${node}`.replaceAll('"', '\\"')
}

function name({ operation, key, attributes }: GraphAction): string {
  switch (operation) {
    case 'stonith':
      return `stonith '${attributes.CRM_meta_stonith_action ?? 'reboot'}'`
    case 'do_shutdown':
      return operation
    case 'cancel':
      return `Cancel ${key}`
    default:
      return key
  }
}
