// Adds up the results of all suites and prints as the last line how many tests there were: `N passed, N failed`. A long run is often read
// from its end, so it names each failed test there with its error, and each that passed only when its file was run again: that is
// a defect to look for, though it refuses nobody's change. What was not run is named as well: most of it reads Pacemaker's own cases in ../shared, which are not the
// project's to pass on.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = process.argv[2]
const suites = ['shared', 'apart', 'machine', 'conformance']
let passed = 0
let failed = 0

/** Of a command that failed, what it has said stands on the lines after the first. */
function errorOf(text) {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.slice(0, 8).join(' | ').slice(0, 1500)
}

const read = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
const failuresIn = ({ assertionResults, message, name, status }) => {
  const tests = assertionResults.filter((test) => test.status === 'failed')
  if (tests.length > 0) return tests.map((test) => `${test.fullName}: ${errorOf(test.failureMessages[0])}`)
  return status === 'failed' ? [`${relative('.', name)}: ${errorOf(message)}`] : []
}

for (const suite of suites) {
  if (!existsSync(join(folder, `${suite}.json`))) {
    console.error(`The suite ${suite} left no result.`)
    failed += 1
    continue
  }
  const first = read(suite)
  if (first.testResults === undefined) {
    passed += first.numPassedTests
    failed += first.numFailedTests
    continue
  }
  const again = existsSync(join(folder, `${suite}-again.json`)) ? read(`${suite}-again`).testResults : []
  for (const result of first.testResults) {
    const last = again.find(({ name }) => name === result.name) ?? result
    const failures = failuresIn(last)
    for (const failure of failures) console.log(`FAILED ${failure}`)
    if (last !== result)
      for (const failure of failuresIn(result))
        console.log(`${failures.length > 0 ? 'FAILED BEFORE, TOO' : 'PASSED ONLY AT THE SECOND TRY'} ${failure}`)
    const count = (status) => last.assertionResults.filter((test) => test.status === status).length
    const skipped = count('skipped') + count('pending')
    if (skipped > 0)
      console.log(`NOT RUN ${skipped} of ${last.assertionResults.length} in ${relative('.', result.name)}`)
    passed += count('passed')
    failed += failures.length
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
