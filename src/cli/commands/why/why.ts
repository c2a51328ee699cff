import { didYouMean, similarWords, utcOffsetAt } from '../../../base/index.ts'
import { describeHold, type HoldNote, holdsIn, howToEnd } from '../../../holds/index.ts'
import type { FencingRecord } from '../../../rpc/index.ts'
import {
  explainFencing,
  explainMove,
  explainNode,
  explainResource,
  type ResourceExplanation,
  type Schedule,
  type SchedulerInput,
  schedule,
} from '../../../scheduler/index.ts'
import type { ClusterStatus, Resource } from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { watchdogSettingOf } from '../../facts/watchdog-setting.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import { md5 } from '../../host/md5.ts'
import { withoutQuorum } from '../status/status.ts'
import { describeAttempts, unresolved } from '../stonith/history.ts'
import { arrivals, withArrivals } from './arrivals.ts'
import { describeFailedVersion, failedVersion } from './failed-version.ts'
import { lackingHardware } from './hardware.ts'
import { describePrinted, printedByFailed } from './printed.ts'
import { describeUnderWay, underWay } from './under-way.ts'

export const why: Command = {
  path: ['why'],
  usage: '<resource> | <node> | --fence <node> | --move <resource> [<node>]',
  summary: 'Explain where a resource runs or why it does not run, or the state of a node',
  details:
    'The reasons come from the scheduler: the score for each node and its sources, what prevents the resource from running, and the last failures. ' +
    'Lines that begin with > show commands that would change it. ' +
    '--fence explains why a node must be fenced, or the effects of its loss; --move shows the effects of a move. Nothing is changed.',
  examples: ['systole why web', 'systole why n1', 'systole why --fence n1', 'systole why --move web n2'],
  flags: [
    {
      name: 'fence',
      summary: 'Explain why the node is fenced, or the effects of its loss: devices used and resources recovered',
    },
    { name: 'move', summary: 'Show where the resource would move, and what else would move' },
  ],
  completes: ['resource', 'node'],
  run: async (call) => {
    if (call.flags.has('fence') && call.flags.has('move')) throw new Refusal('--fence and --move exclude each other.')
    const state = await call.cluster.live?.getState({})
    if (state?.configured && !state.quorate)
      for (const line of withoutQuorum(state.members)) call.terminal.progress(line)
    if (call.flags.has('fence')) return whyFence(call)
    return call.flags.has('move') ? whyMove(call) : whyThere(call)
  },
}

async function whyThere(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'why <resource> | <node>' })
  const name = call.words[0] ?? ''
  const decision = schedule(await question(call))
  const holds = holdsIn((await call.cluster.readCib()).cib)
  const resource = withHolds(explainResource(decision, name), name, holds)
  const node = withHolds(explainNode(decision, name), name, holds)
  // A remote node has the name of its connection: both are told.
  if (resource && node) {
    const failed = await failedVersion(call, name)
    const [title = '', ...rest] = node.text.split('\n')
    const text = `${resource.text}\n\nThe node ${[title, ...describeFailedVersion(failed), ...rest].join('\n')}`
    return done(`${text}\n`, { ...resource, node, text, ...(failed && { failedVersion: failed }) })
  }
  if (resource) return await tellWithState(call, resource)
  if (!node) throw unknownName(decision, name)
  const { text, failing, records } = await fencedBefore(call, name)
  const failed = await failedVersion(call, name)
  const [title = '', ...rest] = node.text.split('\n')
  const lines = [title, ...failing, ...describeFailedVersion(failed), ...rest]
  return done(`${lines.join('\n')}\n${text}`, {
    ...node,
    fencingHistory: records,
    ...(failed && { failedVersion: failed }),
  })
}

/** Who holds it comes right after the first line; and where a node is in standby because it is held, its end is another command's. */
function withHolds<Explanation extends { readonly text: string }>(
  explanation: Explanation | undefined,
  name: string,
  holds: readonly HoldNote[],
): Explanation | undefined {
  if (explanation === undefined || holds.length === 0) return explanation
  const [title = '', ...rest] = explanation.text.split('\n')
  const own = holds.filter(({ node, resource }) => (resource ?? node) === name)
  const told = own.flatMap((hold) => [`  ${describeHold(hold)}.`, `  > ${howToEnd(hold)}`])
  const ofNodes = holds.filter(({ kind }) => kind === 'drain' || kind === 'standby')
  const remedy = (line: string): readonly string[] => {
    const hold = ofNodes.find(({ node }) => line.trim() === `> systole node unstandby ${node}`)
    if (hold === undefined) return [line]
    const indent = line.slice(0, line.indexOf('>'))
    return hold.node === name ? [] : [`${indent}  ${describeHold(hold)}.`, `${indent}> ${howToEnd(hold)}`]
  }
  return { ...explanation, text: [title, ...told, ...rest.flatMap(remedy)].join('\n'), holds: own }
}

async function tellWithState(call: Call, resource: ResourceExplanation): Promise<Outcome> {
  const state = await call.cluster.live?.getState({})
  const actions = state === undefined ? [] : underWay(resource, state)
  const lacking = await lackingHardware(call, call.words[0] ?? '')
  const hardware = lacking.map((sentence) => `  ${sentence}\n`).join('')
  const printed = await printedByFailed(call, resource)
  const came = await arrivals(call, resource)
  const text = withArrivals(resource, came, call.terminal.now())
  return done(`${text}\n${hardware}${describePrinted(printed)}${describeUnderWay(actions)}`, {
    ...resource,
    text,
    arrivals: came,
    printed,
    underWay: actions,
    ...(lacking.length === 0 ? {} : { lackingHardware: lacking }),
  })
}

async function whyFence(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'why --fence <node>' })
  const name = call.words[0] ?? ''
  const input = await question(call)
  const answer = explainFencing(input, name)
  switch (answer.kind) {
    case 'no-such-node':
      throw unknownName(schedule(input), name)
    case 'not-connected':
      throw new Refusal(
        `${name} is a ${answer.node.kind} node that is not connected and does not need fencing: systole why ${answer.node.connection ?? name}.`,
      )
    case 'report': {
      const { text, failing, records } = await fencedBefore(call, name)
      const deaf = await deafness(call, name)
      const [title = '', ...rest] = answer.report.text.split('\n')
      const lines = [title, ...failing, ...rest, ...(deaf === undefined ? [] : [deaf])]
      return done(`${lines.join('\n')}\n${text}`, { ...answer.report, deaf: deaf ?? null, fencingHistory: records })
    }
  }
}

async function whyMove(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'why --move <resource> [<node>]' })
  const [resource = '', node] = call.words
  const answer = explainMove(await question(call), resource, node)
  if (answer.kind === 'refused') throw new Refusal(...answer.sentences)
  return done(`${answer.report.text}\n`, answer.report)
}

async function question(call: Call): Promise<SchedulerInput> {
  const { cib } = await call.cluster.readCib()
  return { cib, now: secondsOf(call.terminal.now()), md5, utcOffsetAt, explain: true }
}

/** What the configuration alone does not show: a node that is to read disks of SBD's, and does not tell that it does. */
async function deafness(call: Call, name: string): Promise<string | undefined> {
  const member = (await call.cluster.live?.getState({}))?.members.find(({ node }) => node === name)
  if (member?.state !== 'member' || member.sbdDisks.length > 0) return undefined
  const { cib } = await call.cluster.readCib()
  const wanted = watchdogSettingOf(cib).disks.get(name) ?? []
  if (wanted.length === 0) return undefined
  return `It currently reads none of ${wanted.join(', ')}, so fence_sbd is not used for it. \`systole status\` on ${name} shows why.`
}

interface FencedBefore {
  readonly text: string
  /** Why it is not fenced yet, for the top of an answer. */
  readonly failing: readonly string[]
  readonly records: readonly FencingRecord[]
}

async function fencedBefore(call: Call, name: string): Promise<FencedBefore> {
  const state = await call.cluster.live?.getState({})
  const now = secondsOf(call.terminal.now())
  const records = (state?.fencing ?? []).filter(({ target }) => target === name)
  const open = unresolved(records).filter(({ outcome }) => outcome === 'failed')
  const lines = describeAttempts(
    records.filter((record) => !open.includes(record)),
    now,
  ).map((line) => `  ${line}\n`)
  const devices = [...new Set(open.flatMap(({ device }) => device ?? []))]
  return {
    text: lines.length > 0 ? `Fenced before:\n${lines.join('')}` : '',
    failing: [
      ...describeAttempts(open, now).map((line) => `  Its fencing fails: ${line}`),
      ...devices.map((device) => `  > fix the device, for example: systole stonith update ${device} <option>=<value>`),
    ],
    records,
  }
}

function unknownName({ status }: Schedule, name: string): Refusal {
  return new Refusal(`There is no resource or node '${name}'.${didYouMean(similarWords(name, namesIn(status)))}`)
}

function namesIn(status: ClusterStatus): readonly string[] {
  return [...status.nodes.map(({ name }) => name), ...status.resources.flatMap(idsOf)]
}

function idsOf(resource: Resource): readonly string[] {
  if (resource.kind === 'group') return [resource.configuredId, ...resource.members.flatMap(idsOf)]
  if (resource.kind === 'clone') return [resource.configuredId, ...resource.instances.flatMap(idsOf)]
  return [resource.configuredId]
}
