/**
 * A witness that was away when it was removed hears nobody: no node calls it any more, its certificate is revoked for etcd, and the nodes' ports of etcd are
 * closed to it. It asks each node of its own list whether it is the witness still, the one thing that a witness may ask. Where the authority was replaced
 * after the removal, no answer of a node can be believed any more: that is told, for a person to look at. And before it obeys a node whose removal it may have missed,
 * it asks all of them for their lists ([ADR 70](../../../docs/adr/0070-the-others-are-asked-first.md)).
 */
import { connect } from 'node:net'
import { setImmediate as afterOthers } from 'node:timers/promises'
import {
  connectPeer,
  type NodeCaller,
  type PeerClient,
  serialOf,
  showsOtherAuthority,
  type TlsIdentity,
  type WitnessPlace,
} from '../../rpc/index.ts'
import { acceptClusterFile } from '../node-list/accept-file.ts'
import { type ClusterFile, type ClusterNodeEntry, printClusterFile } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import type { Said } from '../node-list/others-say.ts'

/** How long nobody must have called before it asks, and how often it does: each node calls every two seconds. */
export interface AskPace {
  readonly afterMs: number
  readonly everyMs: number
}

export const askPace: AskPace = { afterMs: 5000, everyMs: 2000 }
const answerWithinMs = 1500
/** Whoever waits for the witness's answer meanwhile, waits no longer than that (witness-link.ts). */
const listWithinMs = 700
/** A node that is up and has not answered after that time counts as off: its daemon hangs. What came late is remembered for as long, because the nodes ask the witness again after two seconds. */
const lateListWithinMs = 5000

export interface AskPlacePorts {
  readonly file: () => ClusterFile
  readonly identity: () => TlsIdentity
  /** Nodes call no longer, and its vote does not count. */
  readonly isLonely: () => boolean
  readonly onWord: (node: string, removed: boolean) => void
  /** Whoever answers at the node's address shows a certificate of an authority that this host does not believe, or (`false`) is believed. */
  readonly onOtherAuthority: (node: string, shown: boolean) => void
  /** Another time than 5 s. */
  readonly lateListWithinMs?: number
}

/** `late`: nodes that are up, and that have not answered yet. */
export interface OthersLists {
  readonly said: readonly Said[]
  readonly late: readonly string[]
}

interface AskedForList {
  readonly answer: Promise<readonly Said[]>
  /** The host takes connections at the node's port: it is up, whatever its daemon says. */
  readonly isUp: () => boolean
}

export class AskPlace {
  readonly #ports: AskPlacePorts
  /** Those that are being asked, or answered late a moment ago. */
  readonly #asked = new Map<string, AskedForList>()
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #turn = 0

  constructor(ports: AskPlacePorts) {
    this.#ports = ports
  }

  begin({ everyMs }: AskPace): void {
    this.#timer ??= setInterval(() => {
      if (!this.#asking && this.#ports.isLonely()) void this.#ask()
    }, everyMs)
    this.#timer.unref()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #ask(): Promise<void> {
    this.#asking = true
    const { file } = this.#ports
    const turn = this.#turn++
    await Promise.all(file().nodes.map(async (node) => await this.#askNode(node, turn)))
    this.#asking = false
  }

  /** `turn`: of several links each is tried in its turn. */
  async #askNode(node: ClusterNodeEntry, turn: number): Promise<void> {
    const { file, onWord, onOtherAuthority } = this.#ports
    const client = this.#connect(node, turn)
    try {
      const { listed, nodesVersion } = await client.getWitnessPlace({}, { timeoutMs: answerWithinMs })
      if (this.#timer === undefined) return
      onOtherAuthority(node.name, false)
      onWord(node.name, !listed && nodesVersion >= file().nodesVersion)
    } catch (error) {
      // Mostly it is off, cut off, or of an older build, which says nothing to a witness.
      if (this.#timer !== undefined && showsOtherAuthority(error)) onOtherAuthority(node.name, true)
    } finally {
      client.close()
    }
  }

  /** The lists of those who answer and know this host as their witness. On a busy machine nobody is off because the answer takes longer. */
  async lists(): Promise<OthersLists> {
    const turn = this.#turn++
    const late: string[] = []
    const asked = this.#ports.file().nodes.map(async (node): Promise<readonly Said[]> => {
      const { answer, isUp } = this.#asked.get(node.name) ?? this.#askForList(node, turn)
      const known = await Promise.race([answer, elapsed(listWithinMs)])
      if (known === undefined && isUp()) late.push(node.name)
      return known ?? []
    })
    return { said: (await Promise.all(asked)).flat(), late }
  }

  #askForList(node: ClusterNodeEntry, turn: number): AskedForList {
    const client = this.#connect(node, turn)
    let isUp = false
    const knock = connect({ host: this.#addressOf(node, turn), port: node.ports.peer }, () => {
      isUp = true
      knock.destroy()
    }).on('error', () => undefined)
    const begun = performance.now()
    const answer = client
      .getWitnessPlace({}, { timeoutMs: this.#ports.lateListWithinMs ?? lateListWithinMs })
      .then(({ json }) => (json === '' ? [] : [{ node: node.name, file: acceptClusterFile(json) }]))
      .catch(() => [])
      .finally(() => {
        client.close()
        knock.destroy()
        const forget = (): void => void this.#asked.delete(node.name)
        if (performance.now() - begun < listWithinMs) forget()
        else setTimeout(forget, lateListWithinMs).unref()
      })
    const asked = { answer, isUp: () => isUp }
    this.#asked.set(node.name, asked)
    return asked
  }

  #addressOf(node: ClusterNodeEntry, turn: number): string {
    const addresses = addressesOf(node)
    return addresses[turn % addresses.length] ?? node.address
  }

  #connect(node: ClusterNodeEntry, turn: number): PeerClient {
    const host = this.#addressOf(node, turn)
    return connectPeer({ node: node.name, host, port: node.ports.peer }, this.#ports.identity)
  }
}

/** After what has come in the meantime: a process that was not scheduled finds its time over before it has read anything. */
async function elapsed(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  await afterOthers()
}

/** Answered to whoever shows a witness's certificate. One that was removed and has joined again has another key, and the one before is revoked. */
export function witnessPlace(file: ClusterFile, caller: Pick<NodeCaller, 'name' | 'key'>): WitnessPlace {
  const isRevoked = file.revoked?.includes(serialOf(caller.key)) === true
  const listed = file.witness?.name === caller.name && !isRevoked
  return { listed, nodesVersion: file.nodesVersion, json: listed ? printClusterFile(file) : '' }
}
