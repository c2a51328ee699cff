/** A CIB keeps its schema, and Pacemaker takes what rules are written into it. */
import { expect, test } from 'vitest'
import { createDefaultsSet, createLocation, parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'

function cibOf(schema: string): XmlElement {
  const parsed = parseXml(
    `<cib validate-with="${schema}"><configuration><resources><primitive id="web"/></resources></configuration></cib>`,
  )
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return parsed.value
}

const inner = { kind: 'rule', rule: { id: '', booleanOp: 'or', conditions: [] } } as const
const rule = { booleanOp: 'and', conditions: [inner] } as const

const scoresIn = (schema: string): readonly string[] => {
  const made = createDefaultsSet(cibOf(schema), { of: 'resource', values: { priority: '1' }, rule })
  if (!made.ok) throw new Error('the set was refused')
  return [...printXml(made.value.cib).matchAll(/<rule [^>]*>/g)].map(([text]) => /score="(\w+)"/.exec(text)?.[1] ?? '-')
}

test('before the schema 3.9 every rule has a score, since then none that means nothing', () => {
  expect(scoresIn('pacemaker-3.8')).toEqual(['INFINITY', 'INFINITY'])
  expect(scoresIn('pacemaker-3.10')).toEqual(['-', '-'])
})

test('a score-attribute stands for the score', () => {
  const made = createLocation(cibOf('pacemaker-3.0'), {
    resource: { by: 'id', id: 'web' },
    where: { by: 'rule', rule: { ...rule, scoreAttribute: 'pingd' } },
  })
  if (!made.ok) throw new Error('the constraint was refused')
  const text = printXml(made.value.cib)
  expect(text).toMatch(/<rule id="location-web-rule" [^>]*score-attribute="pingd"/)
  expect(text.match(/ score="/g)).toHaveLength(1)
})
