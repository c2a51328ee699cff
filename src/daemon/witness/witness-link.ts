/**
 * What a node knows of the witness: it asks every two seconds, and tells it the list of nodes with that. Whichever of the two lists is
 * newer counts for both.
 */

import type { NodeName } from '../../base/index.ts'
import {
  afterAnswer,
  unheardWitness,
  type VoterNode,
  type WitnessAnswered,
  witnessProblem,
  witnessVoterState,
} from '../../quorum/index.ts'
import {
  type ClusterState,
  connectWitness,
  type HostPki,
  type PkiOrder,
  refuse,
  type TlsIdentity,
  type WitnessAnswer,
  type WitnessClient,
} from '../../rpc/index.ts'
import { acceptClusterFile } from '../node-list/accept-file.ts'
import { type ClusterFile, printClusterFile, type WitnessEntry } from '../node-list/cluster-file.ts'

export interface WitnessLinkPorts {
  readonly identity: () => TlsIdentity
  readonly file: () => ClusterFile
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  /** The witness's certificate, for this public key. */
  readonly sign: (witness: WitnessEntry, publicKey: string) => Promise<string>
  readonly onNodeList: (listed: ClusterFile) => void
  /** The witness is heard again, is silent, or was of no use for so long that it loses its vote. */
  readonly onChange: () => void
}

/** What its daemon keeps of a list that it passes on. */
export type WitnessKnowledge = Pick<WitnessAnswer, 'knowsLinks' | 'knowsPulseTimes'>

const unknown: WitnessKnowledge = { knowsLinks: false, knowsPulseTimes: false }

const askEveryMs = 2000
const answerWithinMs = 1500

export class WitnessLink {
  readonly #ports: WitnessLinkPorts
  #asked: { readonly host: string; readonly client: WitnessClient } | undefined
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #answered: Promise<void> = Promise.resolve()
  #health = unheardWitness(performance.now())
  #problem: string | undefined
  #knows = unknown
  #told = ''

  constructor(ports: WitnessLinkPorts) {
    this.#ports = ports
  }

  begin(): void {
    this.#timer = setInterval(() => this.look(), askEveryMs)
    this.look()
  }

  end(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#asked?.client.close()
    this.#asked = undefined
  }

  /** Also when the list has changed: the witness is told at once. */
  look(): void {
    if (this.#timer === undefined || this.#asking) return
    if (this.#ports.file().witness === undefined) {
      this.#forget()
      return
    }
    this.#asking = true
    this.#answered = this.#ask().finally(() => {
      this.#asking = false
    })
  }

  /** Resolves when it is known whether it is there now: a host that lost power was heard some seconds ago. */
  async lookNow(): Promise<void> {
    await this.#answered
    this.look()
    await this.#answered
  }

  hears(host: NodeName): boolean {
    return this.#ports.file().witness?.name === host && this.#found().state === 'up'
  }

  /** As it was heard last; nothing of one that was not heard. */
  get knows(): WitnessKnowledge {
    return this.#isAsked(this.#ports.file().witness) ? this.#knows : unknown
  }

  /** What it believes and shows. */
  async pki(): Promise<HostPki> {
    const { client } = this.#joined()
    return await client.followAuthority({ trust: [], renew: false }, { timeoutMs: answerWithinMs })
  }

  /** While the authority is replaced. Where it wants another certificate it gets one from this node. */
  async bringPki(order: PkiOrder): Promise<void> {
    const { client, witness } = this.#joined()
    const { publicKey } = await client.followAuthority(order, { timeoutMs: answerWithinMs })
    if (publicKey === undefined) return
    await client.renew({ certificate: await this.#ports.sign(witness, publicKey) }, { timeoutMs: answerWithinMs })
  }

  #joined(): { readonly client: WitnessClient; readonly witness: WitnessEntry } {
    const { witness } = this.#ports.file()
    if (witness === undefined) throw refuse('no-witness', 'The cluster has no witness.')
    return { witness, client: this.#client(witness) }
  }

  get voterState(): VoterNode['state'] {
    return witnessVoterState(this.#found(), performance.now())
  }

  state(): ClusterState['witness'] {
    const { witness } = this.#ports.file()
    if (witness === undefined) return undefined
    const { name, address, votes } = witness
    const { state } = this.#found()
    const problem = this.#foundProblem()
    return { name, address, votes, state, ...(problem === undefined ? {} : { problem }) }
  }

  #foundProblem(): string | undefined {
    const found = this.#found()
    return found.state === 'up' ? (this.#problem ?? witnessProblem(found, performance.now())) : undefined
  }

  /** Of the host that is the witness now: what was found of one before it says nothing of it. */
  #found(): ReturnType<typeof unheardWitness> {
    return this.#isAsked(this.#ports.file().witness) ? this.#health : unheardWitness(performance.now())
  }

  #isAsked(witness: WitnessEntry | undefined): boolean {
    return witness !== undefined && this.#asked?.host === placeOf(witness)
  }

  async #ask(): Promise<void> {
    const { file, quorate, sign, onNodeList } = this.#ports
    const { witness } = file()
    if (witness === undefined) return
    try {
      const asked = { json: printClusterFile(file()), quorate: quorate() }
      const client = this.#client(witness)
      const { json, started, counts, startedMs, problem, publicKey, ...knows } = await client.follow(asked, {
        timeoutMs: answerWithinMs,
      })
      if (this.#timer === undefined || !this.#isAsked(file().witness)) return
      this.#problem = problem
      this.#knows = knows
      this.#note({ state: started ? 'up' : 'stopped', counts, startedMs })
      onNodeList(acceptClusterFile(json))
      // Another node may have been faster; where it fails, the next answer asks again.
      if (publicKey !== undefined && quorate())
        sign(witness, publicKey)
          .then(async (certificate) => await client.renew({ certificate }))
          .catch(() => undefined)
    } catch {
      // Whatever it is: off, cut off, not joined yet, or with a certificate of another cluster.
      if (this.#isAsked(file().witness)) this.#note({ state: 'silent', counts: false })
    }
  }

  #note(answered: Pick<WitnessAnswered, 'state' | 'counts' | 'startedMs'>): void {
    const votes = this.#ports.file().witness?.votes === true
    this.#health = afterAnswer(this.#health, { ...answered, votes, quorate: this.#ports.quorate() }, performance.now())
    const told = `${this.#health.state} ${this.voterState} ${this.#foundProblem() ?? ''}`
    if (told === this.#told) return
    this.#told = told
    this.#ports.onChange()
  }

  #client(witness: WitnessEntry): WitnessClient {
    const at = placeOf(witness)
    if (this.#asked?.host === at) return this.#asked.client
    this.#forget()
    const client = this.#connect(witness)
    this.#asked = { host: at, client }
    return client
  }

  #connect({ name: node, address: host, ports }: WitnessEntry): WitnessClient {
    return connectWitness({ node, host, port: ports.peer }, this.#ports.identity)
  }

  /** After this node's certificate was renewed: the next question is asked with it. */
  renew(): void {
    const { witness } = this.#ports.file()
    if (witness === undefined || this.#asked === undefined) return
    this.#asked.client.close()
    this.#asked = { host: placeOf(witness), client: this.#connect(witness) }
  }

  #forget(): void {
    this.#asked?.client.close()
    this.#asked = undefined
    this.#health = unheardWitness(performance.now())
    this.#problem = undefined
    this.#knows = unknown
    this.#told = ''
  }
}

const placeOf = ({ name, address, ports }: WitnessEntry): string => `${name} ${address} ${ports.peer}`
