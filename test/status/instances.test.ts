/** A number with some zeros too many: what every daemon makes a list of, and every scheduler places one by one, has an end. */
import { expect, test } from 'vitest'
import { describeFinding, parseXml, readConfiguration, validateCib } from '../../src/cib/index.ts'
import { connectedNodeNames, readStatus, utc } from '../../src/status/index.ts'

const cibOf = (resources: string) => {
  const parsed = parseXml(`<cib validate-with="pacemaker-3.9" have-quorum="1"><configuration><crm_config/>
    <nodes><node id="1" uname="n1"/></nodes><resources>${resources}</resources><constraints/></configuration><status/></cib>`)
  if (!parsed.ok) throw new Error('bad test')
  return parsed.value
}

const primitive = '<primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/>'
const bundle = (replicas: string): string =>
  `<bundle id="b"><podman image="i" replicas="${replicas}"/><network control-port="3121"/>${primitive}</bundle>`
const clone = (most: string): string =>
  `<clone id="c"><meta_attributes id="m"><nvpair id="n" name="clone-max" value="${most}"/></meta_attributes>${primitive}</clone>`

const errorsIn = (resources: string): readonly string[] =>
  validateCib(cibOf(resources)).flatMap((report) => (report.severity === 'error' ? [describeFinding(report)] : []))

test('a thousand instances of a clone or a bundle may be asked for, and no more', () => {
  expect([...errorsIn(clone('1000')), ...errorsIn(bundle('1000'))]).toEqual([])
  expect(errorsIn(clone('1001'))).toEqual([expect.stringContaining('a whole number from 0 to 1000')])
  expect(errorsIn(bundle('1001'))).toEqual([expect.stringContaining('a whole number from 1 to 1000')])
})

test('more that an older version has let in are a thousand', () => {
  const cib = cibOf(bundle('100000000'))
  const configuration = readConfiguration(cib)
  expect(connectedNodeNames(configuration)).toHaveLength(1000)
  const many = cibOf(clone('1000000'))
  const { resources } = readStatus({ cib: many, configuration: readConfiguration(many), now: 0, utcOffsetAt: utc })
  expect(resources[0]).toMatchObject({ kind: 'clone', cloneMax: 1000 })
})
