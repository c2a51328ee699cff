/** Jobs on a remote node, as tests type them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import { holder } from './remote.ts'

interface Job {
  readonly id: string
  readonly state: string
  readonly nodes: readonly { readonly node: string; readonly state: string; readonly reason?: string }[]
}

export class RemoteJobs {
  readonly #lab: Lab
  readonly #remote: string

  constructor(lab: Lab, remote: string) {
    this.#lab = lab
    this.#remote = remote
  }

  file(name: string): string {
    return join(this.#lab.folder, name)
  }

  async job(id: string, from = 'n1'): Promise<Job> {
    return JSON.parse(await this.#lab.systole(from, 'job', 'show', id, '--json')) as Job
  }

  async detached(script: string, ...options: readonly string[]): Promise<string> {
    const words = [`--on=${this.#remote}`, ...options, '--detach', '--json', '--', 'sh', '-c', script]
    return (JSON.parse(await this.#lab.systole('n1', 'job', 'run', ...words)) as Job).id
  }

  async until(id: string, state: string, from = 'n1'): Promise<Job> {
    const isSo = async (): Promise<boolean> => (await this.job(id, from)).state === state
    await this.#lab.until(`job ${id} is ${state}`, isSo, 60_000)
    return await this.job(id, from)
  }

  lines(name: string): number {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8').trim().split('\n').length : 0
  }

  async notHolder(): Promise<string> {
    return (await holder(this.#lab, this.#remote, 'n1')) === 'n2' ? 'n3' : 'n2'
  }
}
