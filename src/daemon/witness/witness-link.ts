/**
 * What a node knows of the witness: it asks every two seconds, and tells it the list of nodes with that. Whichever of the two lists is
 * newer counts for both.
 */
import type { NodeName } from '../../base/index.ts'
import { type ClusterState, connectWitness, type TlsIdentity, type WitnessClient } from '../../rpc/index.ts'
import type { VoterNode } from '../../store/index.ts'
import { type ClusterFile, printClusterFile, type WitnessEntry } from '../nodes/cluster-file.ts'
import { acceptClusterFile } from '../nodes/enrol.ts'

export interface WitnessLinkPorts {
  readonly identity: TlsIdentity
  readonly file: () => ClusterFile
  /** By this node's own clock, now. */
  readonly quorate: () => boolean
  /** The witness's certificate, for this public key. */
  readonly sign: (witness: WitnessEntry, publicKey: string) => Promise<string>
  readonly onNodeList: (listed: ClusterFile) => void
  /** The witness is heard again, is silent, or was silent for so long that it loses its vote. */
  readonly onChange: () => void
}

type State = NonNullable<ClusterState['witness']>['state']

const askEveryMs = 2000
const answerWithinMs = 1500
/** A host that boots is back by then; with two nodes that have no third vote, the rules of two nodes hold again after it. */
const witnessPatienceMs = 60_000

export class WitnessLink {
  readonly #ports: WitnessLinkPorts
  #asked: { readonly host: string; readonly client: WitnessClient } | undefined
  #timer: NodeJS.Timeout | undefined
  #asking = false
  #state: State = 'silent'
  #problem: string | undefined
  #silentSince = performance.now()
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
    void this.#ask().finally(() => {
      this.#asking = false
    })
  }

  hears(host: NodeName): boolean {
    return this.#ports.file().witness?.name === host && this.#state === 'up'
  }

  /** As the rules for votes see it: it runs nothing, so that silence for long is enough. */
  get voterState(): VoterNode['state'] {
    if (this.#state === 'up') return 'up'
    return performance.now() - this.#silentSince > witnessPatienceMs ? 'fenced' : 'silent'
  }

  state(): ClusterState['witness'] {
    const { witness } = this.#ports.file()
    if (witness === undefined) return undefined
    const { name, address, votes } = witness
    const problem = this.#state === 'up' ? this.#problem : undefined
    return { name, address, votes, state: this.#state, ...(problem === undefined ? {} : { problem }) }
  }

  async #ask(): Promise<void> {
    const { file, quorate, sign, onNodeList } = this.#ports
    const { witness } = file()
    if (witness === undefined) return
    try {
      const asked = { json: printClusterFile(file()), quorate: quorate() }
      const client = this.#client(witness)
      const { json, started, problem, publicKey } = await client.follow(asked, { timeoutMs: answerWithinMs })
      if (this.#timer === undefined) return
      this.#problem = problem
      this.#note(started ? 'up' : 'stopped')
      onNodeList(acceptClusterFile(json))
      // Another node may have been faster; where it fails, the next answer asks again.
      if (publicKey !== undefined && quorate())
        sign(witness, publicKey)
          .then(async (certificate) => await client.renew({ certificate }))
          .catch(() => undefined)
    } catch {
      // Whatever it is: off, cut off, not joined yet, or with a certificate of another cluster.
      this.#note('silent')
    }
  }

  #note(state: State): void {
    if (state === 'up' || this.#state === 'up') this.#silentSince = performance.now()
    this.#state = state
    const told = `${this.#state} ${this.voterState} ${this.#problem ?? ''}`
    if (told === this.#told) return
    this.#told = told
    this.#ports.onChange()
  }

  #client({ name: node, address: host, ports }: WitnessEntry): WitnessClient {
    const at = `${node} ${host} ${ports.peer}`
    if (this.#asked?.host !== at) {
      this.#asked?.client.close()
      this.#asked = { host: at, client: connectWitness({ node, host, port: ports.peer }, this.#ports.identity) }
    }
    return this.#asked.client
  }

  #forget(): void {
    this.#asked?.client.close()
    this.#asked = undefined
    this.#state = 'silent'
    this.#silentSince = performance.now()
    this.#told = ''
  }
}
