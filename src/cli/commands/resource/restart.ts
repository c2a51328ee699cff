/** `restart`: stop, wait until everything has stopped, start again as it was. */
import {
  banNode,
  clearCliConstraints,
  disableResources,
  type EditResult,
  findResource,
  setResourceMeta,
  writtenValue,
  type XmlElement,
} from '../../../cib/index.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { applyChange, type Changed, concernedAndStopped, concernedBy } from '../../change/change.ts'
import { type LeftStopped, printLeftStopped } from '../../change/left-stopped.ts'
import { waitUntilSettled } from '../../change/wait.ts'
import { resourceLocations } from '../../facts/locations.ts'
import { expectWords } from '../../grammar/words.ts'

export const resourceRestart: Command = {
  path: ['resource', 'restart'],
  usage: '<resource> [<node>] [--wait=<seconds>]',
  summary: 'Restart a resource and its dependents',
  details:
    'With a node, only the clone instance on that node is restarted. The resource’s target-role is restored afterwards, even if stopping fails. The exit code is 1 if it does not run again, with the reason.',
  flags: changeFlags,
  completes: ['resource', 'node'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'resource restart <resource> [<node>]' })
    const live = liveCluster(call)
    const [resource = '', node] = call.words
    const { cib } = await call.cluster.readCib()
    const found = findResource(cib, resource)
    const nodes = found ? resourceLocations(cib, resource, call.terminal.now()) : []
    if (found && nodes.length === 0) throw new Refusal(`'${resource}' does not run, so it cannot be restarted.`)
    const origin = {
      author: `${call.terminal.user}@${(await live.getState({})).localNode}`,
      time: call.terminal.now().toISOString(),
    }
    const before = found ? writtenValue(found, 'meta_attributes', 'target-role') : undefined
    const stop = (document: XmlElement): EditResult =>
      node === undefined
        ? disableResources(document, { ids: [resource] })
        : banNode(document, { resource, node, origin })
    const start = (document: XmlElement): EditResult =>
      node === undefined
        ? setResourceMeta(document, { id: resource, meta: { 'target-role': before ?? '' }, force: true })
        : clearCliConstraints(document, { resource, node })
    const stopped = await applyChange(call, { edit: stop, message: () => `${resource} stops.` })
    if (stopped.version === undefined) return previewOf(stopped)
    const ended = await settle(call, stopped, stopped.version)
    const started = await applyChange(
      { ...call, flags: forced(call) },
      { edit: start, message: () => `${resource} starts again.` },
    )
    if (started.version === undefined) throw new Refusal('The resource stopped, but could not be started again.')
    const begun = await settle(call, started, started.version)
    // What kept running although a gate is closed, or a node is banned, does not start again.
    const notRunning = begun.settled ? await concernedAndStopped(call, started) : []
    return report(call, resource, { ended, begun, notRunning })
  },
}

type Settled = Awaited<ReturnType<typeof waitUntilSettled>>

async function settle(call: Call, changed: Changed, version: number): Promise<Settled> {
  return await waitUntilSettled(call, {
    wait: call.flags.get('wait') ?? true,
    version,
    concerned: concernedBy(call, changed),
  })
}

function forced(call: Call): ReadonlyMap<string, string | true> {
  return new Map<string, string | true>([...call.flags].filter(([name]) => name !== 'preview')).set('force', true)
}

function previewOf({ message, actions }: Changed): Outcome {
  const lines = actions.map(({ text }) => `${text}\n`).join('')
  return done(`Preview: nothing was changed. ${message}\n${lines}Then it would be started again.\n`, {
    preview: true,
    message,
    actions,
  })
}

interface Restarted {
  readonly ended: Settled
  readonly begun: Settled
  readonly notRunning: readonly LeftStopped[]
}

function report(call: Call, resource: string, { ended, begun, notRunning }: Restarted): Outcome {
  const settled = ended.settled && begun.settled
  const failure =
    notRunning.length === 0 ? '' : `Stopped ${resource}, and it does not start again:\n${printLeftStopped(notRunning)}`
  if (failure !== '') call.tell({ code: 'not-as-asked', text: failure.trim() })
  const unsettled = [ended, begun].filter((one) => !one.settled).map(({ message }) => `${message}\n`)
  const text = settled && failure === '' ? `Restarted ${resource}.\n` : `${unsettled.join('')}${failure}`
  return done(
    text,
    { resource, settled, stopped: ended.message, started: begun.message, notRunning },
    settled && failure === '' ? 0 : 1,
  )
}
