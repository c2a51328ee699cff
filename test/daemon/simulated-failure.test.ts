/** crm_resource --fail: what is recorded, and what the scheduler makes of it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import {
  composeCib,
  type OperationRecord,
  parseXml,
  splitCib,
  type TransientAttributeRecord,
} from '../../src/cib/index.ts'
import { simulatedFailure } from '../../src/daemon/records/simulated-failure.ts'
import { simulateCib } from '../../src/scheduler/index.ts'

const parsed = parseXml(readFileSync(join(import.meta.dirname, '../tools/cases/cluster.xml'), 'utf8'))
if (!parsed.ok) throw new Error('the case cannot be read')
const before = splitCib(parsed.value)
const view = {
  operations: new Map(before.operations.map((record) => [`${record.node}/${record.recordId}`, record])),
  attributes: new Map(before.transientAttributes.map((record) => [`${record.node}/${record.name}`, record])),
}
const now = 1_763_719_300

function summaryOf(operations: readonly OperationRecord[], attributes: readonly TransientAttributeRecord[]): string {
  const cib = composeCib({ ...before, operations, transientAttributes: attributes })
  const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
  const show = { attributes: false, failCounts: false, utilization: false }
  const asked = { cib, now, md5, showScores: false, isSanitized: true, keepsResult: false, failures: [], whatIf: {} }
  return simulateCib({ ...asked, planOnly: true, show }).summary
}

test('a resource that has failed by an administrator’s word is counted and recovered', () => {
  const writes = simulatedFailure(view, { resource: 'vip', node: nodeName('beta') }, now)
  const values = writes.flatMap((write) =>
    write.kind === 'put' ? [JSON.parse(Buffer.from(write.value).toString('utf8')) as object] : [],
  )
  const records = values.filter((value): value is OperationRecord => 'recordId' in value)
  expect(records.map(({ recordId }) => recordId)).toEqual(['vip_last_failure_0', 'vip_last_0'])
  expect(records[0]?.attributes).toMatchObject({ 'rc-code': '1', 'exit-reason': 'Simulated failure' })
  const counts = values.filter((value): value is TransientAttributeRecord => 'name' in value)
  expect(counts).toContainEqual(expect.objectContaining({ name: 'fail-count-vip#asyncmon_0', value: '1' }))
  const ids = new Set(records.map(({ recordId }) => recordId))
  const kept = before.operations.filter(({ node, recordId }) => node !== 'beta' || !ids.has(recordId))
  expect(summaryOf(before.operations, before.transientAttributes)).not.toContain('Recover    vip')
  expect(summaryOf([...kept, ...records], [...before.transientAttributes, ...counts])).toMatch(/Recover +vip/)
})

test('what a node never ran cannot have failed there', () => {
  expect(simulatedFailure(view, { resource: 'vip', node: nodeName('gamma') }, now)).toEqual([])
})
