/** Whoever may make a join token gets one, where somebody could sign for the host that brings it. */
import type { CallerIdentity, JoinTokenAnswer } from '../../rpc/index.ts'
import { refuse } from '../../rpc/index.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { ApiTokens } from '../console/api-tokens.ts'
import type { Authority } from '../pki/authority.ts'
import type { AuthorityKeeper } from '../pki/authority-keeper.ts'
import { readIdentity, readWholeKey } from '../pki/identity.ts'
import type { AskedToken, JoinTokens } from './join-tokens.ts'

export interface IssuePorts {
  readonly pki: string
  readonly tokens: JoinTokens
  readonly authority: Authority
  readonly access: AccessControl
  readonly apiTokens: ApiTokens
  /** The running node. */
  readonly node: () => { readonly quorate: boolean; readonly authority: AuthorityKeeper } | undefined
}

export class JoinTokenIssuer {
  readonly #ports: IssuePorts

  constructor(ports: IssuePorts) {
    this.#ports = ports
  }

  /** Refuses where nobody could be let in now: better here than on the host that is to join. */
  async canSign(): Promise<void> {
    if (this.#ports.node()?.authority.record?.rotation !== undefined)
      throw refuse(
        'is-rotating',
        'The authority is being replaced. Wait until `systole pki status` shows that the replacement is complete.',
      )
    await this.#ports.authority.with(async () => undefined)
  }

  /** Without quorum only on the host that founds the cluster, which can sign alone: nobody else would know the token. */
  async issue(meant: Omit<AskedToken, 'user'>, caller: CallerIdentity): Promise<JoinTokenAnswer> {
    const { pki, tokens, access, apiTokens, node } = this.#ports
    const { user } = await access.rightsOf(caller)
    const validSeconds =
      caller.kind === 'web' ? apiTokens.joinTokenSeconds(caller, meant.validSeconds) : meant.validSeconds
    const asked = { ...meant, user, ...(validSeconds === undefined ? {} : { validSeconds }) }
    if (node()?.quorate !== true && readWholeKey(pki) === undefined)
      throw refuse('no-quorum', 'This node has no quorum. Create the token on a node that has quorum.')
    await this.canSign()
    const { token, validUntil } = await tokens.issue(readIdentity(pki).authority, asked)
    return { token, validUntil, nodes: [] }
  }
}
