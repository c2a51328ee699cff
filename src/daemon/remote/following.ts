/**
 * That a remote node believes what the member that holds its connection believes, and shows a certificate of the same authority: while the authority is
 * replaced, each remote node follows its member, whichever that is.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { RemoteLink } from '../../remote/index.ts'
import { authorityHash, type HostPki } from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'

export interface FollowingPorts {
  readonly remote: string
  readonly log: Log
  /** Which this member believes now, PEM; the first one signs. */
  readonly authorities: () => readonly string[]
}

const retryMs = 3000

export class Following {
  readonly #ports: FollowingPorts
  #told = ''
  #pki: HostPki

  constructor(ports: FollowingPorts) {
    this.#ports = ports
    this.#pki = unheard(ports.remote)
  }

  /** As it was heard last on this connection. */
  get pki(): HostPki {
    return this.#pki
  }

  /** Until it is in step, or the connection is gone. */
  async bring(link: RemoteLink): Promise<void> {
    this.#pki = unheard(this.#ports.remote)
    while (!link.ended) {
      try {
        if (await this.#isInStep(link)) return
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error)
        this.#pki = { ...this.#pki, problem }
        if (problem !== this.#told) this.#ports.log.info('a remote node does not follow', { ...this.#pki, problem })
        this.#told = problem
        // In the words of the older versions that have no such call: it connects again when it was upgraded.
        if (/does not know 'pki'/.test(problem)) {
          this.#pki = { ...this.#pki, problem: 'its version of Systole cannot change to another authority: upgrade it' }
          return
        }
      }
      await delay(retryMs, undefined, { ref: false })
    }
  }

  async #isInStep(link: RemoteLink): Promise<boolean> {
    const trust = this.#ports.authorities()
    const [signer = '', ...others] = trust.map(authorityHash)
    const wanted = [signer, ...others].join()
    const isInStep = (): boolean => this.#pki.trusts.join() === wanted && this.#pki.certifiedBy === signer
    this.#take(await link.call('pki', {}))
    if (isInStep()) return true
    this.#take(await link.call('pki', { follow: { trust, renew: this.#pki.certifiedBy !== signer } }))
    return isInStep()
  }

  #take({ trusts, certifiedBy }: { readonly trusts: readonly string[]; readonly certifiedBy: string }): void {
    this.#pki = { name: this.#ports.remote, trusts, certifiedBy, storeTrusts: true }
  }
}

const unheard = (name: string): HostPki => ({ name, trusts: [], certifiedBy: '', storeTrusts: true })
