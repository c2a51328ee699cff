import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { composeCib, describeCibReport, element, parseXml, printXml, validateCib } from '../../src/cib/index.ts'

const n1 = nodeName('n1')

test('an attribute with a control character, as an older build stored it, leaves the CIB readable', () => {
  const cib = composeCib({
    configuration: element('cib', {}, [
      element('configuration', {}, [element('nodes', {}, [element('node', { id: '1', uname: 'n1' })])]),
    ]),
    nodeStates: [],
    operations: [],
    tickets: [],
    shutdownLocks: [],
    transientAttributes: [{ node: n1, set: 'status-1', name: 'bad\u0001', value: 'a\u0001b\u001b[2J\ud800c' }],
  })
  const read = parseXml(printXml(cib))
  expect(read.ok ? 'readable' : read.reports).toBe('readable')
  expect(read.ok && printXml(read.value)).toContain('value="a\ufffdb\ufffd[2J\ufffdc"')
})

test('what XML can carry and a terminal would obey is printed as its number, and read again as it was', () => {
  const document = element('a', { value: 'x\u009b31m\u202ey\u007f\r\n\t"&<>👍' }, [
    { kind: 'text', text: 'x\u0085\u2066 "👍"\n\t&' },
  ])
  const printed = printXml(document)
  expect(printed).toContain('value="x&#x9B;31m&#x202E;y&#x7F;&#13;&#10;&#9;&quot;&amp;&lt;&gt;👍"')
  const read = parseXml(printed)
  expect(read.ok && read.value.attributes).toEqual(document.attributes)
  expect(read.ok && read.value.children).toEqual(document.children)
})

test('a value with a control character is a mistake of the CIB', () => {
  const cib = element('cib', {}, [
    element('configuration', {}, [
      element('crm_config', {}, [
        element('cluster_property_set', { id: 's' }, [
          element('nvpair', { id: 'n', name: 'cluster-name', value: 'a\u0001' }),
        ]),
      ]),
    ]),
  ])
  expect(validateCib(cib).map((report) => `${report.severity}: ${describeCibReport(report)}`)).toEqual([
    "error: /cib/configuration/crm_config/cluster_property_set[@id='s']/nvpair[@id='n']: The attribute 'value' holds the control character U+0001, which a CIB cannot hold.",
  ])
})
