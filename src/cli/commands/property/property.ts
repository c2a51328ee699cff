import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  clusterOption,
  type Edited,
  type EditResult,
  readConfiguration,
  setClusterOptions,
  type XmlElement,
} from '../../../cib/index.ts'
import { isAnyWholeNumber, refuseInexactValues, unknownProperties } from '../../as-pcs/properties.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Command, changeFlags, Refusal } from '../../call/command.ts'
import { type Message, saidByPcs } from '../../call/message.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { doorMistakes } from '../service/doors.ts'
import { writtenOptions } from './names.ts'

export const propertySet: Command = {
  path: ['property', 'set'],
  usage: '<property>=<value>... [--force]',
  summary: 'Set cluster options; an empty value removes one',
  examples: ['systole property set no-quorum-policy=freeze'],
  flags: [...changeFlags, { name: 'node', value: 'node', summary: 'For older scripts: set a node attribute instead' }],
  completes: ['property'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'property set <property>=<value>...' })
    const values = Object.fromEntries(parsePairs(call.words, 'options'))
    const mistakes = call.flags.has('force') ? [] : doorMistakes(values)
    if (mistakes.length > 0) throw new Refusal(...mistakes)
    const { cib } = await call.cluster.readCib()
    if (call.speech.program === 'pcs') refuseAsPcs(cib, values, call.flags.has('force'))
    const strict = judgesAsPcs(call.speech)
    if (strict && !call.flags.has('force')) refuseInexactValues(values)
    return await changeCib(call, {
      edit: (cib) => setValues(cib, values, { force: call.flags.has('force'), anyNumber: strict }),
      message: () => `Cluster options: ${call.words.join(' ')}.`,
      facts: () => ({ values }),
      needsForce: (before) => {
        const warnings = fencingWarnings(before, values)
        const overwritten = Object.keys(values).filter((name) => clusterOption(name)?.setByCluster)
        if (overwritten.length > 0)
          return overwritten.map(
            (name) => `The cluster sets the option '${name}' itself and would overwrite this value.`,
          )
        if (call.speech.program === 'systole') return warnings
        // Scripts that were written for pcs do this first of all; there it is no more than a warning.
        for (const warning of warnings) call.terminal.progress(`Warning: ${warning}`)
        return []
      },
    })
  },
}

const watchdogTimes: ReadonlySet<string> = new Set(['stonith-watchdog-timeout', 'fencing-watchdog-timeout'])

/** Checked are all but whole numbers, where any of these is taken. */
function setValues(
  cib: XmlElement,
  values: Readonly<Record<string, string>>,
  { force, anyNumber }: { readonly force: boolean; readonly anyNumber: boolean },
): EditResult {
  // A node may count as fenced after this time: no force makes a time of what is none.
  const watchdog = Object.entries(values).filter(([name]) => watchdogTimes.has(name))
  const timed = setClusterOptions(cib, { values: Object.fromEntries(watchdog) })
  if (!timed.ok) return timed
  const checked = Object.entries(values).filter(([name, value]) => !(anyNumber && isAnyWholeNumber(name, value)))
  const result = setClusterOptions(cib, { values: Object.fromEntries(checked), force })
  return result.ok ? setClusterOptions(cib, { values, force: true }) : result
}

/** Scripts take pcs's word for what it never sets, and for what was not there to be unset. */
function refuseAsPcs(cib: XmlElement, values: Readonly<Record<string, string>>, force: boolean): void {
  const names = Object.keys(values)
  const own = names.filter((name) => clustersOwn.has(name))
  const written = writtenOptions(cib)
  const missing = force ? [] : names.filter((name) => values[name] === '' && !written.has(name))
  refuseNames(own, missing)
}

/** With all that is missing: pcs says it in one sentence. */
const notSet = (name: string, missing: readonly string[], known: Iterable<string> = []): Message => ({
  own: `The cluster option '${name}' is not set.${didYouMean(similarWords(name, known))}`,
  about: { code: 'property-not-set', names: missing },
})

function refuseNames(own: readonly string[], missing: readonly string[]): void {
  const messages: readonly Message[] = [
    ...missing.map((name) => notSet(name, missing)),
    ...(own.length === 0 ? [] : [saidByPcs(unknownProperties(own))]),
  ]
  if (messages.length > 0) throw new Refusal(...messages)
}

const clustersOwn: ReadonlySet<string> = new Set([
  'cluster-infrastructure',
  'cluster-name',
  'dc-version',
  'have-watchdog',
  'last-lrm-refresh',
])

/** Switching fencing off gives up the one guarantee that data rests upon: it is said before it is done. */
function fencingWarnings(before: XmlElement, values: Readonly<Record<string, string>>): readonly string[] {
  const value = values['fencing-enabled'] ?? values['stonith-enabled']
  const off = value !== undefined && ['false', 'no', 'off', '0', 'n'].includes(value.toLowerCase())
  if (!off || readConfiguration(before).resources.length === 0) return []
  return [
    'Without fencing, a node that hangs may still run a resource that is started elsewhere, which can destroy data.',
  ]
}

export const propertyUnset: Command = {
  path: ['property', 'unset'],
  usage: '<property>...',
  summary: 'Reset cluster options to their defaults',
  flags: changeFlags,
  completes: ['property'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'property unset <property>...' })
    const { cib } = await call.cluster.readCib()
    const written = writtenOptions(cib)
    const missing = call.words.filter((name) => !written.has(name) && !written.has(clusterOption(name)?.name ?? ''))
    if (missing.length > 0 && !call.flags.has('force'))
      throw new Refusal(...missing.map((name) => notSet(name, missing, written.keys())))
    const values = Object.fromEntries(call.words.map((name) => [name, '']))
    if (call.speech.program === 'pcs')
      refuseNames(
        call.words.filter((name) => clustersOwn.has(name)),
        [],
      )
    return await changeCib(call, {
      edit: (current) => setClusterOptions(current, { values, force: true }),
      message: (_edited: Edited) => `Reset to the default: ${call.words.join(', ')}.`,
    })
  },
}
