import {
  type Agent,
  childElement,
  describeCibReport,
  readConfiguration,
  validateCib,
  type XmlElement,
} from '../../../cib/index.ts'
import { findAgent, runsAsUnit } from '../../../resource-agents/index.ts'
import type { ClusterState } from '../../../rpc/index.ts'
import { fileAccess } from '../../access/file-access.ts'
import { type Call, type Command, changeFlags, done, type Outcome, Refusal } from '../../call/command.ts'
import { applyChange } from '../../change/change.ts'
import { type PlannedAction, plannedActions, printPlannedActions } from '../../change/planned-actions.ts'
import { waitUntilSettled } from '../../change/wait.ts'
import { linksOf } from '../../facts/member-links.ts'
import { expectWords } from '../../grammar/words.ts'
import { agentHost, fenceAgentFolders } from '../../host/agents.ts'
import { secondsOf } from '../../host/host-time.ts'
import { adoptConfiguration, compareRunning, type Found, setMaintenance } from '../../import/adopt.ts'
import { type CorosyncFacts, corosyncFacts, parseCorosyncConf } from '../../import/corosync-conf.ts'
import type { OwnCluster } from '../../import/corosync-notes.ts'
import { type Findings, findingsOf } from '../../import/findings.ts'
import { setupLine } from '../../import/setup-line.ts'

export const importCluster: Command = {
  path: ['import'],
  usage: '<cib.xml> [--corosync-conf <file>] [--preview] [--force]',
  summary: 'Take over the configuration and the running resources of a Pacemaker cluster',
  details:
    'Checks the CIB, the agents of this node and the node names, reports what Systole would do differently, and imports the configuration ' +
    'in maintenance mode: resources are probed but not changed. Then it reports where each resource was found and what ending maintenance mode would do. ' +
    'docs/guides/import.md describes the whole procedure.',
  examples: ['systole import /root/cib.xml --corosync-conf /etc/corosync/corosync.conf'],
  flags: [
    ...changeFlags.filter(({ name }) => name !== 'wait'),
    {
      name: 'corosync-conf',
      value: 'file',
      summary: 'The corosync.conf of that cluster, for settings that are not in the CIB',
    },
  ],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'import <cib.xml> [--corosync-conf <file>]' })
    const { cib: other } = await fileAccess(call.words[0] ?? '').readCib()
    const corosync = await readCorosyncConf(call)
    const state = await call.cluster.live?.getState({})
    if (state?.configured === false) throw notSetUp(corosync, state.localNode)
    const { cib: own } = await call.cluster.readCib()
    const findings = findingsOf({
      cib: other,
      corosync,
      own: ownCluster(state),
      addressOf: await addressesIn(corosync, call),
      clusterNodes: readConfiguration(own).nodes.map(({ name }) => String(name)),
      missing: missingHere,
    })
    refuse(call, [...mistakesIn(other), ...findings.problems, ...alreadyConfigured(own)])
    const changed = await applyChange(call, {
      edit: (cib) => adoptConfiguration(cib, other),
      message: () => 'The configuration was imported in maintenance mode.',
    })
    if (changed.version === undefined) return previewed(other, findings, call)
    return await foundRunning(call, { other, findings, version: changed.version })
  },
}

async function readCorosyncConf(call: Call): Promise<CorosyncFacts | undefined> {
  const file = call.flags.get('corosync-conf')
  if (typeof file !== 'string') return undefined
  const parsed = parseCorosyncConf(await call.terminal.readFile(file))
  if (!('badLine' in parsed)) return corosyncFacts(parsed)
  throw new Refusal(`${file} is not a corosync.conf: line ${parsed.badLine} is neither 'name {', 'key: value' nor '}'.`)
}

function notSetUp(corosync: CorosyncFacts | undefined, self: string): Refusal {
  const line = corosync && setupLine(corosync, self)
  const how = line === undefined ? 'systole cluster setup' : `as corosync.conf has it, on its first node: ${line}`
  return new Refusal(`This host does not belong to a cluster yet. Set one up with the nodes of the CIB (${how}).`)
}

/** A CIB in a file has neither links nor times: it is taken for a cluster that has the defaults. */
function ownCluster(state: ClusterState | undefined): OwnCluster {
  return {
    nodes: (state?.members ?? []).map((member) => ({ name: member.node, links: linksOf(member) })),
    tokenMs: state?.tokenMs ?? 1000,
    witness: state?.witness?.name,
  }
}

async function addressesIn(
  corosync: CorosyncFacts | undefined,
  { terminal }: Call,
): Promise<(written: string) => string | undefined> {
  const written = corosync?.nodes.flatMap(({ links }) => links.map(({ address }) => address)) ?? []
  const known = await Promise.all(written.map(async (host) => [host, await terminal.resolve(host)] as const))
  const addresses = new Map(known)
  return (host) => addresses.get(host)
}

/** As clusters of old have them: `external/ipmi`. */
const isGluePlugin = ({ class: agentClass, type }: Agent): boolean =>
  agentClass === 'stonith' && /^(external|rhcs)\/[^/]+$/.test(type)

export function missingHere(agent: Agent): string | undefined {
  if (isGluePlugin(agent))
    return `stonith:${agent.type} is a plugin of cluster-glue, which Systole does not run. Use the fence agent for the same device (fence_…) instead.`
  const found = findAgent(agent, agentHost(), fenceAgentFolders())
  if (found.kind === 'program' || found.kind === 'unit') return undefined
  return runsAsUnit(agent) || found.kind === 'missing' ? `${found.message} Install it on every node.` : found.message
}

function mistakesIn(cib: XmlElement): readonly string[] {
  return validateCib(cib)
    .filter(({ severity }) => severity === 'error')
    .map(describeCibReport)
}

function alreadyConfigured(own: XmlElement): readonly string[] {
  const { resources } = readConfiguration(own)
  const [first] = resources
  return first === undefined ? [] : [`This cluster already has resources (${first.id}), which would be lost.`]
}

function refuse(call: Call, problems: readonly string[]): void {
  if (problems.length === 0 || call.flags.has('force')) return
  throw new Refusal(...problems, 'Nothing was changed. Fix this, or add --force to import anyway.')
}

function previewed(other: XmlElement, findings: Findings, call: Call): Outcome {
  const actions = hasStatus(other) ? actionsWithoutMaintenance(other, call.terminal.now()) : undefined
  const would =
    actions === undefined
      ? 'The CIB has no status. Save it with `cibadmin -Q` on the running cluster to see what Systole would do differently.\n'
      : actions.length === 0
        ? 'With the status in that CIB, Systole would do nothing.\n'
        : `With the status in that CIB, Systole would:\n${printPlannedActions(actions)}`
  const text = `Preview: nothing was changed.\n${would}${notes(findings)}`
  return done(text, { preview: true, ...findings, actions: actions ?? null })
}

async function foundRunning(
  call: Call,
  imported: { readonly other: XmlElement; readonly findings: Findings; readonly version: number },
): Promise<Outcome> {
  const { other, findings, version } = imported
  const settled = call.cluster.live
    ? await waitUntilSettled(call, { wait: true, version, concerned: 'all' })
    : undefined
  const now = call.terminal.now()
  const { cib } = await call.cluster.readCib()
  const places = compareRunning(other, cib, secondsOf(now))
  const actions = actionsWithoutMaintenance(cib, now)
  const facts = { version, ...findings, found: places, actions, settled: settled?.settled ?? null }
  const next =
    actions.length === 0
      ? 'Without maintenance mode, nothing would be started or stopped.\n'
      : `Without maintenance mode this would happen:\n${printPlannedActions(actions)}`
  const lines = places.map((place) => `  * ${describePlace(place, hasStatus(other))}\n`).join('')
  const text =
    `The configuration was imported in maintenance mode.\n${settled && !settled.settled ? `${settled.message}\n` : ''}` +
    `Found:\n${lines}${next}${notes(findings)}Take over with: systole property set maintenance-mode=false\n`
  return done(text, facts)
}

/** In maintenance mode nothing is to be done, so that these are all the actions there are. */
function actionsWithoutMaintenance(cib: XmlElement, now: Date): readonly PlannedAction[] {
  const [on, off] = [setMaintenance(cib, true), setMaintenance(cib, false)]
  if (!on.ok || !off.ok) throw new Refusal('The CIB has no <crm_config> section for cluster options.')
  return plannedActions(on.value.cib, off.value.cib, now)
}

function describePlace({ resource, there, here }: Found, knowsThere: boolean): string {
  const found = here.length === 0 ? 'stopped' : `on ${here.join(', ')}`
  if (!knowsThere || there.join() === here.join()) return `${resource}: ${found}`
  return `${resource}: ${found}; in that CIB it was ${there.length === 0 ? 'stopped' : `on ${there.join(', ')}`}`
}

function notes({ notes: all }: Findings): string {
  return all.map((note) => `Note: ${note}\n`).join('')
}

function hasStatus(cib: XmlElement): boolean {
  return (childElement(cib, 'status')?.children.length ?? 0) > 0
}
