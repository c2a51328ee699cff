/** Values of a bundle that the schema lets through, or refuses in words of its own. */
import { type Call, Refusal } from '../command.ts'
import type { Message } from '../message.ts'
import { parsePairs, splitSections } from '../words.ts'

interface Rule {
  readonly takes: (value: string) => boolean
  readonly wanted: string
  /** --force takes other values. */
  readonly forced?: boolean
}

const within =
  (from: number, to: number) =>
  (value: string): boolean =>
    /^[+-]?\d+$/.test(value) && Number(value) >= from && Number(value) <= to

const port: Rule = { takes: within(1, 65535), wanted: 'a port number (1..65535)' }
const positive: Rule = { takes: within(1, Number.POSITIVE_INFINITY), wanted: 'a positive integer' }
const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  container: {
    replicas: positive,
    'replicas-per-host': positive,
    'promoted-max': { takes: within(0, Number.POSITIVE_INFINITY), wanted: 'a non-negative integer' },
  },
  network: {
    'control-port': port,
    'host-netmask': { takes: within(1, 32), wanted: 'a number of bits of the mask (1..32)', forced: true },
  },
  'storage-map': {
    'source-dir': { takes: (value) => value !== '', wanted: 'a path' },
    'source-dir-root': { takes: (value) => value !== '', wanted: 'a path' },
    'target-dir': { takes: (value) => value !== '', wanted: 'a path' },
  },
  'port-map': {
    port,
    'internal-port': port,
    range: { takes: isRange, wanted: 'port-port', forced: true },
  },
}

function isRange(value: string): boolean {
  const [from = '', to = '', ...more] = value.split('-')
  return more.length === 0 && port.takes(from) && port.takes(to)
}

export function refuseBundleValues({ words, flags }: Call, name: string): void {
  const mistakes = splitSections(words.slice(1), ['container', 'network', 'port-map', 'storage-map', 'meta']).flatMap(
    (section) => mistakesOf(section, { unsets: name.endsWith(' update'), force: flags.has('force') }),
  )
  if (mistakes.length > 0) throw new Refusal(...mistakes)
}

function mistakesOf(
  { keyword, words }: { readonly keyword: string; readonly words: readonly string[] },
  { unsets, force }: { readonly unsets: boolean; readonly force: boolean },
): readonly (string | Message)[] {
  const pairs = parsePairs(
    words.filter((word) => word.includes('=')).map((word) => word.replace(/^masters=/, 'promoted-max=')),
    'options',
  )
  const noImage = keyword === 'container' && pairs.get('image') === ''
  return [
    ...(noImage ? ['image cannot be empty, use image name'] : []),
    ...[...pairs].flatMap(([option, value]): readonly Message[] => {
      const rule = rules[keyword]?.[option]
      const isUnset = unsets && value === '' && !keyword.endsWith('-map')
      if (rule === undefined || isUnset || rule.takes(value) || (rule.forced && force)) return []
      const choices = `${rule.wanted}${rule.forced ? ', use --force to override' : ''}`
      return [
        {
          own: `'${value}' is not a valid value for ${option}: expected ${rule.wanted}.`,
          about: { code: 'bad-choice', name: option, value, choices },
        },
      ]
    }),
  ]
}
