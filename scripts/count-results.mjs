// Adds up the results of all suites and prints as the last line how many tests there were: `N passed, N failed`. A long run is often read
// from its end, so it names each failed test there with the first line of its error, and each that passed only when it was tried again: that is
// a defect to look for, though it refuses nobody's change. What was not run is named as well: most of it reads Pacemaker's own cases in ../shared, which are not the
// project's to pass on.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = process.argv[2]
const expected = ['quick.json', 'machine.json', 'conformance.json']
const found = readdirSync(folder)
let passed = 0
let failed = 0

const firstLine = (text) => (text ?? '').split('\n')[0]

function nameTroubles({ testResults = [] }) {
  for (const { assertionResults, message, name, status } of testResults) {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    const skipped = assertionResults.filter((test) => test.status === 'skipped' || test.status === 'pending').length
    if (skipped > 0) console.log(`NOT RUN ${skipped} of ${assertionResults.length} in ${relative('.', name)}`)
    for (const { failureMessages, fullName, status: outcome } of assertionResults)
      if (outcome === 'passed' && failureMessages?.length > 0)
        console.log(`PASSED ONLY AT THE SECOND TRY ${fullName}: ${firstLine(failureMessages[0])}`)
    for (const test of tests) console.log(`FAILED ${test.fullName}: ${firstLine(test.failureMessages[0])}`)
    if (status === 'failed' && tests.length === 0) console.log(`FAILED ${name}: ${firstLine(message)}`)
  }
}
for (const name of expected) {
  if (!found.includes(name)) {
    console.error(`The suite ${name.replace('.json', '')} left no result.`)
    failed += 1
    continue
  }
  const result = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  nameTroubles(result)
  passed += result.numPassedTests
  failed +=
    result.numFailedTests +
    (result.numFailedTestSuites > 0 && result.numFailedTests === 0 ? result.numFailedTestSuites : 0)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
