/** Whoever may read anything of a CIB may also write some megabytes to the daemon: nothing that reads them may take a time that grows with their square. */
import { expect, test } from 'vitest'
import { parseXml, validateCib } from '../../src/cib/index.ts'

/** Each took minutes where its rule was missing, and takes a second on a busy machine. */
const withinMs = 30_000

const repeated = (times: number, make: (number: number) => string): string =>
  Array.from({ length: times }, (_, number) => make(number)).join('')

const configuration = (resources: string, constraints = ''): string =>
  `<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources>${resources}</resources><constraints>${constraints}</constraints></configuration><status/></cib>`

test('an element with very many attributes is read', { timeout: withinMs }, () => {
  const parsed = parseXml(`<a ${repeated(200_000, (number) => `a${number}="" `)}/>`)
  expect(parsed.ok && Object.keys(parsed.value.attributes)).toHaveLength(200_000)
})

test('a long document on one line that only the parser can read is read', { timeout: withinMs }, () => {
  const parsed = parseXml(`<a><![CDATA[x]]>${'<b/>'.repeat(600_000)}</a>`)
  expect(parsed.ok && parsed.value.children).toHaveLength(600_001)
})

test('the place of an element is told in a document that only the parser can read', () => {
  const parsed = parseXml('<a><![CDATA[x]]>\n\n <b/>\n<c>\n</c><d/></a>')
  const places = parsed.ok ? parsed.value.children.flatMap((one) => (one.kind === 'element' ? [one.place] : [])) : []
  expect(places).toEqual([
    { line: 3, column: 2 },
    { line: 4, column: 1 },
    { line: 5, column: 5 },
  ])
})

test('a document in which nothing leads anywhere has a finding for each, and suggestions for the first', {
  timeout: withinMs,
}, () => {
  const definitions = repeated(
    6000,
    (number) =>
      `<template id="t${number}" class="ocf" provider="p" type="D"/><primitive id="p${number}" template="u${number}"/>`,
  )
  const parsed = parseXml(configuration(definitions))
  const reports = parsed.ok ? validateCib(parsed.value) : []
  const unknown = reports.filter(({ code }) => code === 'unknown-reference')
  expect(unknown).toHaveLength(6000)
  expect(unknown[0]).toMatchObject({ similar: ['t0'] })
})
