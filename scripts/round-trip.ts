/**
 * Writes each of Pacemaker's scheduler cases as commands (`config --output-format cmd`), types them, and compares. The cases
 * are read where they lie, in ../shared; names of cases choose some of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseXml } from '../src/cib/index.ts'
import { roundTrip } from '../test/cli/round-trip.ts'

const folder = resolve(import.meta.dirname, '../../shared/pacemaker-scheduler/xml')
if (!existsSync(folder)) {
  console.error(`${folder} is not there: nothing was compared.`)
  process.exit(2)
}
const wanted = process.argv.slice(2)
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.xml'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace(/\.xml$/, '')))
  .sort()
let same = 0
let malformed = 0
let lines = 0
let asXml = 0
for (const name of cases) {
  const cib = parseXml(readFileSync(join(folder, name), 'utf8'))
  if (!cib.ok) {
    malformed++
    continue
  }
  const result = await roundTrip(cib.value)
  lines += result.lines.length
  asXml += result.asXml.length
  if (result.same) same++
  else console.log(`${name}: ${result.problem ?? 'another configuration'}`)
  if (wanted.length > 0) console.log(result.lines.join('\n'))
}
console.log(
  `${same} of ${cases.length - malformed} configurations are the same after ${lines} commands, of which ${asXml} put in XML.`,
)
process.exitCode = same === cases.length - malformed ? 0 : 1
