import { expect, test } from 'vitest'
import { createRandom } from '../../fuzz/random.ts'
import { createDraw } from '../draw.ts'
import { namesIn } from '../names.ts'
import { derive } from './derive.ts'
import { grammarOfOurs, usagesIn } from './grammar.ts'
import { parseUsage, slotsOf } from './notation.ts'
import { isBareSlot, makerOf } from './slots.ts'

const names = namesIn({ kind: 'element', name: 'cib', attributes: {}, children: [] })

/** All lines that some seeds make of it. */
function linesOf(usage: string): ReadonlySet<string> {
  const grammar = parseUsage(usage, isBareSlot)
  const seeds = Array.from({ length: 60 }, (_, seed) => createDraw(names, createRandom(seed)))
  return new Set(seeds.map((draw) => derive(grammar, draw).join(' ')))
}

const usages: readonly { readonly usage: string; readonly lines: readonly string[] }[] = [
  { usage: 'a [b] c', lines: ['a b c', 'a c'] },
  { usage: 'a b|c', lines: ['a b', 'a c'] },
  { usage: '[a b | c]', lines: ['', 'a b', 'c'] },
  { usage: '(a | b) c', lines: ['a c', 'b c'] },
  { usage: 'a...', lines: ['a', 'a a', 'a a a'] },
  { usage: 'x[:y]', lines: ['x', 'x:y'] },
  { usage: 'f text|json [g]', lines: ['f json', 'f json g', 'f text', 'f text g'] },
]
for (const { usage, lines } of usages) test(usage, () => expect([...linesOf(usage)].sort()).toEqual(lines))

test('what stands for something is drawn, with `<>` and without', () => {
  expect(slotsOf(parseUsage('<a b> [destination node] [--wait[=n]] [node]', isBareSlot))).toEqual([
    'a b',
    'destination node',
    'n',
    'node',
  ])
})

test('the usage of pcs is read without what it explains', () => {
  const help = `Usage: x\n\nCommands:\n    [config] [--all]\n        Lists.\n\n    add <id>\n            [to <x>]\n        Adds\n          this\n\nExamples:\n    add it`
  expect(usagesIn(help)).toEqual(['[config] [--all]', 'add <id> [to <x>]'])
})

test('of each command of ours it is known what is written for each of its words', () => {
  const unknown = grammarOfOurs().flatMap(({ name, rest }) =>
    slotsOf(rest).flatMap((slot) => (makerOf(slot) === undefined ? [`${name}: <${slot}>`] : [])),
  )
  expect(unknown).toEqual([])
})
