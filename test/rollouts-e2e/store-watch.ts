/**
 * What a lab's store writes, as it is written: a test strikes within some milliseconds of a step, which no polling of commands can. It reads with a
 * node's own certificate, from the network of the last node, as nobody else may.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fromBytes } from '../../src/daemon/records/json-value.ts'
import type { Lab } from '../nodes/lab/lab.ts'
import { run } from '../nodes/lab/network.ts'

export interface StoreWrite {
  readonly key: string
  /** Nothing where it was deleted. */
  readonly value: unknown
}

const prefix = '/systole/'

function command(lab: Lab, ...words: readonly string[]): readonly string[] {
  const pki = `${lab.folder}/nodes/${lab.nodes[0]}/etc/pki`
  const secrets = [`--cacert=${pki}/authority.crt`, `--cert=${pki}/node.crt`, `--key=${pki}/node.key`]
  const endpoints = lab.nodes.map((node) => `https://${lab.network.address(node)}:7702`).join(',')
  const etcdctl = ['env', 'ETCDCTL_API=3', 'etcdctl', `--endpoints=${endpoints}`, ...secrets, '-w', 'json']
  return ['netns', 'exec', lab.network.nodeSpace(lab.nodes.at(-1) ?? ''), ...etcdctl, ...words]
}

interface EtcdEntry {
  readonly key: string
  readonly value?: string
}

function written({ key, value }: EtcdEntry): StoreWrite {
  const bytes = value === undefined ? undefined : Buffer.from(value, 'base64')
  return { key: Buffer.from(key, 'base64').toString(), value: bytes && fromBytes(bytes) }
}

export class StoreWatch {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** `see` is told of what is there, and after `begun` of every write. */
  static async open(lab: Lab, see: (write: StoreWrite) => void, begun: () => void): Promise<StoreWatch> {
    const { header, kvs = [] } = JSON.parse(await run('ip', ...command(lab, 'get', '--prefix', prefix))) as {
      readonly header: { readonly revision: number }
      readonly kvs?: readonly EtcdEntry[]
    }
    for (const entry of kvs) see(written(entry))
    begun()
    const watch = command(lab, 'watch', '--prefix', prefix, `--rev=${header.revision + 1}`)
    const child = spawn('ip', watch, { stdio: ['ignore', 'pipe', 'ignore'] })
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const { Events: events } = JSON.parse(line) as {
          readonly Events?: readonly { readonly kv: EtcdEntry }[] | null
        }
        for (const { kv } of events ?? []) see(written(kv))
      })
    return new StoreWatch(child)
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }
}
