/** A real HAProxy outside the cluster, which asks the HTTPS API of each node whether a resource is there (docs/guides/api.md). */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { Lab } from './lab.ts'

export class LoadBalancer {
  readonly #lab: Lab
  readonly #folder: string
  #child: ChildProcess | undefined

  constructor(lab: Lab) {
    this.#lab = lab
    this.#folder = lab.folder
  }

  async start(nodes: readonly string[], resource: string): Promise<void> {
    const authority = join(this.#folder, 'nodes/n1/etc/pki/authority.crt')
    const config = join(this.#folder, 'balancer.cfg')
    const lines = [
      'global',
      `  stats socket ${this.#socket} mode 600`,
      'defaults',
      '  timeout connect 2s',
      '  timeout client 2s',
      '  timeout server 2s',
      '  timeout check 2s',
      'backend service',
      `  option httpchk GET /resource/${resource}/active`,
      `  default-server inter 200ms fall 1 rise 1 check check-ssl verify required ca-file ${authority} port 7705`,
      ...nodes.map((node) => `  server ${node} ${this.#lab.network.address(node)}:80`),
    ]
    writeFileSync(config, `${lines.join('\n')}\n`)
    const words = ['netns', 'exec', this.#lab.network.clientSpace, 'haproxy', '-db', '-f', config]
    this.#child = spawn('ip', words, { stdio: ['ignore', 'ignore', 'inherit'] })
    await this.#lab.until('HAProxy answers', async () => (await this.up().catch(() => undefined)) !== undefined)
  }

  /** To which it would send clients. */
  async up(): Promise<readonly string[]> {
    const rows = (await this.#ask('show stat\n')).split('\n').map((row) => row.split(','))
    const [head = []] = rows
    const status = head.indexOf('status')
    // While it has asked nobody yet, all count as up.
    if (rows.some((row) => row[head.indexOf('check_status')] === 'INI')) throw new Error('it has not asked yet')
    return rows.flatMap((row) =>
      row[0] === 'service' && row[1] !== 'BACKEND' && row[status] === 'UP' ? [row[1] ?? ''] : [],
    )
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  get #socket(): string {
    return join(this.#folder, 'balancer.sock')
  }

  async #ask(command: string): Promise<string> {
    const socket = createConnection(this.#socket)
    socket.end(command)
    const parts: Buffer[] = []
    for await (const part of socket) parts.push(part as Buffer)
    return Buffer.concat(parts).toString()
  }
}
