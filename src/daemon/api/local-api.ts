/** What the command line asks of its daemon. */

import type { NodeName } from '../../base/index.ts'
import { didYouMean, longestName, nodeName, similarWords, tooLong } from '../../base/index.ts'
import {
  type Certificates,
  type Handlers,
  type localService,
  type NodeAnswer,
  type NodesRequest,
  refuse,
} from '../../rpc/index.ts'
import { joinCluster, setUpCluster } from '../joining/enrol.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'
import { addNode, keepNode, removeNode } from '../node-list-changes/add-remove-node.ts'
import { addLink, removeLinks, updateLink } from '../node-list-changes/change-links.ts'
import { setToken } from '../node-list-changes/pulse-times.ts'
import { ownCertificates, renewalTime } from '../pki/certificates.ts'
import { confirmFencing } from '../records/confirm-fencing.ts'
import { refuseUnfit } from '../records/fit-value.ts'
import { forgetFencing } from '../records/forget-fencing.ts'
import { deleteHistory } from '../records/forget-history.ts'
import { refuseManyTickets } from '../records/record-room.ts'
import { changeTicket, ticketAfter } from '../records/ticket-after.ts'
import { clearNode } from '../removal/forget-node.ts'
import { alertHandlers } from './alert-api.ts'
import { configurationHandlers } from './configuration-api.ts'
import { configuredFile } from './configured-file.ts'
import { consoleHandlers } from './console-api.ts'
import { copyHandlers } from './copy-api.ts'
import { fleetHandlers } from './fleet-api.ts'
import { holdHandlers } from './hold-api.ts'
import { jobHandlers } from './job-api.ts'
import { issueForAdded, joinTokenHandlers, setupTokens } from './join-token-api.ts'
import { journalHandlers } from './journal-api.ts'
import { lifecycleHandlers } from './lifecycle-api.ts'
import { guardLocal } from './local-calls.ts'
import { lockHandlers } from './lock-api.ts'
import { pkiHandlers } from './pki-api.ts'
import { playHandlers } from './play-api.ts'
import { passedOnByWitness } from './relayed-calls.ts'
import { rolloutHandlers } from './rollout-api.ts'
import { witnessHandlers } from './witness-api.ts'

const peerTimeoutMs = 15_000
/** Stopping waits for every resource's own time limit; the caller sees what is being stopped with `status`. */
const stopTimeoutMs = 30 * 60_000

export function localHandlers(daemon: Daemon): Handlers<typeof localService> {
  const own = guardLocal(daemon, {
    ...configurationHandlers(daemon),
    ...stateHandlers(daemon),
    ...membershipHandlers(daemon),
    ...joinTokenHandlers(daemon),
    ...pkiHandlers(daemon),
    ...witnessHandlers(daemon),
    ...lockHandlers(daemon),
    ...rolloutHandlers(daemon),
    ...lifecycleHandlers(daemon),
    ...holdHandlers(daemon),
    ...jobHandlers(daemon),
    ...copyHandlers(daemon),
    ...playHandlers(daemon),
    ...consoleHandlers(daemon),
    ...fleetHandlers(daemon),
    ...journalHandlers(daemon),
    ...alertHandlers(daemon),
  })
  return passedOnByWitness(daemon, own)
}

type LocalHandlers = Handlers<typeof localService>

function stateHandlers(
  daemon: Daemon,
): Pick<
  LocalHandlers,
  | 'getState'
  | 'watchState'
  | 'getMetrics'
  | 'setTransientAttribute'
  | 'deleteHistory'
  | 'setTicket'
  | 'fence'
  | 'confirmFencing'
  | 'cleanFencingHistory'
> {
  return {
    getState: async ({ askStore }) => {
      daemon.refuseOnWitness()
      return askStore === true ? await daemon.stateByStore() : daemon.state()
    },
    watchState: async (_, send, { signal }) => {
      daemon.refuseOnWitness()
      await daemon.watchState(send, signal)
    },
    getMetrics: async () => ({ json: JSON.stringify(await daemon.metrics.snapshot()) }),
    setTransientAttribute: async ({ node, name, value, set }) => {
      const target = knownNode(daemon, node)
      await daemon.node.attributes.set({
        node: target,
        set: set ?? '',
        name,
        ...(value === undefined ? {} : { value }),
      })
      return {}
    },
    deleteHistory: async (asked) => ({ deleted: await deleteHistory(daemon.node, asked) }),
    setTicket: async (asked) => {
      const sentence = asked.forget ? undefined : tooLong('name of the ticket', asked.id, longestName)
      if (sentence !== undefined) throw refuse('bad-name', sentence)
      refuseUnfit({ 'The id of a ticket': asked.id, ...asked.attributes })
      const [now, { tickets }] = [Math.floor(Date.now() / 1000), daemon.node.view]
      const ticket = ticketAfter(tickets.get(asked.id), asked, now)
      if (ticket) refuseManyTickets([...tickets.values()], [...new Map([...tickets, [asked.id, ticket]]).values()])
      await changeTicket(daemon.node.store, asked, now)
      return {}
    },
    fence: async ({ target, action, ...how }) => {
      if (action !== 'off' && action !== 'on' && action !== 'reboot')
        throw refuse('bad-action', `'${action}' is not a fencing action. Use off, on or reboot.`)
      return await daemon.node.fencing.fenceForAdministrator(knownNode(daemon, target), action, how)
    },
    confirmFencing: async ({ target }) => {
      const node = knownNode(daemon, target)
      await daemon.node.confirmOff(node, () => confirmFencing(daemon.node, node, Date.now()))
      return {}
    },
    cleanFencingHistory: async ({ target }) => ({
      deleted: await forgetFencing(
        daemon.node.store,
        daemon.state().fencing,
        target === undefined ? undefined : knownNode(daemon, target),
      ),
    }),
  }
}

/** A cluster node, or a remote node that the configuration or its history knows. */
function knownNode(daemon: Daemon, name: string): NodeName {
  const { view, file } = daemon.node
  const configured = view.configuration?.typed.nodes ?? []
  const known = [...file.nodes, ...configured, ...view.nodeStates.values()].map((node) =>
    'name' in node ? node.name : node.node,
  )
  const found = known.find((node) => node === name)
  if (found) return found
  throw refuse('no-such-node', `There is no node '${name}'.${didYouMean(similarWords(name, known))}`)
}

function becomingMember(daemon: Daemon): Pick<LocalHandlers, 'setupCluster' | 'joinCluster'> {
  return {
    setupCluster: async (asked, { caller }) => {
      daemon.refuseOnWitness()
      if (daemon.file && !asked.force) throw belongsAlready(daemon.file)
      const { file, keep } = await setUpCluster(daemon.paths, asked)
      if (daemon.file) await daemon.forget()
      keep()
      await daemon.configure(file)
      return await setupTokens(daemon, file, caller)
    },
    joinCluster: async (asked) => {
      daemon.refuseOnWitness()
      if (daemon.file && !asked.force) throw belongsAlready(daemon.file)
      const { file, node, keep } = await joinCluster(daemon.paths, asked)
      if (daemon.file) await daemon.forget()
      keep()
      await daemon.configure(file)
      return { clusterName: file.clusterName, node }
    },
  }
}

function membershipHandlers(
  daemon: Daemon,
): Pick<
  LocalHandlers,
  | 'startCluster'
  | 'stopCluster'
  | 'enableCluster'
  | 'setupCluster'
  | 'joinCluster'
  | 'addNode'
  | 'removeNode'
  | 'addLink'
  | 'updateLink'
  | 'removeLinks'
  | 'clearNode'
  | 'destroyCluster'
  | 'setToken'
  | 'unblockQuorum'
  | 'getCertificates'
  | 'renewCertificate'
> {
  return {
    startCluster: async (asked) => ({
      answers: await onNodes(daemon, asked, {
        here: async () => await daemon.startNode(),
        there: async (node) => await daemon.peer(node).startCluster({}, { timeoutMs: peerTimeoutMs }),
        done: 'started',
      }),
    }),
    stopCluster: async (asked) => ({
      answers: await onNodes(daemon, asked, {
        here: async () => await daemon.stopNode(),
        there: async (node) => await daemon.peer(node).stopCluster({}, { timeoutMs: stopTimeoutMs }),
        done: 'stopped',
      }),
    }),
    enableCluster: async ({ nodes, enabled }) => ({
      answers: await onNodes(
        daemon,
        { nodes },
        {
          here: async () => daemon.enableNode(enabled),
          there: async (node) => await daemon.peer(node).enableCluster({ enabled }, { timeoutMs: peerTimeoutMs }),
          done: enabled ? 'enabled' : 'disabled',
        },
      ),
    }),
    ...becomingMember(daemon),
    addNode: async ({ name, address, more }, { caller }) => {
      await daemon.joining.issuer.canSign()
      await addNode(daemon, { name: nodeName(name), addresses: [address || name, ...(more?.addresses ?? [])] })
      return await issueForAdded(daemon.joining.issuer, name, caller)
    },
    addLink: async (asked) => await addLink(daemon, asked),
    updateLink: async (asked) => await updateLink(daemon, asked),
    removeLinks: async ({ numbers }) => await removeLinks(daemon, numbers),
    removeNode: async ({ node, cancel }) => {
      if (cancel) await keepNode(daemon, knownNode(daemon, node))
      else await removeNode(daemon, knownNode(daemon, node))
      return {}
    },
    clearNode: async ({ node }) => {
      await clearNode(daemon.node, configuredFile(daemon), nodeName(node))
      return {}
    },
    setToken: async ({ tokenMs }) => ({ beforeMs: await setToken(daemon, tokenMs) }),
    unblockQuorum: async ({ confirmed, onlyAsk }) => {
      const { twoNode, lookForWitness } = daemon.node
      await lookForWitness()
      return {
        nodes: onlyAsk ? twoNode.nodesToConfirm() : await twoNode.goOnWithout(confirmed.map(nodeName)),
      }
    },
    getCertificates: async () => certificates(daemon),
    renewCertificate: async () => {
      configuredFile(daemon)
      await daemon.certificate.renew()
      return certificates(daemon)
    },
    destroyCluster: async ({ force }) => {
      configuredFile(daemon)
      if (daemon.running && !force)
        throw refuse(
          'still-started',
          'The cluster is running on this node. Run `systole cluster stop` first, or add --force.',
        )
      await daemon.forget()
      return {}
    },
  }
}

function belongsAlready(file: ClusterFile): Error {
  return refuse(
    'configured-already',
    `This host belongs to the cluster ${file.clusterName}. Add --force to discard that cluster and its configuration.`,
  )
}

function certificates(daemon: Daemon): Certificates {
  const turn = configuredFile(daemon).nodes.findIndex(({ name }) => name === daemon.name)
  const { node, authority } = ownCertificates(daemon.paths.pki)
  const text = (time: number): string => new Date(time).toISOString()
  return {
    node: daemon.name,
    validUntil: text(node.until),
    renewsAt: text(renewalTime(node, turn)),
    authorityValidUntil: text(authority.until),
  }
}

interface OnNodes {
  readonly here: () => Promise<void>
  readonly there: (node: NodeName) => Promise<NodeAnswer>
  readonly done: string
}

/** All at once: a cluster that stops node by node would move everything to the last one. */
async function onNodes(daemon: Daemon, asked: NodesRequest, act: OnNodes): Promise<readonly NodeAnswer[]> {
  const file = configuredFile(daemon)
  const names = file.nodes.map(({ name }) => name)
  const unknown = asked.nodes.filter((node) => !names.includes(nodeName(node)))
  if (unknown.length > 0)
    throw refuse(
      'no-such-node',
      ...unknown.map((node) => `There is no node '${node}'.${didYouMean(similarWords(node, names))}`),
    )
  const chosen = asked.nodes.length === 0 ? names : asked.nodes.map(nodeName)
  return await Promise.all(
    chosen.map(async (node): Promise<NodeAnswer> => {
      try {
        if (node !== daemon.name) return await act.there(node)
        await act.here()
        return { node, ok: true, message: act.done }
      } catch (error) {
        return { node, ok: false, message: error instanceof Error ? error.message : String(error) }
      }
    }),
  )
}
