/**
 * The "Current cluster status" of every case of Pacemaker's scheduler suite, as `crm_simulate` prints it. White space does
 * not count. Every case passes; one that no longer does fails this test by name.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defined } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { parseMoment, printClusterStatus, printSummaryHeader, readStatus, utc } from '../../src/status/index.ts'
import { havePacemakerCases, pacemakerSuite } from '../support/pacemaker-cases.ts'

const suite = pacemakerSuite

interface Case {
  readonly name: string
  /** Of the four cases that are run for a date of their own. */
  readonly date: string | undefined
}

function cases(): readonly Case[] {
  const rows = readFileSync(new URL('cases.tsv', suite), 'utf8').trim().split('\n').slice(1)
  return rows.map((row) => {
    const [name = '', , , , parameters = ''] = row.split('\t')
    return { name, date: /^-t\|(.*)$/.exec(parameters)?.[1] }
  })
}

function actualStatus({ name, date }: Case): string {
  const document = parseXml(readFileSync(new URL(`xml/${name}.xml`, suite), 'utf8'))
  if (!document.ok) throw new Error(`${name}: ${document.reports[0]?.message}`)
  const cib = document.value
  const recorded = cib.attributes['execution-date']
  const now =
    date === undefined
      ? Number(recorded ?? Math.floor(Date.now() / 1000))
      : defined(parseMoment(date, { now: 0, utcOffsetAt: utc }), date)
  const status = readStatus({ cib, configuration: readConfiguration(cib), now })
  return `${printSummaryHeader(status)}Current cluster status:\n${printClusterStatus(status)}`
}

/** What stands above the status and is not its business: the date of the run, and remarks on the schema. */
const otherLines = /^(Using the original execution date|Setting effective cluster time|Schema validation of)/

function expectedStatus({ name }: Case): string {
  const summary = readFileSync(new URL(`summary/${name}.summary`, suite), 'utf8')
  return summary.slice(0, summary.indexOf('Transition Summary:'))
}

function comparable(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '' && !otherLines.test(line))
    .join('\n')
}

test.runIf(havePacemakerCases)('the shared scheduler cases are whole', () => {
  expect(cases().length).toBe(readdirSync(new URL('xml/', suite)).length)
})

test.runIf(havePacemakerCases)(
  'the current status of every shared scheduler case is told as Pacemaker tells it',
  { timeout: 240_000 },
  () => {
    const different = cases()
      .filter((one) => comparable(actualStatus(one)) !== comparable(expectedStatus(one)))
      .map(({ name }) => name)
    expect(different).toEqual([])
  },
)
