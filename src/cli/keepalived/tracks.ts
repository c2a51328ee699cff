/**
 * What a VRRP instance tracks: scripts, processes and interfaces. Each becomes a clone of ocf:systole:track, which keeps the result as a node attribute, and a
 * location rule: without a weight the address goes where the attribute is 1, with a weight the score of the node changes as the priority did.
 */
import { idOf } from './addresses.ts'
import type { Fields, Notes } from './notes.ts'
import type { Statement } from './read-blocks.ts'

export interface Check {
  readonly id: string
  readonly body: Fields
  readonly place: string
  readonly weight: Weight
  /** What holds before it was run for the first time; keepalived takes it for a success, unless it says init_fail. */
  readonly failsAtFirst: boolean
}

export interface Weight {
  readonly points: number
  readonly isReverse: boolean
}

export interface Track {
  readonly check: Check
  readonly weight: Weight
  readonly place: string
}

const none: Weight = { points: 0, isReverse: false }

/** `weight -20 reverse`. */
function weightOf(statement: Statement, words: readonly string[], notes: Notes): Weight {
  const [points = '', reverse] = words
  const isKnown = reverse === undefined || ['reverse', 'noreverse', 'no_reverse'].includes(reverse)
  if (!/^[-+]?\d+$/.test(points) || Math.abs(Number(points)) > 254 || !isKnown || words.length > 2) {
    notes.wrong(statement, `'weight ${words.join(' ')}' is not a weight from -254 to 254, with or without 'reverse'.`)
    return none
  }
  return { points: Number(points), isReverse: reverse === 'reverse' }
}

export function scriptCheck(block: Statement, user: string | undefined, notes: Notes): Check | undefined {
  const [name = ''] = block.words
  const found = new Map<string, Statement>()
  for (const statement of block.inner ?? [])
    if (notes.isMapped(statement, 'vrrp_script')) found.set(statement.keyword, statement)
  const command = found.get('script')?.words.join(' ') ?? ''
  if (name === '' || command === '') {
    notes.wrong(block, name === '' ? 'A vrrp_script needs a name.' : `vrrp_script ${name} has no script.`)
    return undefined
  }
  const number = (keyword: string, usual: number): number => {
    const statement = found.get(keyword)
    return statement === undefined ? usual : (notes.number(statement, { from: 1, to: 86_400 }) ?? usual)
  }
  const [given] = found.get('user')?.words ?? []
  const weight = found.get('weight')
  return {
    ...trackClone(`track-${idOf(name)}`, {
      parameters: {
        command,
        ...(found.has('rise') && { rise: String(number('rise', 1)) }),
        ...(found.has('fall') && { fall: String(number('fall', 1)) }),
        ...(found.has('timeout') && { command_timeout: String(Math.ceil(number('timeout', 10))) }),
        ...((given ?? user) !== undefined && { user: given ?? user }),
      },
      interval: number('interval', 1),
      timeout: Math.ceil(number('timeout', 10)) + 20,
    }),
    place: block.place,
    weight: weight === undefined ? none : weightOf(weight, weight.words, notes),
    failsAtFirst: found.has('init_fail'),
  }
}

export function processCheck(block: Statement, notes: Notes): Check | undefined {
  const [name = ''] = block.words
  const found = new Map<string, Statement>()
  for (const statement of block.inner ?? [])
    if (notes.isMapped(statement, 'vrrp_track_process')) found.set(statement.keyword, statement)
  const program = found.get('process')?.words ?? []
  if (name === '' || program[0] === undefined) {
    notes.wrong(
      block,
      name === '' ? 'A vrrp_track_process needs a name.' : `vrrp_track_process ${name} has no process.`,
    )
    return undefined
  }
  const special = ['full_command', 'param_match', 'quorum_max'].map((keyword) => found.get(keyword))
  const unlike = special.find((one) => one !== undefined)
  if (unlike !== undefined || program.length > 1 || !/^[\w.@+-]{1,15}$/.test(program[0]))
    notes.leave(
      { ...block, keyword: `vrrp_track_process ${name}`, words: [] },
      'Only the name of a process is looked for. Write a vrrp_script that finds it, with pgrep for example.',
    )
  const quorum = found.get('quorum')
  const least = quorum === undefined ? 1 : (notes.number(quorum, { from: 1, to: 65_535 }) ?? 1)
  const weight = found.get('weight')
  const isMapped = unlike === undefined && program.length === 1 && /^[\w.@+-]{1,15}$/.test(program[0])
  if (!isMapped) return undefined
  return {
    ...trackClone(`track-${idOf(name)}`, {
      parameters: { command: `[ "$(pgrep -c -x ${program[0].replaceAll(/[.+]/g, '\\$&')})" -ge ${least} ]` },
      interval: 1,
      timeout: 30,
    }),
    place: block.place,
    weight: weight === undefined ? { points: 1, isReverse: false } : weightOf(weight, weight.words, notes),
    failsAtFirst: false,
  }
}

/** As keepalived has it: an interface that is down is a fault. */
export function interfaceCheck(name: string, statement: Statement, notes: Notes): Check | undefined {
  if (!/^[\w.@-]{1,15}$/.test(name)) {
    notes.wrong(statement, `'${name}' is not the name of an interface.`)
    return undefined
  }
  return {
    ...trackClone(`link-${name.replaceAll(/[^\w.-]/g, '-')}`, {
      parameters: { command: `ip -o link show dev ${name} up | grep -q LOWER_UP` },
      interval: 1,
      timeout: 30,
    }),
    place: statement.place,
    weight: none,
    failsAtFirst: false,
  }
}

function trackClone(
  id: string,
  {
    parameters,
    interval,
    timeout,
  }: { readonly parameters: Fields; readonly interval: number; readonly timeout: number },
): { readonly id: string; readonly body: Fields } {
  const body = {
    agent: 'ocf:systole:track',
    parameters,
    operations: [{ name: 'monitor', interval: `${interval}s`, timeout: `${timeout}s` }],
  }
  return { id, body: { clone: { [id]: body } } }
}

/** Each line of a track_… block: a name, and its own weight or that of the check. */
export function tracksOf(
  block: Statement,
  findCheck: (name: string, line: Statement) => Check | undefined,
  notes: Notes,
): readonly Track[] {
  return (block.inner ?? []).flatMap((line) => {
    const check = findCheck(line.keyword, line)
    if (check === undefined) return []
    const [word, ...rest] = line.words
    if (word === undefined) return [{ check, weight: check.weight, place: line.place }]
    if (word === 'weight') return [{ check, weight: weightOf(line, rest, notes), place: line.place }]
    notes.wrong(line, `'${word}' is not expected behind '${line.keyword}'. Specify 'weight' and a number.`)
    return []
  })
}

/** The location constraint of a track, by which the score of a node follows the check as the priority did. */
export function ruleFor(unit: string, { check, weight }: Track): readonly [string, Fields] {
  const { points, isReverse } = weight
  const succeeds = `${check.id} eq 1`
  const fails = check.failsAtFirst ? `not_defined ${check.id} or ${check.id} ne 1` : `${check.id} eq 0`
  if (points === 0)
    return [
      `${unit}-needs-${check.id}`,
      { location: unit, rules: [{ when: isReverse ? succeeds : fails, score: '-INFINITY' }] },
    ]
  const score = String(isReverse ? -points : points)
  return [`${unit}-counts-${check.id}`, { location: unit, rules: [{ when: points > 0 ? succeeds : fails, score }] }]
}
