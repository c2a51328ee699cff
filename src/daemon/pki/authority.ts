/**
 * The authority's key for as long as it takes to sign something: from the file of a host that founds a cluster, or put together in memory from
 * the shares of this member and of others. It is written nowhere.
 */

import {
  type AuthorityShare,
  type AuthorityShares,
  authorityHash,
  type KeyPair,
  RefusedError,
  refuse,
} from '../../rpc/index.ts'
import type { Log } from '../host/log.ts'
import { notCurrentCode } from '../node-list/refusal-codes.ts'
import { belongsTo, combineShares, readShares } from './authority-shares.ts'
import { authoritiesIn, readIdentity, readWholeKey } from './identity.ts'

/** Whoever is given this may have something signed. */
export type WithAuthority = <Value>(use: (authority: SigningAuthority) => Promise<Value>) => Promise<Value>

export interface SigningAuthority extends KeyPair {
  /** All that are believed, where there are more, while the authority is replaced. */
  readonly trust?: string
}

export const trustOf = ({ certificate, trust }: SigningAuthority): string => trust ?? certificate

export interface AuthorityPorts {
  readonly pki: string
  readonly log: Log
  /** The other members of the list. */
  readonly others: () => readonly string[]
  readonly ask: (member: string, authority: string) => Promise<AuthorityShares>
}

export class Authority {
  readonly #ports: AuthorityPorts

  constructor(ports: AuthorityPorts) {
    this.#ports = ports
  }

  readonly with: WithAuthority = async (use) => {
    const trust = readIdentity(this.#ports.pki).authority
    const [certificate = trust, ...others] = authoritiesIn(trust)
    const pair = await this.#together(certificate)
    return await use(others.length === 0 ? pair : { ...pair, trust })
  }

  async #together(certificate: string): Promise<KeyPair> {
    const { pki, others } = this.#ports
    const whole = readWholeKey(pki)
    if (whole !== undefined && belongsTo(whole, certificate)) return { certificate, key: whole }
    const gathered: AuthorityShare[] = [...readShares(pki)]
    const without: Without = { quorum: [], answer: [] }
    const found = await this.#ask(certificate, gathered, without)
    if (found !== undefined) return found
    throw refuse('authority-not-together', ...whyNotTogether(others().length + 1, without))
  }

  /** All at once; the first that make it whole end the waiting. */
  async #ask(certificate: string, gathered: AuthorityShare[], without: Without): Promise<KeyPair | undefined> {
    const { others, ask, log } = this.#ports
    const authority = authorityHash(certificate)
    const own = await combineShares(certificate, gathered)
    if (own !== undefined) return own
    return await new Promise((resolve, reject) => {
      const asked = others().map(async (member) => {
        try {
          const { shares, wholeKey } = await ask(member, authority)
          if (wholeKey !== undefined && belongsTo(wholeKey, certificate)) return resolve({ certificate, key: wholeKey })
          gathered.push(...shares)
        } catch (error) {
          log.debug('a member gave no share of the authority’s key', { member, error })
          const hasNoQuorum = error instanceof RefusedError && error.code === notCurrentCode
          without[hasNoQuorum ? 'quorum' : 'answer'].push(member)
          return
        }
        const found = await combineShares(certificate, gathered)
        if (found !== undefined) resolve(found)
      })
      Promise.all(asked).then(() => resolve(undefined), reject)
    })
  }
}

/** Who gave no share, and why. */
interface Without {
  /** Its daemon answers, but the cluster is stopped there, or it does not reach the others. */
  readonly quorum: string[]
  readonly answer: string[]
}

function whyNotTogether(members: number, { quorum, answer }: Without): readonly string[] {
  const remedies = [
    ...(quorum.length === 0
      ? []
      : [
          `No quorum on ${list(quorum)}, so no share is given there: start the cluster (\`systole cluster start ${quorum.join(' ')}\`).`,
        ]),
    ...(answer.length === 0 ? [] : [`No answer from ${list(answer)}: start the host or its daemon.`]),
  ]
  return [
    `The key of the cluster’s authority could not be assembled: the ${members} members hold its shares, and too few give theirs.`,
    ...remedies,
    'Then try again. If they are lost for good, remove them (`systole cluster node remove`): the cluster then creates a new authority, which does not need the old key.',
  ]
}

const list = (names: readonly string[]): string => [...names].sort().join(', ')
