/** Lines that a grammar permits, and lines with a slip that it does not. */
import type { Draw } from '../draw.ts'
import type { Grammar } from './notation.ts'
import { makerOf } from './slots.ts'

export function derive(grammar: Grammar, draw: Draw): readonly string[] {
  switch (grammar.kind) {
    case 'text':
      return grammar.text === '' ? [] : [grammar.text]
    case 'slot': {
      const make = makerOf(grammar.name)
      if (make === undefined)
        throw new Error(`Nothing is known to be written for <${grammar.name}>: test/pcs/grammar/slots.ts`)
      return make(draw)
    }
    case 'optional':
      return draw.chance(40) ? derive(grammar.inner, draw) : []
    case 'repeated': {
      const times = draw.chance(60) ? 1 : draw.chance(70) ? 2 : 3
      return Array.from({ length: times }, () => derive(grammar.inner, draw)).flat()
    }
    case 'choice':
      return derive(
        grammar.of[Number(draw.one(...grammar.of.map((_, index) => String(index))))] ?? { kind: 'text', text: '' },
        draw,
      )
    case 'sequence':
      return grammar.parts.flatMap((part) => derive(part, draw))
    case 'joined':
      return grammar.parts.map((part) => derive(part, draw)).reduce(joinWords, [])
  }
}

/** The last word of one and the first of the other are one word. */
function joinWords(left: readonly string[], right: readonly string[]): readonly string[] {
  const [last, first] = [left.at(-1), right[0]]
  if (last === undefined || first === undefined) return [...left, ...right]
  return [...left.slice(0, -1), last + first, ...right.slice(1)]
}

/** A word too many or too few, another value, an option that nobody knows: what people type, and what answers are worth comparing of. */
export function slip(line: readonly string[], named: number, draw: Draw): readonly string[] {
  const at =
    named + Number(draw.one(...Array.from({ length: Math.max(1, line.length - named) }, (_, index) => String(index))))
  const word = line[at] ?? ''
  const [before, after] = [line.slice(0, at), line.slice(at + 1)]
  return draw.piece(
    [...before, ...after],
    [...before, word, word, ...after],
    [...before, draw.one('nosuch', '1bad', '', 'a=b', '=x', 'x='), ...after],
    [...line, '--force'],
    [...line, draw.one('--nosuch', 'extra', 'nosuch=1', '--wait', '--full', '--name=x')],
    word.includes('=') ? [...before, `${word.split('=')[0]}=`, ...after] : [...line.slice(0, named)],
    word.includes('=') ? [...before, `${word.split('=')[0]}=${odd(draw)}`, ...after] : [...before, odd(draw), ...after],
    [...line.slice(0, at), '--', ...line.slice(at)],
  )
}

/** Values that stand at the edge of what is read: signs, zeros, units, blanks, what XML or a shell takes for its own, other scripts. */
const odd = (draw: Draw): string =>
  draw.one(
    '+5',
    '-0',
    '007',
    '99999999999',
    '1.5',
    '1e3',
    ' 5 ',
    '10 s',
    '10S',
    '5 min',
    '1h',
    'PT5M',
    '+INFINITY',
    'Infinity',
    'TRUE',
    'Yes',
    'on',
    'a&b<c>"d"\'e\'',
    'two  blanks',
    'a=b=c',
    '%n',
    'größe',
    'id%x',
    ':',
    'a:b',
    '#uname',
    '.x',
    '_x',
  )
