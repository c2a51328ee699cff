// Prints the test files that failed in a run, a line each, for a second try. Nothing where so many failed that a second try would tell nothing new.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const mostTriedAgain = 4
const [report] = process.argv.slice(2)
const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name))
if (failed.length <= mostTriedAgain) for (const name of failed) console.log(name)
