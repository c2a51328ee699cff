/**
 * `npm run fuzz:scheduler -- --seeds N --seed S`: the scheduler beside an installed `crm_simulate` on randomly changed cases of
 * ../shared/pacemaker-scheduler. Prints what differs, and how often which changes led to it. `--seeds 1 --seed S` repeats one. Another
 * `crm_simulate` is named by `--reference`: one of Pacemaker 3 is compared to the word, an older one only where versions agree.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printXml, type XmlElement } from '../src/cib/index.ts'
import { levels } from '../test/fuzz/answer.ts'
import { readCases, suite } from '../test/fuzz/cases.ts'
import { createFuzz, drawMutations, froms, mutations, type Verdict } from '../test/fuzz/fuzz.ts'
import { createRandom } from '../test/fuzz/random.ts'
import { findReference } from '../test/fuzz/reference.ts'
import { oneOf, readOptions, refuse, someOf, wholeNumber } from './arguments.ts'

const values = readOptions({
  seeds: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  cases: { type: 'string', default: '' },
  mutations: { type: 'string' },
  levels: { type: 'string', default: 'status,scores,transition,actions,revised,graph,saved' },
  shrink: { type: 'boolean', default: false },
  lines: { type: 'string', default: '6' },
  save: { type: 'string' },
  reference: { type: 'string', default: 'crm_simulate' },
  questions: { type: 'string', default: 'true' },
  from: { type: 'string' },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run fuzz:scheduler -- [--seeds N] [--seed S]   how many, from which on; --seeds 1 --seed S repeats one
  --reference FILE      another crm_simulate; one of Pacemaker 3 is compared to the word
  --cases TEXT          only cases whose name contains it
  --mutations A,B       only changes whose name begins so: ${mutations.map(({ name }) => name).join(' ')}
  --from ${froms.join('|')}     two cases as one cluster, or one written with the names of an old schema
  --questions false     never ask a what-if question as well
  --levels A,B          of ${levels.join(' ')}
  --shrink              reduce what differs; --save FOLDER: keep its CIB; --lines N: show more of it`)
  process.exit(0)
}

const [first, count] = [wholeNumber('seed', values.seed), wholeNumber('seeds', values.seeds)]
const shown = wholeNumber('lines', values.lines)
const asked = {
  levels: someOf('levels', values.levels, levels),
  asks: oneOf('questions', values.questions, ['true', 'false']) === 'true',
  from: oneOf('from', values.from, froms),
}
if (values.mutations !== undefined && drawMutations(createRandom(1), values.mutations).length === 0)
  refuse(`No change's name begins with '${values.mutations}'. --help tells them.`)
if (!existsSync(suite)) refuse(`Nothing was compared: ${suite} does not exist.`)
const cases = readCases(values.cases)
if (cases.length === 0) refuse(`No case has '${values.cases}' in its name.`)
const reference = findReference(values.reference)
if (reference === undefined)
  refuse(`Nothing was compared: ${values.reference} cannot be run (Debian: pacemaker-cli-utils).`)

const totals = { same: 0, unusable: 0, refused: 0, different: 0 }
const causes = new Map<string, number[]>()
const refusals = new Map<string, number[]>()
const fuzz = createFuzz({
  ...asked,
  reference,
  cases,
  only: values.mutations,
  shrinks: values.shrink,
})
try {
  for (let seed = first; seed < first + count; seed++) {
    const verdict = fuzz(seed)
    totals[verdict.kind]++
    if (verdict.kind === 'different') report(seed, verdict)
    if (verdict.kind === 'refused') refusals.set(verdict.why, [...(refusals.get(verdict.why) ?? []), seed])
  }
} finally {
  reference.close()
}
for (const [cause, seeds] of [...causes].sort((a, b) => b[1].length - a[1].length))
  console.log(`${String(seeds.length).padStart(4)}  ${cause}: seeds ${seeds.slice(0, 12).join(' ')}`)
for (const [why, seeds] of refusals)
  console.log(
    `${String(seeds.length).padStart(4)}  refused by the reference: ${why}: seeds ${seeds.slice(0, 5).join(' ')}`,
  )
const compared = totals.same + totals.different
console.log(
  `${compared} changed cases beside ${reference.version}: ${totals.different} differ; ` +
    `${totals.unusable} seeds met a case that differs unchanged, ${totals.refused} a CIB that was refused.`,
)
if (compared === 0 && count > 0) refuse('Nothing was compared: no case served.')
process.exitCode = totals.different > 0 ? 1 : 0

function report(seed: number, verdict: Extract<Verdict, { readonly kind: 'different' }>): void {
  const [worst] = verdict.differences
  if (worst === undefined) return
  const cause = `${worst.level} after ${[...new Set(verdict.mutations)].sort().join(' + ')}`
  causes.set(cause, [...(causes.get(cause) ?? []), seed])
  console.log(`seed ${seed}, ${verdict.case}: ${verdict.changes.join('; ')}`)
  for (const { level, onlyOurs, onlyTheirs } of verdict.differences.slice(0, 2)) {
    console.log(`  ${level}`)
    for (const line of onlyTheirs.slice(0, shown)) console.log(`    reference: ${line}`)
    for (const line of onlyOurs.slice(0, shown)) console.log(`    ours:      ${line}`)
  }
  if (values.save === undefined) return
  mkdirSync(values.save, { recursive: true })
  writeFileSync(join(values.save, `${seed}-${verdict.case}.xml`), printXml(verdict.cib as XmlElement))
}
