/** Who may call this daemon from its host or over the HTTPS API, and as whom: tokens, certificates, sessions of users who log in, and their rights. */
import type { Socket } from 'node:net'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import type { TlsIdentity, WebCaller } from '../../rpc/index.ts'
import type { Entry, Store } from '../../store/index.ts'
import { AccessControl } from '../access/access-control.ts'
import type { LoggedIn, Rights } from '../access/rights.ts'
import { ApiTokens } from '../console/api-tokens.ts'
import { ClientCertificates, certificatePrefix } from '../console/client-certificates.ts'
import { Console } from '../console/console.ts'
import { Logins } from '../console/logins.ts'
import { askPam } from '../console/pam.ts'
import { Sessions, sessionPrefix } from '../console/sessions.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import type { WitnessEntry } from '../node-list/cluster-file.ts'
import { addressesOf } from '../node-list/node-links.ts'
import { apiClientsPrefix, apiTokensPrefix } from '../records/keys.ts'

export interface ApiAccessPorts {
  readonly paths: Paths
  readonly log: Log
  readonly configuration: () => ReplicatedConfiguration | undefined
  /** Records of the store, as the running node sees them. */
  readonly seen: (prefix: string) => readonly Entry[] | undefined
  /** Where this node has quorum. */
  readonly store: () => Store | undefined
  readonly identity: () => TlsIdentity
  readonly own: () => WitnessEntry | undefined
  readonly serveWeb: (socket: Socket) => void
}

export class ApiAccess {
  readonly tokens: ApiTokens
  readonly clientCertificates: ClientCertificates
  readonly sessions = new Sessions()
  readonly logins: Logins
  /** What a local user may do. */
  readonly control: AccessControl
  readonly console: Console

  readonly #configuration: ApiAccessPorts['configuration']

  constructor({ paths, log, configuration, seen, store, identity, own, serveWeb }: ApiAccessPorts) {
    this.#configuration = configuration
    this.tokens = new ApiTokens({
      file: paths.apiTokens,
      log,
      known: () => seen(apiTokensPrefix),
      store,
      configuration,
    })
    this.clientCertificates = new ClientCertificates({
      file: paths.apiClients,
      log,
      known: () => seen(apiClientsPrefix),
      store,
      configuration,
      authority: () => identity().authority,
      onChange: () => this.console.tell(),
    })
    this.control = new AccessControl(paths, configuration, this.#rightsOfWeb)
    this.logins = new Logins({
      log,
      sessions: this.sessions,
      now: () => performance.now(),
      askPam,
      rightsOf: async (user) => await this.control.rightsOfLoggedIn(user),
    })
    this.console = new Console({
      paths,
      log,
      own: () => {
        const entry = own()
        return entry && { name: entry.name, addresses: addressesOf(entry), usualPort: entry.ports.enrolment + 1 }
      },
      identity,
      clientAuthorities: () => this.clientCertificates.authorities,
      serveWeb,
    })
  }

  /** Of whoever calls the HTTPS API, by what he has shown. */
  readonly #rightsOfWeb = (caller: WebCaller): Rights | LoggedIn => {
    const { token } = caller
    if (token.startsWith(sessionPrefix))
      return { kind: 'logged-in', user: this.sessions.userOf(token, performance.now()) }
    return token.startsWith(certificatePrefix) ? this.clientCertificates.rightsOf(caller) : this.tokens.rightsOf(caller)
  }

  /** While the node is stopped it has nothing but what it has seen last. */
  remember(): void {
    if (this.#configuration() !== undefined) for (const known of [this.tokens, this.clientCertificates]) known.list()
  }

  forget(): void {
    for (const known of [this.tokens, this.clientCertificates]) known.forget()
  }
}
