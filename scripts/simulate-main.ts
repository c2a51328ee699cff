/**
 * The scheduler as a program of its own, for the conformance suite and the benchmark: `--batch` answers lines of file
 * names, `--simulate --xml-file F` prints one simulation as `crm_simulate` does.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { answerLine, type Surroundings, simulateFile } from '../src/scheduler/simulate/batch.ts'

const around: Surroundings = {
  md5: (text) => createHash('md5').update(text, 'utf8').digest('hex'),
  readFile: (path) => readFileSync(path, 'utf8'),
  now: () => Math.floor(Date.now() / 1000),
  ticks: () => performance.now(),
}

const { values } = parseArgs({
  options: {
    batch: { type: 'boolean', default: false },
    simulate: { type: 'boolean', default: false },
    'show-scores': { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    'save-graph': { type: 'string' },
    'xml-file': { type: 'string' },
    'set-datetime': { type: 'string', short: 't' },
  },
})

if (values.batch) {
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${answerLine(line, around)}\n`)
} else {
  const file = values['xml-file']
  if (file === undefined) throw new Error('Say which CIB: --xml-file FILE, or --batch for many.')
  const date = values['set-datetime']
  const texts = simulateFile({ file, showScores: values['show-scores'], ...(date !== undefined && { date }) }, around)
  if (values['save-graph'] !== undefined) writeFileSync(values['save-graph'], texts.graph())
  process.stdout.write(values['show-scores'] && values.quiet ? texts.scores() : texts.summary)
}
