import { didYouMean, similarWords } from '../../../base/index.ts'
import { childElement, configurationElement } from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Call, type Command, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import type { Speech } from '../../call/speech.ts'
import { expectWords } from '../../grammar/words.ts'
import { commandsText, propertyCommands } from '../../pcs-form/as-commands.ts'
import { formContext, type NvsetForm, nvsetForms, nvsetLines, pairWords } from '../../pcs-form/nvset.ts'
import { mentioned } from '../../pcs-words/sentences.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { defaultOptionsFor, isSameOption, writtenOptionsFor } from './names.ts'

const shared = {
  usage: '[<property>... | --all | --defaults] [--output-format text|cmd|json]',
  flags: [
    { name: 'all', summary: 'Also show options that have their default value' },
    { name: 'defaults', summary: 'Show defaults only' },
    formatFlag,
  ],
  completes: ['property'],
} as const

export const propertyConfig: Command = {
  ...shared,
  path: ['property', 'config'],
  bare: [['property']],
  summary: 'Show cluster options',
  run: (call) => show(call, { old: call.speech.dialect !== '0.12' }),
}

/** Words that pcs had until 0.11: scripts that use them look for `name: value`. */
export const propertyList: Command = {
  ...shared,
  path: ['property', 'list'],
  aliases: [['property', 'show']],
  summary: 'The same; called as pcs, in the layout of pcs up to 0.11',
  run: (call) => show(call, { old: call.speech.program === 'pcs' }),
}

async function show(call: Call, { old }: { readonly old: boolean }): Promise<Outcome> {
  if (writesAs011(call.speech))
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'property config [<property>]' })
  const { cib } = await call.cluster.readCib()
  const crmConfig = childElement(configurationElement(cib), 'crm_config')
  const all = crmConfig ? nvsetForms(crmConfig, 'cluster_property_set', formContext(call, cib)) : []
  // Of several sets pcs lists the first.
  const onlyFirst = judgesAsPcs(call.speech) && !old
  const sets = onlyFirst ? all.slice(0, 1) : all
  const written = onlyFirst ? pairsOf(sets) : writtenOptionsFor(call.speech, cib)
  const wanted = wantedOptions(call, written, old)
  const isPlain = onlyFirst && call.words.length === 0 && !call.flags.has('all')
  const bare = judgesAsPcs(call.speech) && !old && call.flags.has('defaults')
  if (bare)
    call.tell({
      code: 'deprecated',
      text: "Option --defaults is deprecated and will be removed. Please use command 'pcs property defaults' instead.",
    })
  const attributes = old ? await oldAttributes(call) : ''
  return await inFormat(call, {
    text: () => {
      if (bare) return bareText(wanted)
      if (old) return `${oldText(wanted)}${attributes}`
      return isPlain ? setText(sets) : text(wanted, { written, sets })
    },
    nothing: 'No cluster options are set.',
    json: Object.fromEntries(wanted),
    pcsJson: () => ({ nvsets: sets }),
    pcsCmd: () => commandsText(propertyCommands(sets)),
    cmd: () => rebuildingCommands(call, cib, { sections: ['crm_config'] }),
  })
}

const pairsOf = (sets: readonly NvsetForm[]): ReadonlyMap<string, string> =>
  new Map(sets.flatMap(({ nvpairs }) => nvpairs.map(({ name, value }) => [name, value] as const)))

const setText = (sets: readonly NvsetForm[]): string =>
  sets
    .flatMap((set) => nvsetLines(set, 'Cluster Properties'))
    .map((line) => `${line}\n`)
    .join('')

function wantedOptions(
  call: Call,
  written: ReadonlyMap<string, string>,
  old: boolean,
): readonly (readonly [string, string])[] {
  const defaults = listedDefaults(call.speech)
  const unwritten = [...defaults].filter(([name]) => ![...written.keys()].some((other) => isSameOption(name, other)))
  const shown = call.flags.has('defaults')
    ? defaults
    : call.flags.has('all') || call.words.length > 0
      ? new Map([...unwritten, ...written])
      : written
  const unknown = call.words.filter((word) => ![...shown.keys()].some((name) => isSameOption(name, word)))
  // Until 0.11 the name could be that of an attribute of nodes.
  for (const name of old ? [] : unknown)
    call.terminal.progress(
      `Warning: There is no cluster option '${name}'.${didYouMean(similarWords(name, shown.keys()))}`,
    )
  return [...shown]
    .filter(([name]) => call.words.length === 0 || call.words.some((word) => isSameOption(word, name)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Called as pcs, without what pcs does not list: what the cluster writes itself, and our own options. */
function listedDefaults(speech: Speech): ReadonlyMap<string, string> {
  const defaults = defaultOptionsFor(speech)
  if (speech.program === 'systole') return defaults
  const listed = new Set(['have-watchdog', ...mentioned('cluster property', [...defaults.keys()])])
  return new Map([...defaults].filter(([name]) => listed.has(name)))
}

function text(
  wanted: readonly (readonly [string, string])[],
  { written, sets }: { readonly written: ReadonlyMap<string, string>; readonly sets: readonly NvsetForm[] },
): string {
  const title = sets[0] === undefined ? 'Cluster Properties:' : `Cluster Properties: ${sets[0].id}`
  const rows = wanted.map(
    ([name, value]) => `  ${pairWords({ [name]: value }).join('')}${written.has(name) ? '' : ' (default)'}\n`,
  )
  return sets.length === 0 && rows.length === 0 ? '' : `${title}\n${rows.join('')}`
}

const bareText = (wanted: readonly (readonly [string, string])[]): string =>
  wanted.map(([name, value]) => `${name}=${value}\n`).join('')

function oldText(wanted: readonly (readonly [string, string])[]): string {
  return `Cluster Properties:\n${wanted.map(([name, value]) => ` ${name}: ${value}\n`).join('')}`
}

/** Until 0.10 the attributes of nodes were properties, too: `property set --node`. */
async function oldAttributes(call: Call): Promise<string> {
  if (call.speech.dialect !== '0.9' && call.speech.dialect !== '0.10') return ''
  const [name] = call.words
  const line = ['node', 'attribute', ...(name === undefined ? [] : [`--name=${name}`])]
  const outcome = await call.runOn(line, call.cluster)
  if (outcome.kind === 'refused') throw new Refusal(...outcome.sentences)
  return outcome.text.trimEnd().includes('\n') ? outcome.text : ''
}
