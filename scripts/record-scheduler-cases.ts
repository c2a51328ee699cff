/**
 * `npm run record:scheduler -- [--reference FILE] [--older FILE]`: asks Pacemaker's `crm_simulate` about the cases in test/scheduler/suite and writes its answers
 * beside them. The reference is one of Pacemaker 3; the older one only marks where it answers otherwise. Prints the cases in which this project's scheduler
 * differs without a reason, and fails then.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findReference, type Reference } from '../test/fuzz/reference.ts'
import {
  answerOf,
  cibOf,
  decide,
  moment,
  printRecording,
  type Recorded,
  type RecordedAnswer,
  type RecordedLevel,
  recordedLevels,
} from '../test/scheduler/suite/recorded.ts'
import { topics } from '../test/scheduler/suite/topics.ts'
import type { RuleCase } from '../test/scheduler/suite/words.ts'
import { readOptions, refuse } from './arguments.ts'

const values = readOptions({
  reference: { type: 'string', default: '/var/cache/systole/pcs/tools/crm_simulate' },
  older: { type: 'string', default: 'crm_simulate' },
})
const reference = findReference(values.reference)
if (reference === undefined)
  refuse(
    `Nothing was recorded: ${values.reference} cannot be run. 'bash scripts/install.sh pcs' unpacks Pacemaker 3 from Debian 13.`,
  )
if (reference.isOld) refuse(`Nothing was recorded: ${reference.version} is not Pacemaker 3.`)
const older = findReference(values.older)
if (older?.isOld !== true) refuse(`Nothing was recorded: ${values.older} is no crm_simulate of Pacemaker 2.`)

const folder = resolve(import.meta.dirname, '../test/scheduler/suite/recorded')
let different = 0
let marked = 0
mkdirSync(folder, { recursive: true })
for (const [topic, cases] of Object.entries(topics)) {
  const recorded = cases.map(record)
  writeFileSync(join(folder, `${topic}.txt`), printRecording(reference.version, recorded))
  marked += recorded.filter(({ otherwise }) => otherwise.length > 0).length
  console.log(`${topic}: ${cases.length} cases`)
}
reference.close()
older.close()
console.log(
  `${marked} cases are answered otherwise by ${older.version}; ${different} by this project without a reason.`,
)
process.exitCode = different > 0 ? 1 : 0

function ask(program: Reference, each: RuleCase): RecordedAnswer | string {
  const cib = structuredClone(cibOf(each)) as Parameters<Reference['simulate']>[0]
  cib.attributes['execution-date'] = String(moment)
  const answer = program.simulate(cib, [])
  return 'refused' in answer ? answer.refused : answerOf(answer, program.isOld)
}

function differing(one: RecordedAnswer, other: RecordedAnswer): readonly RecordedLevel[] {
  return recordedLevels.filter((level) => one[level].join('\n') !== other[level].join('\n'))
}

function record(each: RuleCase): Recorded {
  const theirs = ask(reference as Reference, each)
  const decided = decide(each)
  const ours = answerOf(decided)
  const isSame = typeof theirs !== 'string' && differing(ours, theirs).length === 0
  if (!isSame && each.differs === undefined) report(each, ours, theirs)
  if (isSame && each.differs !== undefined) refuse(`${each.name} does not differ: take its reason out.`)
  const before = ask(older as Reference, each)
  const loose = answerOf(decided, true)
  const otherwise = typeof before === 'string' ? [...recordedLevels] : differing(loose, before)
  return {
    name: each.name,
    answer: each.differs === undefined && typeof theirs !== 'string' ? theirs : ours,
    ours: each.differs,
    otherwise: otherwise.length > 0 ? [{ version: (older as Reference).version, levels: otherwise }] : [],
  }
}

function report(each: RuleCase, ours: RecordedAnswer, theirs: RecordedAnswer | string): void {
  different++
  console.log(`DIFFERENT ${each.name}`)
  if (typeof theirs === 'string') {
    console.log(`  refused by the reference: ${theirs}`)
    return
  }
  for (const level of differing(ours, theirs)) {
    console.log(`  ${level}`)
    for (const line of theirs[level].filter((told) => !ours[level].includes(told)))
      console.log(`    reference: ${line}`)
    for (const line of ours[level].filter((told) => !theirs[level].includes(told)))
      console.log(`    ours:      ${line}`)
  }
}
