/**
 * The scores of every case of Pacemaker's scheduler suite, as `crm_simulate --show-scores` prints them. The order of lines
 * and white space do not count.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { defined } from '../../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../../src/cib/index.ts'
import { assignResources } from '../../../src/scheduler/assign.ts'
import { printScores } from '../../../src/scheduler/print-scores.ts'
import { parseMoment, readStatus, utc } from '../../../src/status/index.ts'
import { havePacemakerCases, pacemakerSuite } from '../../support/pacemaker-cases.ts'

const suite = pacemakerSuite

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

function scores(name: string, date: string | undefined): string {
  const document = parseXml(readFileSync(new URL(`xml/${name}.xml`, suite), 'utf8'))
  if (!document.ok) throw new Error(`${name}: ${document.reports[0]?.message}`)
  const cib = document.value
  const now =
    date === undefined
      ? Number(cib.attributes['execution-date'] ?? Math.floor(Date.now() / 1000))
      : defined(parseMoment(date, { now: 0, utcOffsetAt: utc }), date)
  const status = readStatus({ cib, configuration: readConfiguration(cib), now, md5 })
  const assignment = assignResources(status, { holds: status.ruleHolds, showScores: true, explain: false })
  return comparable(printScores(assignment.scores, status.nodes))
}

const comparable = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .sort()
    .join('\n')

test.runIf(havePacemakerCases)('the shared scheduler cases are whole', () => {
  expect(readdirSync(new URL('scores/', suite)).length).toBeGreaterThan(600)
})

test.runIf(havePacemakerCases)(
  'the scores of every shared scheduler case are those of Pacemaker',
  { timeout: 120_000 },
  () => {
    const rows = readFileSync(new URL('cases.tsv', suite), 'utf8').trim().split('\n').slice(1)
    const failed = rows.flatMap((row) => {
      const [name = '', , , , parameters = ''] = row.split('\t')
      const expected = comparable(readFileSync(new URL(`scores/${name}.scores`, suite), 'utf8'))
      return scores(name, /^-t\|(.*)$/.exec(parameters)?.[1]) === expected ? [] : [name]
    })
    expect(failed).toEqual([])
  },
)
