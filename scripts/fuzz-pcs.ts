/**
 * `npm run fuzz:pcs -- --seeds N --seed S`: pcs's lines typed here and at a real pcs, with `-f` on copies of a configuration. Prints what differs,
 * and how often in which commands. `--seeds 1 --seed S` repeats one. Another pcs is named by `--reference`.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shellLine, splitShellLine } from '../src/cli/shell-words.ts'
import { createFuzz, type Judged, typeLines } from '../test/pcs/fuzz.ts'
import { findReference } from '../test/pcs/reference.ts'
import { builtStarts, suiteStarts } from '../test/pcs/starts.ts'
import { readOptions, refuse, wholeNumber } from './arguments.ts'

const values = readOptions({
  seeds: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  reference: { type: 'string' },
  file: { type: 'string' },
  only: { type: 'string', default: '' },
  lines: { type: 'string', default: '8' },
  errors: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run fuzz:pcs -- [--seeds N] [--seed S]   how many, from which on; --seeds 1 --seed S repeats one
  --reference FOLDER    another pcs than that of scripts/install.sh pcs: the folder that holds Python's package pcs
  --file FILE           lines of one's own instead of drawn ones, without 'pcs', on a configuration that is built by lines
  --only TEXT           show only lines that contain it
  --errors              show what both say to what both refuse
  --lines N             show more of a difference`)
  process.exit(0)
}

const [first, count] = [wholeNumber('seed', values.seed), wholeNumber('seeds', values.seeds)]
const shown = wholeNumber('lines', values.lines)
if (values.file !== undefined && !existsSync(values.file)) refuse(`There is no file '${values.file}'.`)
const reference = await findReference(values.reference)
if (reference === undefined)
  refuse('Nothing was compared: no pcs can be imported. As root, bash scripts/install.sh pcs gets one.')

const commandWords = new Set(
  'acl add alert assign attribute avoids ban bundle cib clear clone cluster colocation config constraint create defaults delete disable enable group level list location maintenance manage meta move-with-constraint node op order permission prefers promotable property recipient ref relations remove resource role rule set standby status stonith tag then ticket unassign unclone ungroup unmaintenance unmanage unset unstandby update user utilization with'.split(
    ' ',
  ),
)
const totals = { lines: 0, same: 0, meant: 0, unusable: 0 }
const places = new Map<string, { lines: number; seeds: Set<number> }>()
const purposes = new Map<string, number>()
const folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-pcs-'))
const fuzz = { reference, built: await builtStarts(), suite: suiteStarts(), folder }
const draw = createFuzz(fuzz)
try {
  if (values.file !== undefined) for (const line of await typed(values.file)) judgeLine(values.file, 0, line)
  else
    for (let seed = first; seed < first + count; seed++) {
      const { start, unusable, judged } = await draw(seed)
      if (unusable) totals.unusable++
      for (const line of judged) judgeLine(`seed ${seed}, ${start}`, seed, line)
    }
} finally {
  reference.close()
  rmSync(folder, { recursive: true, force: true })
}
for (const [place, { lines, seeds }] of [...places].sort((a, b) => b[1].lines - a[1].lines))
  console.log(`${String(lines).padStart(4)}  ${place}: seeds ${[...seeds].slice(0, 12).join(' ')}`)
for (const [purpose, lines] of purposes) console.log(`${String(lines).padStart(4)}  meant: ${purpose}`)
const different = totals.lines - totals.same - totals.meant
console.log(
  `${totals.lines} lines beside pcs ${reference.version}: ${totals.same} the same, ${totals.meant} differ as they are meant to, ` +
    `${different} differ; ${totals.unusable} seeds met a configuration that it does not take.`,
)
if (totals.lines === 0 && count > 0) refuse('Nothing was compared: no line was typed on both sides.')
process.exitCode = different > 0 ? 1 : 0

async function typed(file: string): Promise<readonly Judged[]> {
  const lines = readFileSync(file, 'utf8').split('\n')
  const written = lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map(splitShellLine)
  return (await typeLines(fuzz, written)).judged
}

function judgeLine(where: string, seed: number, judged: Judged): void {
  const { line, differences, purpose, ours, theirs } = judged
  const text = shellLine(line)
  totals.lines++
  if (values.errors && ours.exitCode !== 0 && theirs.exitCode !== 0 && text.includes(values.only))
    console.log(
      `${text}\n    reference: ${theirs.standardError.trimEnd()}\n    ours:      ${ours.standardError.trimEnd()}`,
    )
  if (differences.length === 0) {
    totals.same++
    return
  }
  if (purpose !== undefined) {
    totals.meant++
    purposes.set(purpose, (purposes.get(purpose) ?? 0) + 1)
    return
  }
  const place = `${commandOf(line)}: ${differences.map(({ aspect }) => aspect).join(' ')}`
  const known = places.get(place) ?? { lines: 0, seeds: new Set() }
  places.set(place, { lines: known.lines + 1, seeds: known.seeds.add(seed) })
  if (!text.includes(values.only)) return
  console.log(`${where}: ${text}`)
  for (const { aspect, onlyOurs, onlyTheirs } of differences) {
    console.log(`  ${aspect}`)
    for (const part of onlyTheirs.slice(0, shown)) console.log(`    reference: ${part}`)
    for (const part of onlyOurs.slice(0, shown)) console.log(`    ours:      ${part}`)
  }
}

/** The words that pcs itself knows: names and values are left out. */
function commandOf(line: readonly string[]): string {
  const words = line.slice(0, 4).filter((word) => commandWords.has(word))
  const format = line.indexOf('--output-format')
  return [...words, ...(format < 0 ? [] : [line[format + 1] ?? ''])].join(' ')
}
