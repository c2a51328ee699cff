import {
  type Constraint,
  childElement,
  childElements,
  configurationElement,
  findResource,
  parentResource,
  readConfiguration,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs, writesAs011 } from '../../as-pcs/speech.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { resourcesOf } from '../../facts/describe-constraint.ts'
import { expectWords, wrongCall } from '../../grammar/words.ts'
import { commandsText, constraintCommands, hasLostRole } from '../../pcs-form/as-commands.ts'
import { constraintTextLines } from '../../pcs-form/constraint-text.ts'
import { constraintsForm, isOver, withoutExpired } from '../../pcs-form/constraints.ts'
import { locationsByNode, locationsByResource } from '../../pcs-form/location-groups.ts'
import { formContext } from '../../pcs-form/nvset.ts'
import {
  type OldLayout,
  oldConstraintLines,
  oldLocationsByNode,
  oldLocationsByResource,
} from '../../pcs-form/old-constraint-text.ts'
import { rebuildingCommands } from '../../replay/index.ts'

const kinds = ['location', 'colocation', 'order', 'ticket'] as const
const flags = [
  { name: 'full', summary: 'Show the ids' },
  { name: 'all', summary: 'Also show constraints whose rule has expired' },
  formatFlag,
]

/** Only constraints of location have rules. */
const flagsWithoutRules = flags.map((flag) =>
  flag.name === 'all' ? { ...flag, withoutEffect: 'these constraints have no rules that can expire.' } : flag,
)

export const constraintConfig: Command = {
  path: ['constraint', 'config'],
  bare: [['constraint']],
  aliases: [
    ['constraint', 'list'],
    ['constraint', 'show'],
  ],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show all constraints',
  flags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'constraint config' })
    return await show(call, { kinds: ['location', 'order', 'colocation', 'ticket'] })
  },
}

/** `constraint location config` and its kin show one kind. */
export const constraintKindConfigs: readonly Command[] = kinds.map((kind) => ({
  path: ['constraint', kind, 'config'],
  bare: [['constraint', kind]],
  aliases: [
    ['constraint', kind, 'show'],
    ['constraint', kind, 'list'],
  ],
  usage: `${kind === 'location' ? '[resources [<resource>...] | nodes [<node>...]] ' : ''}[--output-format text|cmd|json]`,
  summary: `Show ${kind} constraints`,
  flags: kind === 'location' ? flags : flagsWithoutRules,
  run: async (call) => {
    const [by, ...names] = call.words
    if (by === undefined) return await show(call, { kinds: [kind] })
    if (kind !== 'location' || (by !== 'resources' && by !== 'nodes'))
      throw new Refusal(wrongCall(`Unexpected argument '${by}'. Usage: systole constraint ${kind} config.`))
    return await show(call, { kinds: [kind], by, names })
  },
}))

/** pcs 0.11 shows constraints with rules whatever nodes are asked for. */
function isAbout(
  constraint: Constraint,
  { by, names, withRules }: { by: 'resources' | 'nodes'; names: readonly string[]; withRules: boolean },
): boolean {
  if (names.length === 0) return true
  if (by === 'resources') return resourcesOf(constraint).some((id) => names.includes(id))
  if (constraint.kind !== 'location') return false
  return constraint.where.by === 'node' ? names.includes(constraint.where.node) : withRules
}

export const constraintRef: Command = {
  path: ['constraint', 'ref'],
  usage: '<resource>...',
  summary: 'Show which constraints name a resource',
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'constraint ref <resource>...' })
    const { cib } = await call.cluster.readCib()
    const { constraints } = readConfiguration(cib)
    // pcs counts those of a clone as those of the resource in it.
    const namesOf = (resource: string): readonly (string | undefined)[] => {
      const found = judgesAsPcs(call.speech) ? findResource(cib, resource) : undefined
      const outer = found?.name === 'primitive' ? parentResource(cib, found) : undefined
      const isClone = outer?.name === 'clone' || outer?.name === 'master'
      return [resource, ...(isClone ? [outer.attributes.id] : [])]
    }
    const as011 = writesAs011(call.speech)
    const none = call.speech.dialect === '0.11' ? 'No Matches.' : 'No Matches'
    const asked = judgesAsPcs(call.speech) && !as011 ? [...new Set(call.words)].sort() : call.words
    const facts = asked.map((resource) => ({
      resource,
      constraints: as011
        ? constraintsByKind(cib, namesOf(resource))
        : constraints
            .filter((constraint) => resourcesOf(constraint).some((id) => namesOf(resource).includes(id)))
            .map(({ id }) => id)
            .sort(),
    }))
    const text = facts.map(
      ({ resource, constraints: ids }) =>
        `Resource: ${resource}\n${ids.length === 0 ? `  ${none}\n` : ids.map((id) => `  ${id}\n`).join('')}`,
    )
    return done(text.join(''), facts)
  },
}

const kindsAs011 = ['rsc_colocation', 'rsc_location', 'rsc_order', 'rsc_ticket']

/** As pcs 0.11 lists them: those of the clone first, each by kind as the CIB has them, then sets by id. */
function constraintsByKind(cib: XmlElement, [resource, clone]: readonly (string | undefined)[]): readonly string[] {
  const section = childElement(configurationElement(cib), 'constraints')
  const elements = section ? childElements(section) : []
  const pairsOf = (id: string): readonly XmlElement[] =>
    kindsAs011.flatMap((kind) =>
      elements.filter(
        ({ name, attributes: { rsc, first, then: last, 'with-rsc': primary } }) =>
          name === kind && [rsc, first, last, primary].includes(id),
      ),
    )
  const setsOf = (id: string): readonly XmlElement[] =>
    elements.filter((one) =>
      childElements(one, 'resource_set').some((set) =>
        childElements(set, 'resource_ref').some(({ attributes }) => attributes.id === id),
      ),
    )
  const names = [clone, resource].filter((id) => id !== undefined)
  const ids = (found: readonly XmlElement[]): readonly string[] => found.map(({ attributes }) => attributes.id ?? '')
  return [...ids(names.flatMap(pairsOf)), ...ids(names.flatMap(setsOf)).toSorted()]
}

interface Shown {
  readonly kinds: readonly (typeof kinds)[number][]
  /** Location constraints by resource or node, where that was asked for, of those with the names. */
  readonly by?: 'resources' | 'nodes'
  readonly names?: readonly string[]
}

async function show(call: Call, { kinds: shownKinds, by, names = [] }: Shown): Promise<Outcome> {
  const { cib } = await call.cluster.readCib()
  const wanted = readConfiguration(cib).constraints.filter(
    (constraint) =>
      shownKinds.includes(constraint.kind) &&
      (by === undefined || isAbout(constraint, { by, names, withRules: writesAs011(call.speech) })),
  )
  const ids = new Set(wanted.map(({ id }) => id))
  const section = childElement(configurationElement(cib), 'constraints')
  const elements = (section ? childElements(section) : []).filter(({ attributes }) => ids.has(attributes.id ?? ''))
  const form = constraintsForm(elements, formContext(call, cib))
  const shown = call.flags.has('all') ? form : withoutExpired(form)
  const withIds = call.flags.has('full')
  const constraints = wanted.filter(({ id }) => call.flags.has('all') || !isOver(form, id))
  const { dialect } = call.speech
  const lines = (): readonly string[] => {
    if (dialect !== '0.12') {
      const context = formContext(call, cib)
      const layout: OldLayout = { dialect, withIds, withExpired: call.flags.has('all'), context }
      if (by === undefined) return oldConstraintLines(elements, shownKinds, layout)
      return by === 'resources'
        ? oldLocationsByResource(elements, layout)
        : oldLocationsByNode(elements, layout, names.length === 0)
    }
    if (by === 'resources') return locationsByResource(shown.location, withIds)
    if (by === undefined) return constraintTextLines(shown, withIds)
    if (shown.location.some(({ attributes }) => attributes.rules.length > 0)) {
      call.terminal.progress('Warning: Constraints with rules are not displayed.')
      call.tell({ code: 'rules-not-shown' })
    }
    return locationsByNode(shown.location, withIds)
  }
  return await inFormat(call, {
    text: () =>
      lines()
        .map((line) => `${line}\n`)
        .join(''),
    nothing: 'There are no constraints.',
    json: constraints,
    pcsJson: () => shown,
    pcsCmd: () => {
      const ids = shown.location.filter(hasLostRole).map(({ attributes }) => attributes.constraint_id)
      if (ids.length > 0) call.tell({ code: 'role-left-out', ids })
      return commandsText(constraintCommands(shown))
    },
    cmd: () => rebuildingCommands(call, cib, { sections: ['constraints'], ids: constraints.map(({ id }) => id) }),
  })
}
