import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  childElement,
  childElements,
  clusterOption,
  configurationElement,
  type Edited,
  type EditResult,
  readConfiguration,
  setClusterOptions,
  type XmlElement,
} from '../../../cib/index.ts'
import { isAnyWholeNumber, refuseInexactValues, unknownProperties } from '../../as-pcs/properties.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
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
    if (call.speech.program === 'pcs') refuseAsPcs(call, cib, values)
    const strict = judgesAsPcs(call.speech)
    if (strict && !call.flags.has('force')) refuseInexactValues(values)
    return await changeCib(call, {
      edit: (cib) => setValues(cib, values, { force: call.flags.has('force'), asPcs: strict }),
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

/** Checked are all but whole numbers, where any of these is taken. Of several sets pcs changes the first. */
function setValues(
  cib: XmlElement,
  values: Readonly<Record<string, string>>,
  { force, asPcs }: { readonly force: boolean; readonly asPcs: boolean },
): EditResult {
  // A node may count as fenced after this time: no force makes a time of what is none.
  const watchdog = Object.entries(values).filter(([name]) => watchdogTimes.has(name))
  const timed = setClusterOptions(cib, { values: Object.fromEntries(watchdog) })
  if (!timed.ok) return timed
  const checked = Object.entries(values).filter(([name, value]) => !(asPcs && isAnyWholeNumber(name, value)))
  const result = setClusterOptions(cib, { values: Object.fromEntries(checked), force })
  return result.ok ? setClusterOptions(cib, { values, force: true, onlyFirst: asPcs }) : result
}

/** Scripts take pcs's word for what it never sets, and for what was not there to be unset. */
function refuseAsPcs(call: Call, cib: XmlElement, values: Readonly<Record<string, string>>): void {
  const names = Object.keys(values)
  const own = names.filter((name) => clustersOwn.has(name))
  const { set, written } = whatIsSet(call, cib)
  const missing = call.flags.has('force') ? [] : names.filter((name) => values[name] === '' && !written.has(name))
  refuseNames(own, missing, set)
}

/** Options that have a value, under the names of Pacemaker 3. pcs looks into the first set alone, and names it. */
function whatIsSet(
  { speech }: Call,
  cib: XmlElement,
): { readonly set: string; readonly written: ReadonlyMap<string, string> } {
  const section = childElement(configurationElement(cib), 'crm_config')
  const [first] = section === undefined ? [] : childElements(section, 'cluster_property_set')
  const set = first?.attributes.id ?? 'cib-bootstrap-options'
  if (!judgesAsPcs(speech) || first === undefined) return { set, written: writtenOptions(cib) }
  const pairs = childElements(first, 'nvpair').map(({ attributes }) => attributes)
  return {
    set,
    written: new Map(pairs.map(({ name = '', value = '' }) => [clusterOption(name)?.name ?? name, value])),
  }
}

/** With all that is missing: pcs says it in one sentence. */
const notSet = (name: string, missing: readonly string[], set: string, known: Iterable<string> = []): Message => ({
  own: `The cluster option '${name}' is not set.${didYouMean(similarWords(name, known))}`,
  about: { code: 'property-not-set', names: missing, set },
})

function refuseNames(own: readonly string[], missing: readonly string[], set: string): void {
  const messages: readonly Message[] = [
    ...missing.map((name) => notSet(name, missing, set)),
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
    const { set, written } = whatIsSet(call, cib)
    const missing = call.words.filter((name) => !written.has(name) && !written.has(clusterOption(name)?.name ?? ''))
    if (missing.length > 0 && !call.flags.has('force'))
      throw new Refusal(...missing.map((name) => notSet(name, missing, set, written.keys())))
    const values = Object.fromEntries(call.words.map((name) => [name, '']))
    if (call.speech.program === 'pcs')
      refuseNames(
        call.words.filter((name) => clustersOwn.has(name)),
        [],
        set,
      )
    return await changeCib(call, {
      edit: (current) => setClusterOptions(current, { values, force: true, onlyFirst: judgesAsPcs(call.speech) }),
      message: (_edited: Edited) => `Reset to the default: ${call.words.join(', ')}.`,
    })
  },
}
