/**
 * A user of this host logs in at the HTTPS API: his password is PAM's to judge, in a process of its own that does nothing else and ends; what he may do is
 * access control's. Guessing is slowed and logged.
 */
import { ownerOfAddress } from '../../base/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { Rights } from '../access/rights.ts'
import type { Log } from '../host/log.ts'
import { LoginLimit } from './login-limit.ts'
import type { PamAnswer, PamQuestion } from './pam.ts'
import type { Sessions } from './sessions.ts'

export interface LoginPorts {
  readonly log: Log
  readonly sessions: Sessions
  readonly now: () => number
  readonly askPam: (question: PamQuestion) => Promise<PamAnswer>
  /** Refuses whoever has no business with the cluster. */
  readonly rightsOf: (user: string) => Promise<Rights>
}

export interface Login {
  readonly session: string
  readonly rights: Rights
}

/** Processes that ask PAM, in all and for one address. A wrong password takes each of them two seconds. */
const mostAsking = 4
const mostOfAddress = 2
const userForm = /^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,63}\$?$/
const longestPassword = 512

export class Logins {
  readonly #ports: LoginPorts
  readonly #limit = new LoginLimit()
  /** The addresses of those that are being asked for. */
  #asking: readonly string[] = []

  constructor(ports: LoginPorts) {
    this.#ports = ports
  }

  /** `through`: the witness that has passed it on, which is believed from where, as far as it harms nobody who comes here himself. */
  async login(
    asked: { readonly user: string; readonly password: string },
    { from: address, through }: { readonly from: string; readonly through?: string },
  ): Promise<Login> {
    const { log, sessions, now } = this.#ports
    const { user, password } = asked
    if (!userForm.test(user) || password === '' || password.length > longestPassword || /[\0\r\n]/.test(password))
      throw refuse('bad-login', 'Specify the name of a user of this host and the password.')
    const attempt = { user, address: `${ownerOfAddress(address)}${through === undefined ? '' : ` ${through}`}` }
    const waitMs = this.#limit.waitMs(attempt, now())
    if (waitMs > 0) {
      log.warn('a login at the HTTPS API was not looked at: too many have failed', { from: address })
      throw refuse('too-many-logins', `Too many logins have failed. Try again in ${Math.ceil(waitMs / 1000)} s.`)
    }
    // Nobody is root over the net, so that nobody guesses at that password either.
    if (user === 'root')
      throw refuse('no-role', 'root cannot log in to the HTTPS API. Log in as a member of the group haclient.')
    this.#limit.begin(attempt, now())
    const answer = await this.#inTurn(
      attempt.address,
      async () => await this.#ports.askPam({ user, password, from: address }),
    )
    if (answer.kind !== 'ok') {
      this.#limit.failed(attempt, now())
      throw this.#refused(answer, { user, from: address })
    }
    this.#limit.succeeded(attempt)
    try {
      const rights = await this.#ports.rightsOf(user)
      const session = sessions.open(user, now())
      log.info('a user has logged in at the HTTPS API', { user, from: address })
      return { session, rights }
    } catch (error) {
      log.warn('a user who may not use the cluster has logged in at the HTTPS API', { user, from: address })
      throw error
    }
  }

  #refused(answer: Exclude<PamAnswer, { readonly kind: 'ok' }>, attempt: { user: string; from: string }) {
    const { log } = this.#ports
    const { user, from } = attempt
    if (answer.kind === 'wrong') {
      log.warn('a login at the HTTPS API has failed', { user, from })
      return refuse('wrong-login', 'The user or the password is wrong.')
    }
    log.warn('a login at the HTTPS API was refused by PAM', { user, from, why: answer.why })
    return answer.kind === 'refused'
      ? refuse('no-login', `PAM refuses the login of ${user}: ${answer.why}.`)
      : refuse('pam-failed', `PAM of this host could not be asked: ${answer.why}. The log of systoled has more.`)
  }

  async #inTurn<Answer>(address: string, ask: () => Promise<Answer>): Promise<Answer> {
    const ofAddress = this.#asking.filter((one) => one === address).length
    if (this.#asking.length >= mostAsking || ofAddress >= mostOfAddress)
      throw refuse('too-many-logins', 'Too many logins are under way. Try again in a few seconds.')
    this.#asking = [...this.#asking, address]
    try {
      return await ask()
    } finally {
      const at = this.#asking.indexOf(address)
      this.#asking = this.#asking.filter((_, index) => index !== at)
    }
  }
}
