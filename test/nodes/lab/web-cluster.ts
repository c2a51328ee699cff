import { expect } from 'vitest'
import type { Client } from './client.ts'
import { Lab } from './lab.ts'
import { addressHolders, createWebService } from './web-service.ts'

/** Three real nodes, a virtual address with nginx behind it, IPMI fencing, and a client outside. */
export class WebCluster {
  readonly lab = new Lab(['n1', 'n2', 'n3'])
  #client: Client | undefined

  get client(): Client {
    if (this.#client === undefined) throw new Error('The cluster is not there yet.')
    return this.#client
  }

  async begin(): Promise<void> {
    await this.lab.start()
    await this.lab.formCluster()
    await this.lab.createFencing()
    await createWebService(this.lab, 'n1')
    this.#client = this.lab.client(`http://${this.lab.network.virtualAddress}/`)
  }

  /** Whatever an earlier scenario has left behind, where it failed: each begins on a whole cluster. */
  async repair(): Promise<void> {
    await this.lab.network.heal()
    this.lab.power.brokenControllers.clear()
    for (const node of this.lab.nodes) await this.lab.power.on(node)
  }

  async settle(): Promise<void> {
    await this.repair()
    await this.lab.until('all nodes are online and clean, and see the same', async () => {
      // One that was cut off has quorum a moment before it sees what has changed meanwhile.
      const seen = await Promise.all(this.lab.nodes.map((node) => this.lab.status(node).catch(() => undefined)))
      const dcs = new Set(seen.map((status) => status?.nodes.find(({ dc: isDc }) => isDc)?.name))
      const isWhole = seen.every(
        (status) =>
          status?.quorum.quorate === true &&
          status.nodes.length === 3 &&
          status.nodes.every(({ online, unclean }) => online && !unclean),
      )
      return isWhole && dcs.size === 1
    })
    await this.asConfigured(await this.anyNode())
    await this.answering()
    // It answers before its agent, which sleeps for whole seconds, says that it has started.
    await this.lab.until(
      'the service has started',
      async () => (await this.lab.whereIs('web', await this.anyNode())).length === 1,
    )
  }

  /** No earlier scenario's change of the configuration holds, and no failure that it has left. */
  async asConfigured(from: string): Promise<void> {
    const cib = await this.lab.systole(from, 'cluster', 'cib')
    if (cib.includes('id="slow"')) await this.lab.systole(from, 'resource', 'delete', 'slow')
    if (/name="(fencing-enabled|stonith-enabled)" value="false"/.test(cib)) await this.fencing(true)
    for (const { name } of (await this.lab.status(from)).nodes.filter(({ standby }) => standby))
      await this.lab.systole(from, 'node', 'unstandby', name, '--wait')
    await this.lab.systole(from, 'resource', 'cleanup')
  }

  async fencing(enabled: boolean): Promise<void> {
    const force = enabled ? [] : ['--force']
    await this.lab.prepare(await this.anyNode(), 'property', 'set', `fencing-enabled=${enabled}`, ...force, '--wait')
  }

  /** A node that is powered and has a quorate view. */
  async anyNode(): Promise<string> {
    for (const node of this.lab.nodes) {
      if (!this.lab.power.isOn(node)) continue
      const status = await this.lab.status(node).catch(() => undefined)
      if (status?.quorum.quorate === true) return node
    }
    throw new Error('No node has quorum.')
  }

  async active(): Promise<string> {
    const nodes = await this.lab.whereIs('web', await this.anyNode())
    expect(nodes).toHaveLength(1)
    return nodes[0] ?? ''
  }

  async dc(): Promise<string> {
    const { nodes } = await this.lab.status(await this.anyNode())
    return nodes.find((node) => node.dc)?.name ?? ''
  }

  /** Waits for a good answer to a question asked from now on, and returns who answered. */
  async answering(from: number = Date.now(), by?: (node: string) => boolean): Promise<string> {
    let body = ''
    await this.lab.until('the client gets an answer', () => {
      body = this.client.goodSince(from).find((answer) => by === undefined || by(answer.body ?? ''))?.body ?? ''
      return body !== ''
    })
    return body
  }

  async moveTo(node: string): Promise<void> {
    if ((await this.active()) !== node)
      await this.lab.systole(await this.anyNode(), 'resource', 'move', 'webservice', node, '--wait')
    await this.lab.until(`the service runs on ${node}`, async () => (await this.active()) === node)
  }

  async powerCut(victim: string): Promise<void> {
    const cut = Date.now()
    await this.lab.power.off(victim)
    expect(await this.answering(cut, (node) => node !== victim)).not.toBe(victim)
    const { fencing } = await this.lab.status(await this.anyNode())
    expect(fencing).toContainEqual(expect.objectContaining({ target: victim, outcome: 'succeeded' }))
  }

  async splitOff(node: string, meanwhile = async (): Promise<void> => undefined): Promise<void> {
    const cut = Date.now()
    try {
      await this.lab.network.split([[node], this.lab.nodes.filter((other) => other !== node)])
      await meanwhile()
      const together: string[] = []
      // Without fencing the other side waits until the lease and the time to stop are over.
      const patienceMs = 90_000
      await this.lab.until(
        'the other side has taken the service over',
        async () => {
          const holders = await addressHolders(this.lab)
          // The nodes are not asked at one moment: only who still has it afterwards has had it together with another.
          if (holders.length > 1 && (await addressHolders(this.lab)).includes(node))
            together.push(holders.join(' and '))
          return holders.length > 0 && !holders.includes(node)
        },
        patienceMs,
      )
      expect(together).toEqual([])
      expect(await this.answering(cut, (other) => other !== node)).not.toBe(node)
    } finally {
      await this.lab.network.heal()
    }
  }
}
