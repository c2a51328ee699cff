/** The parts of the differential fuzz test that need no reference: it draws, compares and judges as it says. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { cibLines, compareLines, outputLines } from './compare.ts'
import { createFuzz, runOurs, type Verdict } from './fuzz.ts'
import { grammarOfOurs } from './grammar/grammar.ts'
import { purposeOf } from './purposes.ts'
import type { Answer, Reference } from './reference.ts'
import { builtStarts, type Start } from './starts.ts'

let folder = ''
let built: readonly Start[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-pcs-test-'))
  built = await builtStarts()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

const fuzzBeside = (run: Reference['run']): ((seed: number) => Promise<Verdict>) =>
  createFuzz({
    reference: { version: 'a fake', run, complaintOf: () => Promise.resolve(undefined), close: () => undefined },
    built,
    suite: built,
    grammar: grammarOfOurs(),
    folder,
  })

test('beside itself the command line differs in nothing, and the same seed draws the same lines', async () => {
  const lines: string[] = []
  for (const seed of [1, 2, 3, 1]) {
    const { judged, unusable } = await fuzzBeside(runOurs)(seed)
    expect(unusable).toBe(false)
    expect(judged.flatMap(({ differences }) => differences)).toEqual([])
    lines.push(judged.map(({ line }) => line.join(' ')).join('\n'))
  }
  expect(lines[3]).toBe(lines[0])
  expect(new Set(lines).size).toBe(3)
})

test('a reference that refuses everything serves no comparison', async () => {
  const refusing = (): Promise<Answer> => Promise.resolve({ exitCode: 1, standardOutput: '', standardError: 'no' })
  expect((await fuzzBeside(refusing)(1)).unusable).toBe(true)
})

const cib = (inside: string): XmlElement => {
  const parsed = parseXml(`<cib epoch="1"><configuration>${inside}</configuration><status/></cib>`)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return parsed.value
}
const differs = (ours: string, theirs: string): boolean =>
  compareLines('cib', cibLines(cib(ours)), cibLines(cib(theirs))).length > 0
const set = (...pairs: readonly string[]): string => `<meta_attributes id="m">${pairs.join('')}</meta_attributes>`
const group = (inside: string): string => `<resources><group id="g">${inside}</group></resources>`
const [a, b] = ['<primitive id="a"/>', '<primitive id="b"/>']

const cases: readonly { readonly name: string; readonly pair: readonly [string, string]; readonly differs: boolean }[] =
  [
    { name: 'an empty section says nothing', pair: ['<tags/><resources/>', '<resources/>'], differs: false },
    { name: 'an id is compared', pair: ['<tags><tag id="x"/></tags>', '<tags><tag id="y"/></tags>'], differs: true },
    { name: 'the order of members is compared', pair: [group(a + b), group(b + a)], differs: true },
    {
      name: 'the order of pairs is not',
      pair: [
        group(set('<nvpair id="1" name="x"/>', '<nvpair id="2" name="y"/>')),
        group(set('<nvpair id="2" name="y"/>', '<nvpair id="1" name="x"/>')),
      ],
      differs: false,
    },
    {
      name: 'a pair’s id counts by 20 characters of the name',
      pair: [
        group(set('<nvpair id="m-cluster-recheck-interval" name="cluster-recheck-interval"/>')),
        group(set('<nvpair id="m-cluster-recheck-inte" name="cluster-recheck-interval"/>')),
      ],
      differs: false,
    },
  ]
for (const { name, pair, differs: wanted } of cases) test(name, () => expect(differs(...pair)).toBe(wanted))

test('JSON is compared by what it says, and commands by their words', () => {
  expect(outputLines('{"a":1,"b":2}')).toEqual(outputLines('{"b": 2, "a": 1}'))
  expect(outputLines("pcs -- tag create t \\\n  'a b';\npcs x")).toEqual(outputLines("pcs tag create t 'a b'\npcs x\n"))
  expect(outputLines('[1]')).not.toEqual(outputLines('[2]'))
})

test('only the refusal that is meant is counted as meant', () => {
  const differences = [{ aspect: 'exit', onlyOurs: [], onlyTheirs: [] }] as const
  const answer = (exitCode: number, standardError: string): Answer => ({ exitCode, standardError, standardOutput: '' })
  const why = (theirs: Answer, ours: Answer): string | undefined =>
    purposeOf(['constraint', 'order', 'a', 'then', 'a'], differences, { ours, theirs })
  expect(why(answer(0, ''), answer(1, "Error: 'a' cannot refer to itself."))).toMatch(/could not do/)
  expect(why(answer(0, ''), answer(1, "Error: There is no resource 'a'."))).toBeUndefined()
  expect(why(answer(1, 'something else'), answer(0, ''))).toBeUndefined()
})
