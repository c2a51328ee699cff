// Adds up the results of all suites and prints the one line that counts them: `N passed, N failed`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.argv[2]
const expected = ['quick.json', 'machine.json', 'conformance.json']
const found = readdirSync(folder)
let passed = 0
let failed = 0
for (const name of expected) {
  if (!found.includes(name)) {
    console.error(`The suite ${name.replace('.json', '')} left no result.`)
    failed += 1
    continue
  }
  const result = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  passed += result.numPassedTests
  failed +=
    result.numFailedTests +
    (result.numFailedTestSuites > 0 && result.numFailedTests === 0 ? result.numFailedTestSuites : 0)
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
