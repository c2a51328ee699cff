import { expect, test } from 'vitest'
import { autoUtilization, parseXml, printXml, withoutAutoUtilization } from '../../src/cib/index.ts'

/** Capacities that were computed, of nodes with and without an entry. */
const parsed =
  parseXml(`<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0"><configuration><crm_config/>
<nodes><node id="1" uname="n1"/></nodes><resources><primitive id="r1" class="ocf" provider="pacemaker" type="remote"/></resources><constraints/></configuration><status/></cib>`)
if (!parsed.ok) throw new Error('not XML')
const cib = parsed.value
const textOf = (result: ReturnType<typeof autoUtilization>): string => {
  if (!result.ok) throw new Error('it was refused')
  return printXml(result.value.cib)
}

test('a remote node gets an entry for its capacities, and a name that is no node gets none', () => {
  const values = { cpu: '8' }
  const text = textOf(
    autoUtilization(cib, [
      { node: 'r1', values },
      { node: 'n1', values },
      { node: 'n9', values },
    ]),
  )
  expect(text).toMatch(/<node id="r1" uname="r1" type="remote">\s*<utilization id="nodes-r1-utilization-auto">/)
  expect(text).toMatch(/<node id="1" uname="n1">\s*<utilization id="nodes-1-utilization-auto">/)
  expect(text).not.toContain('n9')
  expect(textOf(autoUtilization(cib, [{ node: 'r1', values: {} }]))).not.toContain('type="remote">')
  expect(textOf(withoutAutoUtilization(cib, ['r1']))).not.toContain('utilization')
})
