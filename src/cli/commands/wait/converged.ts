/** Whether the cluster is done: everything runs as often as it was asked for, every service has its instances, and nothing is left to do. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ClusterState } from '../../../rpc/index.ts'
import { missing, type Service } from '../../../services/index.ts'
import { type ClusterStatus, partsOf, type Resource } from '../../../status/index.ts'
import { type Call, type Command, done, type Outcome } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { stoppedTogether, withoutPlace } from '../../change/left-stopped.ts'
import { isFencing } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { knownServices } from '../service/known.ts'
import { timeoutFlag, timeoutOf } from '../service/wait.ts'

const pollMs = 500

export type Convergence = 'converged' | 'converging' | 'blocked'

export const waitConverged: Command = {
  path: ['wait', 'converged'],
  usage: '[--timeout=<duration>]',
  summary: 'Wait until everything runs as often as it was asked for and every service is healthy',
  details:
    'The exit code is 0 when the cluster has converged, 75 when it is still converging after the time, and 3 when it is blocked: nothing is being done, and something is missing. The output lists the missing instances and the reasons.',
  examples: ['systole wait converged --timeout=5m'],
  flags: [timeoutFlag],
  run: untilConverged,
}

const exitCodes: Readonly<Record<Convergence, number>> = { converged: 0, converging: 75, blocked: 3 }

async function untilConverged(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'wait converged [--timeout=<duration>]' })
  const live = liveCluster(call)
  const until = performance.now() + timeoutOf(call)
  let told = ''
  for (;;) {
    const verdict = await judge(call, await live.getState({}))
    const text = [`${verdict.state}\n`, ...verdict.missing.map((line) => `  ${line}\n`)].join('')
    if (verdict.state === 'converged' || performance.now() >= until)
      return done(text, verdict, exitCodes[verdict.state])
    // How long ago something was is no news.
    const news = text.replace(/ \([^()]* ago\)/g, '')
    if (news !== told) call.terminal.progress(text.trimEnd())
    told = news
    await delay(pollMs)
  }
}

interface Verdict {
  readonly state: Convergence
  readonly missing: readonly string[]
}

export const convergence = async (call: Call): Promise<Verdict> =>
  await judge(call, await liveCluster(call).getState({}))

async function judge(call: Call, state: ClusterState): Promise<Verdict> {
  const { services, status } = await knownServices(call)
  const { transition } = state
  const isBusy = transition.state === 'computing' || transition.state === 'running'
  const lacking = [
    ...(state.quorate ? [] : ['this node has no quorum']),
    ...status.resources.flatMap((resource) => tooFew(resource, status)),
    ...services.flatMap((service) => lackingOf(service, status)),
  ]
  if (isBusy)
    return { state: 'converging', missing: [...lacking, ...transition.pending.map((action) => `pending: ${action}`)] }
  const blocked = transition.blockedBy
  if (lacking.length === 0 && blocked.length === 0) return { state: 'converged', missing: [] }
  const { cib } = await call.cluster.readCib()
  const now = call.terminal.now()
  const causes = [...stoppedTogether(cib, now), ...withoutPlace(cib, now)].map(
    ({ resources, cause }) => `${resources.join(', ')}: ${cause}`,
  )
  return {
    state: waitsForCheck(services, lacking, blocked) ? 'converging' : 'blocked',
    missing: [...lacking, ...blocked, ...causes],
  }
}

/** Nothing is left to do for the cluster, and the first result of a check is on its way. */
function waitsForCheck(services: readonly Service[], lacking: readonly string[], blocked: readonly string[]): boolean {
  const others = lacking.filter((line) => !services.some(({ definition }) => line.startsWith(`${definition.name}: `)))
  const states = services.flatMap(({ instances }) => instances.map((one) => one.state))
  return others.length === 0 && blocked.length === 0 && states.includes('starting') && !states.includes('failing')
}

function lackingOf(service: Service, status: ClusterStatus): readonly string[] {
  // What is stopped on purpose is missed by nobody, unless a number was asked for.
  if (service.expected === 0 || status.options.stopAllResources) return []
  return missing(service, service.expected) ?? []
}

/** Of a clone and a bundle by their number of instances, of everything else by its primitives. */
function tooFew(resource: Resource, status: ClusterStatus): readonly string[] {
  if (resource.orphan || isFencing(resource) || status.options.stopAllResources) return []
  if (resource.meta.targetRole === 'Stopped' || !resource.meta.managed || resource.meta.maintenance) return []
  const id = String(resource.configuredId)
  switch (resource.kind) {
    case 'primitive':
      return resource.state.active.length > 0 ? [] : [`${id}: 0 of 1 running`]
    case 'group':
      return resource.members.flatMap((member) => tooFew(member, status))
    case 'clone': {
      // What is left of instances from before clone-max became less is wanted by nobody.
      const instances = resource.instances.filter(({ orphan }) => !orphan)
      const wanted = Math.min(resource.cloneMax, instances.length)
      const there = instances.filter((one) => isWhole(one)).length
      const online = status.nodes.filter((node) => node.online && !node.standby && !node.isBundleNode).length
      const why = online * resource.cloneNodeMax < wanted ? ', no eligible node' : ''
      return there >= wanted ? [] : [`${id}: ${there} of ${wanted} running${why}`]
    }
    case 'bundle': {
      const there = resource.replicas.filter(
        ({ container, child }) => isWhole(container) && (child === undefined || isWhole(child)),
      )
      return there.length >= resource.replicas.length
        ? []
        : [`${id}: ${there.length} of ${resource.replicas.length} running`]
    }
  }
}

const isWhole = (resource: Resource): boolean =>
  resource.kind === 'primitive' ? resource.state.active.length > 0 : partsOf(resource).every(isWhole)
