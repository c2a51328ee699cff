import {
  childElement,
  childElements,
  configurationElement,
  readConfiguration,
  setDefaults,
  updateDefaultsSet,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import type { Dialect } from '../../call/speech.ts'
import { changeCib, takesAnyValue } from '../../change/change.ts'
import { parsePairs, wrongCall } from '../../grammar/words.ts'
import { commandsText, defaultsCommands } from '../../pcs-form/as-commands.ts'
import { formContext, type NvsetForm, nvsetForms, nvsetLines } from '../../pcs-form/nvset.ts'
import { ruleLines } from '../../pcs-form/rule.ts'
import { rebuildingCommands } from '../../replay/index.ts'

type Kind = 'resource' | 'operation'

export const resourceDefaults = defaultsCommand('resource', ['resource', 'defaults'])
export const resourceOpDefaults = defaultsCommand('operation', ['resource', 'op', 'defaults'])

function defaultsCommand(of: Kind, path: readonly string[]): Command {
  return {
    path,
    aliases: [
      [...path, 'update'],
      [...path, 'config'],
      ['stonith', ...path.slice(1)],
      ['stonith', ...path.slice(1), 'update'],
      ['stonith', ...path.slice(1), 'config'],
    ],
    usage: '[<name>=<value>...] | [--output-format text|cmd|json]',
    summary: of === 'resource' ? 'Show or set defaults of meta-attributes' : 'Show or set defaults of operations',
    details: 'An empty value removes a default.',
    examples: [
      of === 'resource'
        ? 'systole resource defaults resource-stickiness=100'
        : 'systole resource op defaults timeout=60s',
    ],
    flags: [
      ...changeFlags,
      formatFlag,
      { name: 'all', summary: 'Also show sets whose rule has expired' },
      { name: 'full', summary: 'Show the ids' },
      {
        name: 'no-expire-check',
        summary:
          'Without effect, accepted for compatibility with pcs: sets are always shown, even if their rules have expired',
        withoutEffect: 'sets are always shown, even if their rules have expired.',
      },
    ],
    run: async (call) => {
      if (call.words.length > 0) return await updateDefaults(call, of)
      if (!call.typedName.endsWith(' update')) return await showDefaults(call, of)
      // Called as pcs, nothing is changed where nothing is given.
      if (call.speech.program === 'pcs') return done('', {})
      throw new Refusal(wrongCall(`Arguments are missing. Usage: systole ${call.typedName} <name>=<value>...`))
    },
  }
}

async function showDefaults(call: Call, of: Kind): Promise<Outcome> {
  const { cib } = await call.cluster.readCib()
  const configuration = readConfiguration(cib)
  const section = childElement(configurationElement(cib), of === 'resource' ? 'rsc_defaults' : 'op_defaults')
  const forms = (kind: string): readonly NvsetForm[] =>
    (section ? nvsetForms(section, kind, formContext(call, cib)) : []).filter(
      ({ rule }) => call.flags.has('all') || rule?.in_effect !== 'EXPIRED',
    )
  const shown = forms('meta_attributes')
  const { dialect } = call.speech
  const isOld = dialect === '0.9' || dialect === '0.10'
  const lines =
    isOld && shown.length <= 1 && shown.every(({ rule }) => rule === null)
      ? oldLines(shown[0])
      : dialect === '0.11' && shown.length === 0 && call.speech.program === 'pcs'
        ? ['No defaults set']
        : shown.flatMap((set) => setLines(set, { withIds: call.flags.has('full'), dialect }))
  return await inFormat(call, {
    text: () => lines.map((line) => `${line}\n`).join(''),
    nothing: 'No defaults are set.',
    json: of === 'resource' ? configuration.resourceDefaults : configuration.operationDefaults,
    pcsJson: () => ({
      instance_attributes: forms('instance_attributes'),
      meta_attributes: forms('meta_attributes'),
    }),
    pcsCmd: () => commandsText(defaultsCommands(of === 'resource' ? 'resource' : 'resource op', shown)),
    cmd: () => rebuildingCommands(call, cib, { sections: [of === 'resource' ? 'rsc_defaults' : 'op_defaults'] }),
  })
}

/** pcs 0.11 shows the ids of the rule alone. */
function setLines(set: NvsetForm, { withIds, dialect }: { withIds: boolean; dialect: Dialect }): readonly string[] {
  if (dialect !== '0.11' || set.rule === null) return nvsetLines(set, 'Meta Attrs', withIds && dialect === '0.12')
  return nvsetLines(set, 'Meta Attrs', false, ruleLines(set.rule, withIds, ''))
}

/** Until 0.10.7, which brought sets with rules: what had no place in these lines was printed as it is since. */
function oldLines(set: NvsetForm | undefined): readonly string[] {
  if (set === undefined || set.nvpairs.length === 0) return ['No defaults set']
  return set.nvpairs.map(({ name, value }) => `${name}: ${value}`)
}

/** pcs changes the one set that there is, although a rule limits it. */
function onlySet(cib: XmlElement, of: Kind): string | undefined {
  const section = childElement(configurationElement(cib), of === 'resource' ? 'rsc_defaults' : 'op_defaults')
  const sets = section === undefined ? [] : childElements(section, 'meta_attributes')
  const [set] = sets
  return set !== undefined && sets.length === 1 && childElements(set, 'rule').length > 0 ? set.attributes.id : undefined
}

async function updateDefaults(call: Call, of: Kind): Promise<Outcome> {
  const values = Object.fromEntries(parsePairs(call.words, 'defaults'))
  return await changeCib(call, {
    edit: (cib) => {
      const only = judgesAsPcs(call.speech) ? onlySet(cib, of) : undefined
      const change = { of, values, force: takesAnyValue(call) }
      return only === undefined ? setDefaults(cib, change) : updateDefaultsSet(cib, { ...change, id: only })
    },
    message: () => `Defaults of ${of}s: ${call.words.join(' ')}.`,
    notices: () => [{ code: 'defaults-may-be-overridden' }],
    facts: () => ({ values }),
  })
}
