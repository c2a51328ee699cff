/** The clients outside of the cluster and what they saw: every answer of every service, and what was acknowledged. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LabNetwork } from '../nodes/lab/network.ts'
import { type Controller, passwords, vips } from './configuration.ts'
import type { ServiceAnswer } from './gaps.ts'

export const services = [
  'issue a token',
  'validate a token',
  'write a row',
  'publish a message',
  'consume a message',
  'set and get in the cache',
] as const

/** Of what clients were told to be safe: how much, and how much of it is not there any more. */
export type Account = Readonly<
  Record<'tokens' | 'rows' | 'messages', { readonly acknowledged: number; readonly lost: number }>
>

export class Load {
  readonly answers: ServiceAnswer[] = []
  #account: Account | undefined
  readonly #child: ChildProcess

  /** `told` hears of each answer as it comes. */
  constructor(network: LabNetwork, controllers: readonly Controller[], told: (answer: ServiceAnswer) => void) {
    const world = {
      ...vips,
      memcached: controllers.map(({ publicAddress }) => publicAddress),
      adminPassword: passwords.admin,
      rowsPassword: passwords.rows,
    }
    const program = ['/usr/bin/python3', join(import.meta.dirname, 'load.py'), JSON.stringify(world)]
    this.#child = spawn('ip', ['netns', 'exec', network.clientSpace, ...program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const { stdout } = this.#child
    if (stdout)
      createInterface({ input: stdout }).on('line', (line) => {
        const heard = JSON.parse(line) as ServiceAnswer | { readonly account: Account }
        if ('account' in heard) this.#account = heard.account
        else {
          this.answers.push(heard)
          told(heard)
        }
      })
  }

  /** The services that have not answered well since a moment. */
  silentSince(moment: number): readonly string[] {
    return services.filter(
      (service) => !this.answers.some((each) => each.service === service && each.ok && each.asked >= moment),
    )
  }

  /** What went wrong last, for a failing run. */
  lastErrors(of: readonly string[]): string {
    return of.map((service) => this.answers.findLast((each) => each.service === service)?.error ?? 'no try').join('; ')
  }

  /** Ends the clients' work; they look at everything that was acknowledged, through the VIPs. */
  async account(): Promise<Account> {
    await this.#end()
    if (!this.#account) throw new Error('The clients could not say what is left of what was acknowledged to them.')
    return this.#account
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#end()
  }

  async #end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'close')
    this.#child.stdin?.end()
    await ended
  }
}
