import { expect, test } from 'vitest'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { childElements, parseXml } from '../../src/cib/index.ts'
import {
  type GraphAction,
  printDot,
  printGraphXml,
  printSvg,
  type TransitionGraph,
} from '../../src/transition/index.ts'

const alpha = { node: nodeName('alpha'), nodeId: '1' }
const start: GraphAction = {
  kind: 'resource',
  id: 3,
  inputs: [1, 2],
  attributes: { CRM_meta_timeout: '20000', ip: '10.0.0.1 "quoted"', '1': 'positional' },
  priority: 5,
  resource: resourceId('web'),
  operation: 'start',
  intervalMs: 0,
  key: 'web_start_0',
  agent: { class: 'ocf', provider: 'heartbeat', type: 'IPaddr2' },
  ...alpha,
  downed: [],
}
const fence: GraphAction = {
  kind: 'cluster',
  id: 1,
  inputs: [],
  attributes: { CRM_meta_stonith_action: 'reboot' },
  priority: 0,
  operation: 'stonith',
  key: 'stonith-beta-reboot',
  node: nodeName('beta'),
  nodeId: '2',
  downed: ['2'],
}
const point: GraphAction = {
  kind: 'pseudo',
  id: 2,
  inputs: [],
  attributes: {},
  priority: 0,
  operation: 'start',
  key: 'group_start_0',
  downed: [],
}
const graph: TransitionGraph = { actions: [start, fence, point], attributes: { transition_id: '1' } }

test('the graph document has a synapse for each action, with what it waits for', () => {
  const parsed = parseXml(printGraphXml(graph))
  if (!parsed.ok) throw new Error(parsed.reports[0]?.message)
  const [first, second] = childElements(parsed.value, 'synapse')
  expect(parsed.value.attributes.transition_id).toBe('1')
  expect(first?.attributes).toEqual({ id: '0', priority: '5' })
  const text = printGraphXml(graph)
  expect(text).toContain(
    '<rsc_op id="3" operation="start" operation_key="web_start_0" on_node="alpha" on_node_uuid="1">',
  )
  expect(text).toContain('<param name="1" value="positional"/>')
  expect(text).toContain('<pseudo_event id="2" operation="start" operation_key="group_start_0"/>')
  expect(second && JSON.stringify(second)).toContain('downed')
})

test('the drawing language names every action and every wait', () => {
  const dot = printDot(graph)
  expect(dot.startsWith(' digraph "g" {\n')).toBe(true)
  expect(dot).toContain('"stonith \'reboot\' beta" -> "web_start_0 alpha"')
  expect(dot).toContain('"group_start_0" [ style=bold color="green" fontcolor="orange"]')
})

test('in the drawing language actions have the names that crm_simulate gives them', () => {
  const shutdown = { ...fence, operation: 'do_shutdown', key: 'do_shutdown-beta', attributes: {} }
  const cancelled = { ...start, inputs: [], operation: 'cancel', key: 'web_monitor_10000' }
  const instance = { ...start, inputs: [], key: 'ping_start_0', internalKey: 'ping:1_start_0' }
  const dot = printDot({ actions: [shutdown, cancelled, instance], attributes: {} })
  const style = '[ style=bold color="green" fontcolor="black"]'
  expect(dot).toBe(
    [
      ' digraph "g" {',
      `"Cancel web_monitor_10000 alpha" ${style}`,
      `"do_shutdown beta" ${style}`,
      `"ping_start_0 alpha" ${style}`,
      '}',
      '',
    ].join('\n'),
  )
  expect(printDot({ actions: [], attributes: {} })).toBe(' digraph "g" {\n}\n')
})

test('in the drawing an action stands to the right of what it waits for', () => {
  const svg = printSvg(graph)
  const xOf = (name: string): number => Number(new RegExp(`<text x="([0-9.]+)"[^>]*>${name}`).exec(svg)?.[1])
  expect(xOf('web_start_0')).toBeGreaterThan(xOf('stonith-beta-reboot'))
  expect(svg.match(/<path d="M[^"]*" fill="none"/g)).toHaveLength(2)
})

test('an empty graph is drawn as well', () => {
  expect(printSvg({ actions: [], attributes: {} })).toContain('<svg')
  expect(printGraphXml({ actions: [], attributes: {} })).toBe('<transition_graph/>\n')
})
