import type { Client } from './client.ts'
import { Lab } from './lab.ts'
import { createWebService } from './web-service.ts'

interface Quorum {
  readonly quorate: boolean
  readonly members: readonly { readonly node: string; readonly votes: boolean }[]
  readonly twoNode: { readonly alone: boolean; readonly message?: string } | null
}

export const other = (node: string): string => (node === 'n1' ? 'n2' : 'n1')

/** Two real nodes without a witness, a virtual address with nginx behind it, IPMI fencing on a network of its own, and a client outside. */
export class WebPair {
  readonly lab = new Lab(['n1', 'n2'])
  #client: Client | undefined

  get client(): Client {
    if (this.#client === undefined) throw new Error('The cluster is not there yet.')
    return this.#client
  }

  async begin(): Promise<void> {
    await this.lab.start()
    await this.lab.formCluster()
    await this.lab.createFencing()
    // Of two nodes that lose each other at the same moment, n1 is fenced later.
    await this.lab.systole('n1', 'stonith', 'update', 'fence-n1', 'pcmk_delay_base=2s')
    await createWebService(this.lab, 'n1')
    this.#client = this.lab.client(`http://${this.lab.network.virtualAddress}/`)
  }

  async quorum(node: string): Promise<Quorum> {
    return JSON.parse(await this.lab.systole(node, 'quorum', 'status', '--json')) as Quorum
  }

  /** Switches on what is off, and waits for two voters with the service on one of them. Returns where it runs. */
  async settle(): Promise<string> {
    this.lab.power.unplugged.clear()
    for (const node of this.lab.nodes) await this.lab.power.on(node)
    await this.lab.until(
      'both nodes are online, clean and voting',
      async () => {
        const views = await Promise.all(this.lab.nodes.map((node) => this.lab.status(node)))
        const votes = await Promise.all(this.lab.nodes.map((node) => this.quorum(node)))
        return (
          views.every(({ nodes }) => nodes.length === 2 && nodes.every(({ online, unclean }) => online && !unclean)) &&
          votes.every(
            ({ quorate, twoNode, members }) => quorate && twoNode?.alone === false && members.every((m) => m.votes),
          )
        )
      },
      60_000,
    )
    await this.lab.systole('n1', 'resource', 'cleanup')
    await this.answeringBy()
    const [node = ''] = await this.lab.whereIs('web', 'n1')
    return node
  }

  /** Waits for a good answer to a question asked from now on, and returns who answered. */
  async answeringBy(from: number = Date.now(), by?: string): Promise<string> {
    let body = ''
    await this.lab.until(
      `the client gets an answer${by === undefined ? '' : ` from ${by}`}`,
      () => {
        body = this.client.goodSince(from).find((answer) => by === undefined || answer.body === by)?.body ?? ''
        return body !== ''
      },
      60_000,
    )
    return body
  }
}
