import {
  adviceTaken,
  createPrimitive,
  elementWithId,
  isPromotable,
  type NewPrimitive,
  strayCloneOptions,
  type XmlElement,
} from '../../../cib/index.ts'
import { agentName } from '../../../resource-agents/index.ts'
import { wordsOfCreate } from '../../as-pcs/create-words.ts'
import { newOperationMistakes, takenOperationId } from '../../as-pcs/new-operations.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, type Outcome, Refusal } from '../../call/command.ts'
import { saidByPcs } from '../../call/message.ts'
import { changeCib, takesAnyValue } from '../../change/change.ts'
import { refuseNodesByTheWay } from '../../grammar/guest-and-remote.ts'
import { readResourceWords, type WrittenResource } from '../../grammar/resource-words.ts'
import { expectWords } from '../../grammar/words.ts'
import { agentObjections, agentValidationFlag } from '../../host/agent-validation.ts'
import {
  advisedOperations,
  type InstalledAgent,
  operationMistakes,
  parameterMistakes,
  privateParameters,
  promotionMistakes,
  resolveFenceAgent,
  resolveResourceAgent,
  timeoutWarnings,
} from '../../host/agents.ts'
import {
  deviceObjections,
  deviceTestFlag,
  noDeviceTestFlag,
  refuseBothTests,
  testCreated,
} from '../../host/device-test.ts'
import { sharedUniqueValues } from '../../host/unique-parameters.ts'
import { badCharacter } from '../../pcs-words/about-ids.ts'
import { refuseTaken, refuseTakenAddress } from '../cluster/remote-node.ts'

const createFlags = [
  ...changeFlags,
  { name: 'disabled', summary: 'Create it disabled' },
  { name: 'group', value: 'group', summary: 'Add it to a group (also: group <group>)' },
  { name: 'before', value: 'resource', summary: 'With --group: add it before this member' },
  { name: 'after', value: 'resource', summary: 'With --group: add it after this member' },
  { name: 'clone', summary: 'Clone it (also: clone [<name>=<value>...])' },
  { name: 'master', summary: 'Make it promotable (also: promotable [<name>=<value>...])' },
  { name: 'no-default-ops', summary: 'Do not add the operations that the agent recommends, except a monitor' },
  agentValidationFlag,
  {
    name: 'future',
    summary: 'Without effect, accepted for compatibility with pcs: the command already has the future behavior',
    withoutEffect: 'the command already has the future behavior.',
  },
]

/** A fence device has a monitor, whatever its agent advises. */
const createDeviceFlags = [
  ...createFlags.map((flag) =>
    flag.name === 'no-default-ops' ? { ...flag, withoutEffect: 'a fence device gets only a monitor.' } : flag,
  ),
  deviceTestFlag,
  noDeviceTestFlag,
]

const usage =
  '<id> <agent> [<parameter>=<value>...] [op <operation> <name>=<value>...]... [meta <name>=<value>...] [clone | promotable | group <group> [before|after <resource>] | bundle <bundle>]'

export const resourceCreate: Command = {
  path: ['resource', 'create'],
  usage,
  summary: 'Create a resource and start it where it can run',
  details:
    'Specify the agent as ocf:heartbeat:IPaddr2, or as IPaddr2 if only one provider has it. Operations that you do not specify use the agent’s recommendations.',
  examples: [
    'systole resource create vip ocf:heartbeat:IPaddr2 ip=10.0.0.100 cidr_netmask=24 op monitor interval=5s',
    'systole resource create web ocf:heartbeat:nginx configfile=/etc/nginx/nginx.conf --group webservice',
    'systole resource create ping ocf:pacemaker:ping host_list=10.0.0.254 clone interleave=true',
  ],
  flags: createFlags,
  completes: ['anything', 'agent', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: `resource create ${usage}` })
    const [id = '', agentWord = '', ...rest] = call.words
    if (!call.flags.has('future'))
      for (const flag of ['group', 'before', 'after'])
        if (call.flags.has('group') && call.flags.has(flag)) call.tell({ code: 'old-flag', flag })
    const written = readWords(call, rest)
    const installed = await resolveResourceAgent(agentWord, question(call))
    if (!agentWord.includes(':'))
      call.tell({ code: 'assumed-agent', typed: agentWord, agent: agentName(installed.agent) })
    if (installed.agent.class === 'stonith')
      throw new Refusal({
        own: "Fence devices are created by 'systole stonith create'.",
        about: {
          code: 'said-by-pcs',
          errors: ["This command does not accept stonith resource. Use 'pcs stonith create' command instead."],
          closes: true,
        },
      })
    return await create(call, { id, installed, written })
  },
}

export const stonithCreate: Command = {
  path: ['stonith', 'create'],
  usage: '<id> <fence agent> [<parameter>=<value>...] [op <operation> <name>=<value>...] [meta <name>=<value>...]',
  summary: 'Create a fence device',
  details:
    'In addition to the agent’s own parameters: pcmk_host_list, pcmk_host_map, pcmk_host_check, pcmk_delay_base, pcmk_delay_max, pcmk_reboot_action … ' +
    'Once the device is created, it is asked from this host whether it answers with these parameters; nothing is switched. A failure is a warning. With --test it is asked before, and a failure creates nothing.',
  examples: [
    'systole stonith create fence-n1 fence_ipmilan ip=10.1.0.1 username=admin password=... lanplus=1 pcmk_host_list=n1',
  ],
  flags: createDeviceFlags,
  completes: ['anything', 'fence-agent', 'anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'stonith create <id> <fence agent> [<parameter>=<value>...]' })
    const [id = '', agentWord = '', ...rest] = call.words
    const written = readWords(call, rest)
    refuseBothTests(call)
    const installed = await resolveFenceAgent(agentWord, question(call))
    const made = await create(call, { id, installed, written })
    return await testCreated(call, { id, installed, parameters: Object.fromEntries(written.parameters) }, made)
  },
}

function readWords(call: Call, words: readonly string[]): WrittenResource {
  if (!judgesAsPcs(call.speech)) return readResourceWords(words, call.flags)
  const written = readResourceWords(wordsOfCreate(call, words), call.flags, 'any')
  if (written.operations.some(({ attributes }) => attributes.size === 0))
    throw new Refusal({ own: 'An operation has no options.', about: { code: 'no-operation-given' } })
  return written
}

function question(call: Call): Parameters<typeof resolveFenceAgent>[1] {
  return {
    force: call.flags.has('force'),
    exact: judgesAsPcs(call.speech),
    unasked: call.cluster.isScratch === true,
  }
}

/** Asked for, since what is wrong here and now may be right where and when it runs. */
const checks = [
  ['agent-validation', agentObjections],
  ['test', deviceObjections],
] as const

interface Creation {
  readonly id: string
  readonly installed: InstalledAgent
  readonly written: WrittenResource
}

async function create(call: Call, { id, installed, written }: Creation): Promise<Outcome> {
  const force = call.flags.has('force')
  const { cib } = await call.cluster.readCib()
  if (force) tellUnknownAgent(call, installed)
  refuseNodesByTheWay(call, written, installed.agent)
  refuseSecondConnection(cib, { id, installed, written })
  const asPcs = judgesAsPcs(call.speech)
  const inside = placement(written, { force: takesAnyValue(call), disabled: call.flags.has('disabled') })
  if (asPcs) refuseTakenIds(cib, id, { inside, written })
  const names = written.operations.map(({ name }) => name)
  const ofOperations = asPcs ? newOperationMistakes(written.operations, installed) : []
  const final = ofOperations.filter(({ forceable }) => !forceable).map(({ message }) => message)
  const mistakes = [
    ...(asPcs ? ofOperations.map(({ message }) => message) : operationMistakes(installed, names)).filter(
      (message) => !force || !final.includes(message),
    ),
    ...parameterMistakes(installed, written.parameters, { required: true }),
    ...sharedUniqueValues(cib, installed, { id, parameters: written.parameters, isNew: true }),
    ...(inside?.kind === 'clone' && isPromotable(inside) ? promotionMistakes(installed) : []),
  ]
  if (mistakes.length > 0 && !force) throw new Refusal(...mistakes)
  if (mistakes.length > 0) call.tell({ code: 'forced', messages: mistakes })
  if (final.length > 0) throw new Refusal(...final)
  for (const [flag, ask] of checks) {
    if (!call.flags.has(flag) || call.cluster.isScratch === true) continue
    const objections = await ask(installed, Object.fromEntries(written.parameters))
    if (objections.length > 0 && !force) throw new Refusal(...objections)
    for (const objection of objections) call.terminal.progress(`Warning: ${objection}`)
  }
  for (const warning of timeoutWarnings(installed, written.operations)) call.terminal.progress(warning)
  for (const name of strayCloneOptions('primitive', [...written.meta.keys()]))
    call.terminal.progress(`Warning: '${name}' is a clone option and has no effect in the resource ${id}.`)
  const operations = written.operations.map(({ name, attributes }) => ({
    name,
    attributes: Object.fromEntries(attributes),
  }))
  const advice = advised(installed, written, call.flags.has('no-default-ops'))
  for (const { operation, movedFrom } of adviceTaken(operations, advice))
    if (movedFrom !== undefined) {
      const to = operation.attributes.interval ?? ''
      call.tell({ code: 'interval-moved', operation: operation.name, from: movedFrom, to })
      call.terminal.progress(
        `Warning: the agent recommends two ${operation.name} operations with the interval ${movedFrom}; one gets the interval ${to}.`,
      )
    }
  const request: NewPrimitive = {
    id,
    agent: installed.agent,
    parameters: Object.fromEntries(written.parameters),
    // What unfences says so, whatever was typed.
    meta: { ...Object.fromEntries(written.meta), ...(unfences(installed) ? { provides: 'unfencing' } : {}) },
    operations,
    advisedOperations: advice,
    // A clone is disabled as a whole.
    disabled: call.flags.has('disabled') && inside?.kind !== 'clone',
    force: takesAnyValue(call),
    keepsEmpty: judgesAsPcs(call.speech),
    ...(inside ? { inside } : {}),
  }
  return await changeCib(call, {
    edit: (cib) => createPrimitive(cib, request),
    message: ({ created }) => `Created: ${created.join(', ')}.`,
    facts: ({ created }) => ({ created }),
    isSecret: privateParameters(installed),
  })
}

/** Nothing is known of what is not installed here. */
function tellUnknownAgent(call: Call, { agent, metadata }: InstalledAgent): void {
  if (metadata.actions.length + metadata.parameters.length > 0 || call.cluster.isScratch === true) return
  call.tell({ code: 'forced', messages: [{ own: '', about: { code: 'no-metadata', agent: agentName(agent) } }] })
}

function refuseSecondConnection(cib: XmlElement, { id, installed, written }: Creation): void {
  const guest = written.meta.get('remote-node')
  if (guest) refuseTaken(cib, guest, written.meta.get('remote-addr'))
  if (agentName(installed.agent) === 'ocf:pacemaker:remote')
    refuseTakenAddress(cib, written.parameters.get('server') ?? id)
}

/** pcs looks at ids before it looks at anything else of a resource. */
function refuseTakenIds(
  cib: XmlElement,
  id: string,
  { inside, written }: { readonly inside: NewPrimitive['inside']; readonly written: WrittenResource },
): void {
  const has = (other: string): boolean => elementWithId(cib, other) !== undefined
  if (has(id)) throw new Refusal({ own: `'${id}' exists already.`, about: { code: 'id-in-use', id, by: 'another' } })
  const clone = inside?.kind === 'clone' ? inside.cloneId : undefined
  const bad = clone === undefined ? undefined : badCharacter(clone, 'id')
  if (bad !== undefined) throw new Refusal(saidByPcs(bad))
  if (clone !== undefined && has(clone)) throw new Refusal(saidByPcs(`'${clone}' already exists`))
  const taken = takenOperationId(written.operations, id, has)
  if (taken !== undefined)
    throw new Refusal({ own: `'${taken}' exists already.`, about: { code: 'id-in-use', id: taken, by: 'another' } })
}

/** A fence agent that switches a node's access on again when it starts. */
const unfences = ({ agent, metadata }: InstalledAgent): boolean =>
  agent.class === 'stonith' &&
  metadata.actions.some(({ name, automatic, onTarget }) => name === 'on' && automatic && onTarget)

/** Without the defaults the agent's monitors stay, unless others are asked for: something must look after the resource. */
function advised(
  installed: InstalledAgent,
  { operations }: WrittenResource,
  onlyMonitors: boolean,
): NewPrimitive['advisedOperations'] {
  const all = advisedOperations(installed)
  if (!onlyMonitors) return all
  const hasMonitor = operations.some(({ name }) => name === 'monitor')
  return hasMonitor ? [] : all.filter(({ name }) => name === 'monitor')
}

function placement(
  written: WrittenResource,
  { force, disabled }: { readonly force: boolean; readonly disabled: boolean },
): NewPrimitive['inside'] {
  const { group, clone, promotable, bundle } = written
  if (group) {
    const { id, ...neighbour } = group
    return { kind: 'group', group: id, ...neighbour }
  }
  if (bundle !== undefined) return { kind: 'bundle', id: bundle }
  const cloned = promotable ?? clone
  if (!cloned) return undefined
  return {
    kind: 'clone',
    promotable: promotable !== undefined,
    cloneMeta: { ...Object.fromEntries(cloned.meta), ...(disabled ? { 'target-role': 'Stopped' } : {}) },
    force,
    ...(cloned.id === undefined ? {} : { cloneId: cloned.id }),
  }
}
