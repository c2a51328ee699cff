/** `plan` and `apply`: a description of the configuration, what it would change and cause, and making it so. */
import { printXml, sameDocument, type XmlElement } from '../../../cib/index.ts'
import { type Call, type Command, changeFlags, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { changeCib } from '../../change/change.ts'
import { expectWords } from '../../grammar/words.ts'
import { namedFile } from '../../keepalived/describe-keepalived.ts'
import type { LeftOut } from '../../keepalived/notes.ts'
import { type Description, readDescription } from '../../plan/description.ts'
import { type MadePlan, makePlan, type Plan, withPlaces } from '../../plan/make-plan.ts'
import { readOwnPlan } from '../../plan/own-file.ts'
import {
  configurationOfPlan,
  digestOf,
  printSavedPlan,
  readSavedPlan,
  type SavedPlan,
  textsOf,
} from '../../plan/plan-file.ts'
import { printPlan } from '../../plan/print-plan.ts'

const describingFlags: readonly Flag[] = [
  { name: 'var', value: 'name=value', summary: 'Another value of a variable of the file', repeats: true },
  { name: 'overwrite', summary: 'Take what the file says wherever the cluster says something else' },
  { name: 'prune', summary: 'Also remove what the file does not name, in the sections that it has' },
]

const kinds =
  'A file is a cluster file (YAML), CIB XML, lines of commands (pcs … or systole …), or keepalived.conf: that of one host, or of several as <node>=<file>. ' +
  'The cluster remembers what a cluster file or XML said when it was last applied. Changes of the file since then are made, and things that it no longer names are removed; ' +
  'what the cluster has changed stays, and what both have changed is a conflict that is named. Things that a file has never named are left alone.'

export const plan: Command = {
  path: ['plan'],
  usage: '<file> | <node>=<keepalived.conf>... [--out=<plan file>] [--haproxy=<file>] [--exit-code]',
  summary: 'Show what a file would change, which actions that causes, and for how long services are interrupted',
  details: `${kinds} Nothing is changed. Exit codes: 0, or with --exit-code 0 for nothing to change and 2 for changes; 1 for a mistake or a conflict.`,
  examples: [
    'systole plan cluster.yaml',
    'systole plan cluster.yaml --out=friday.plan',
    'systole plan setup.pcs',
    'systole plan n1=keepalived.n1.conf n2=keepalived.n2.conf',
  ],
  flags: [
    {
      name: 'out',
      value: 'file',
      summary: 'Save the plan, to apply it as it was shown or not at all',
      completes: 'file',
    },
    {
      name: 'haproxy',
      value: 'file',
      summary: 'Write the virtual servers of keepalived.conf to this file, as a configuration of HAProxy',
      completes: 'file',
    },
    { name: 'exit-code', summary: 'Exit with 2 where there is something to change' },
    ...describingFlags,
  ],
  completes: ['file'],
  run: async (call) => {
    expectFiles(call, 'plan <file>')
    return await shown(call, { usesExitCode: call.flags.has('exit-code') })
  },
}

export const apply: Command = {
  path: ['apply'],
  usage: '<file> | <node>=<keepalived.conf>... [--plan]',
  summary: 'Change the configuration to match a file, in one change, or apply a saved plan',
  details: `${kinds} A saved plan is refused if the configuration has changed since, or if other actions would follow, or if another user owns or can write the file. Exit codes: 0 applied, or nothing to change; with --plan nothing is changed, and 2 means that there is something to change; 1 refused.`,
  examples: [
    'systole apply cluster.yaml --wait',
    'systole apply friday.plan',
    'systole apply cluster.yaml --var vip=10.0.0.101',
  ],
  flags: [...changeFlags, { name: 'plan', summary: 'Only show the plan' }, ...describingFlags],
  completes: ['file'],
  run: async (call) => {
    expectFiles(call, 'apply <file>')
    const file = call.words.join(' ')
    const isOfNodes = call.words.some(isNamed)
    const saved = isOfNodes ? undefined : readSavedPlan(file, await call.terminal.readFile(file))
    const readOwn = call.terminal.readOwnFile ?? readOwnPlan
    const own = saved && readSavedPlan(file, await readOwn(file))
    if (own) return await applySaved(call, file, own)
    if (call.flags.has('plan')) return await shown(call, { usesExitCode: true })
    if (call.flags.has('preview')) return await shown(call, { usesExitCode: false })
    const description = await described(call)
    const made = await makePlan(call, { file, description, options: optionsOf(call) })
    if (made.plan.changes.length === 0) return await unchanged(call, description, made)
    for (const one of [...made.plan.kept, ...made.plan.notes, ...made.plan.leftOut.flatMap(noteOf)])
      call.terminal.progress(`Note: ${one}`)
    const remembering = rememberingCall(call, description)
    return await withPlaces(
      description,
      async () => await changeCib(remembering, { ...made.change, facts: () => factsOf(made.plan) }),
    )
  },
}

/** Several files are those of nodes. */
function expectFiles({ words }: Call, usage: string): void {
  expectWords(words, { atLeast: 1, ...(words.some(isNamed) ? {} : { atMost: 1 }), usage })
}

const isNamed = (word: string): boolean => namedFile(word).node !== undefined

const noteOf = ({ place, what, why }: LeftOut): readonly string[] =>
  why === undefined ? [] : [`${place}: ${what} is left out. ${why}`]

async function shown(call: Call, { usesExitCode }: { readonly usesExitCode: boolean }): Promise<Outcome> {
  const file = call.words.join(' ')
  const description = await described(call)
  const made = await makePlan(call, { file, description, options: optionsOf(call) })
  const out = call.flags.get('out')
  const saved = typeof out === 'string' ? await save(call, out, { file, description, made }) : ''
  const exitCode = usesExitCode && made.plan.changes.length > 0 ? 2 : 0
  return done(`${printPlan(made.plan)}${saved}`, factsOf(made.plan), exitCode)
}

const factsOf = ({ name, ...facts }: Plan): Readonly<Record<string, unknown>> => ({
  ...(name === undefined ? {} : { name }),
  ...facts,
})

async function described(call: Call): Promise<Description> {
  const given = call.flags.get('var')
  const variables = new Map(
    (typeof given === 'string' ? given.split('\n') : []).map((one) => {
      const at = one.indexOf('=')
      if (at < 1) throw new Refusal(`--var ${one}: specify <name>=<value>.`)
      return [one.slice(0, at), one.slice(at + 1)] as const
    }),
  )
  const environment = call.terminal.environment ?? process.env
  const description = await readDescription(call, call.words, { variables, environment })
  const file = call.flags.get('haproxy')
  return typeof file === 'string' ? await withHaproxy(call, description, file) : description
}

/** What was left out of the configuration of the cluster is in that file, but for what HAProxy cannot do either. */
async function withHaproxy(call: Call, description: Description, file: string): Promise<Description> {
  const { balancing, leftOut = [] } = description
  if (balancing?.text === undefined)
    throw new Refusal(
      `--haproxy: ${call.words.join(' ')} has no virtual_server that HAProxy could balance. Omit it.`,
      ...(balancing?.leftOut ?? []).map(({ place, what, why }) => `${place}: ${what}: ${why ?? ''}`.trimEnd()),
    )
  await call.terminal.writeFile(file, balancing.text)
  const others = leftOut.filter(({ what }) => !/^virtual_server /.test(what))
  return { ...description, leftOut: [...others, ...balancing.leftOut] }
}

const optionsOf = (call: Call) => ({ prunes: call.flags.has('prune'), overwrites: call.flags.has('overwrite') })

async function save(
  call: Call,
  out: string,
  { file, description, made }: { readonly file: string; readonly description: Description; readonly made: MadePlan },
): Promise<string> {
  const { before, edited, actions } = made.changed
  const remembers = rememberedAs(description)
  const plan: SavedPlan = {
    systolePlan: 1,
    file,
    made: call.terminal.now().toISOString(),
    version: made.plan.version,
    before: digestOf(before),
    configuration: printXml(configurationOf(edited.cib)),
    ...(remembers && { applied: remembers }),
    actions: textsOf(actions),
  }
  await call.terminal.writeFile(out, printSavedPlan(plan), { writerOnly: true })
  return `\nSaved the plan to ${out}. It has the secrets of the configuration. Apply it with: systole apply ${out}\n`
}

const configurationOf = (cib: XmlElement): XmlElement =>
  cib.children.find((child): child is XmlElement => child.kind === 'element' && child.name === 'configuration') ?? cib

const rememberedAs = ({ name, wanted }: Description): SavedPlan['applied'] =>
  name === undefined ? undefined : { name, xml: printXml(wanted) }

/** What is pushed is remembered as this description, in the same transaction. */
function remembering(call: Call, applied: SavedPlan['applied']): Call {
  if (applied === undefined) return call
  return {
    ...call,
    cluster: { ...call.cluster, push: async (change) => await call.cluster.push({ ...change, applied }) },
  }
}

const rememberingCall = (call: Call, description: Description): Call => remembering(call, rememberedAs(description))

/** A file that is applied for the first time, and says what is there, is remembered all the same: what goes from it later goes from the cluster. */
async function unchanged(
  call: Call,
  description: Description,
  { plan: made, changed, remembered }: MadePlan,
): Promise<Outcome> {
  const isKnown = remembered !== undefined && sameDocument(remembered, description.wanted)
  if (call.cluster.live !== undefined && description.name !== undefined && !isKnown && made.notes.length === 0)
    await rememberingCall(call, description).cluster.push({
      cib: changed.before,
      expectedVersion: made.version,
      command: call.typed(() => false),
    })
  return done(printPlan(made), factsOf(made))
}

async function applySaved(call: Call, file: string, saved: SavedPlan): Promise<Outcome> {
  const wrong = ['var', 'prune', 'overwrite', 'plan'].find((name) => call.flags.has(name))
  if (wrong !== undefined)
    throw new Refusal(`--${wrong} was decided when the plan was made. Omit it, or apply ${saved.file}.`)
  const configuration = configurationOfPlan(file, saved)
  const change = {
    edit: (cib: XmlElement) => {
      refuseOther(cib, saved, file)
      const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'configuration')
      return {
        ok: true as const,
        value: { cib: { ...cib, children: [configuration, ...others] }, created: [], removed: [] },
      }
    },
    message: () => `Applied ${file}.`,
    needsForce: (_before: XmlElement, _edited: unknown, actions: readonly { readonly text: string }[]) => {
      const [told, now] = [saved.actions, actions.map(({ text }) => text)]
      if (JSON.stringify(told) === JSON.stringify(now)) return []
      const list = (texts: readonly string[]): string => (texts.length === 0 ? 'nothing' : texts.join(', '))
      return [`The cluster has changed since the plan was made. It would ${list(now)}; the plan said: ${list(told)}.`]
    },
  }
  return await changeCib(remembering(call, saved.applied), change)
}

function refuseOther(cib: XmlElement, { before, made }: SavedPlan, file: string): void {
  if (digestOf(cib) === before) return
  throw new Refusal(
    `The configuration has changed since ${file} was made (${made}). Make the plan again with 'systole plan'.`,
  )
}
