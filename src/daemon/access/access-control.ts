/** Access control of this daemon: who a caller is, what the caller may do, and the CIB as the caller sees it. */
import type { NodeName } from '../../base/index.ts'
import type { AclUser, XmlElement } from '../../cib/index.ts'
import type { CallerIdentity } from '../../rpc/index.ts'
import { readIfThere } from '../host/files.ts'
import type { Paths } from '../host/paths.ts'
import { GuardedCib } from './guarded-cib.ts'
import { HostUsers } from './host-users.ts'
import {
  type AccessSources,
  type LimitedRights,
  type Rights,
  rightsOf,
  rightsOfLoggedIn,
  rightsOfName,
  rightsOfUser,
} from './rights.ts'
import { Selector } from './selector.ts'

export class AccessControl {
  readonly #sources: AccessSources
  readonly #selector = new Selector()
  /** Remote nodes have a thread of their own: nobody of this host waits for theirs. */
  readonly #ofRemoteNodes = new Selector()
  /** Of users who asked before, with the same permissions: what was found out for them is not looked for again. A remote node says itself who its users are. */
  readonly #guarded = { here: new Map<string, GuardedCib>(), remote: new Map<string, GuardedCib>() }

  constructor(paths: Paths, configuration: AccessSources['configuration'], web?: NonNullable<AccessSources['web']>) {
    this.#sources = {
      users: new HostUsers(),
      ...(web && { web }),
      ownUid: process.getuid?.() ?? 0,
      configuration,
      wasOn: () => readIfThere(paths.accessControlMark) !== undefined,
    }
  }

  async rightsOf(caller: CallerIdentity): Promise<Rights> {
    return await rightsOf(caller, this.#sources)
  }

  /** Of a user of this host who logs in at the HTTPS API. */
  async rightsOfLoggedIn(name: string): Promise<Rights> {
    return await rightsOfLoggedIn({ user: name }, this.#sources)
  }

  /** For root, who acts for somebody. */
  async rightsOfName(name: string): Promise<Rights> {
    return await rightsOfName(name, this.#sources)
  }

  /** Of a user of a remote node, as that knows him. */
  rightsOfKnown(user: AclUser): Rights {
    return rightsOfUser({ user, called: user.name }, this.#sources)
  }

  guardedFor(rights: LimitedRights): GuardedCib {
    return kept(this.#guarded.here, JSON.stringify(rights), () => new GuardedCib(rights, this.#selector))
  }

  /** All users of a remote node have one turn together. */
  guardedOfRemote(rights: LimitedRights, node: NodeName): GuardedCib {
    const guarded = (): GuardedCib => new GuardedCib(rights, this.#ofRemoteNodes, node)
    return kept(this.#guarded.remote, JSON.stringify([node, rights]), guarded)
  }

  /** Whether the XPath of a remote node may be evaluated where others wait. */
  async isQuickOfRemote(cib: XmlElement, xpath: string, node: NodeName): Promise<boolean> {
    return await this.#ofRemoteNodes.isQuick(cib, xpath, node)
  }

  close(): void {
    this.#selector.close()
    this.#ofRemoteNodes.close()
  }
}

const keptUsers = 32

/** The one of before, or a new one; whoever asked longest ago is forgotten. */
function kept<Value>(known: Map<string, Value>, key: string, create: () => Value): Value {
  const value = known.get(key) ?? create()
  known.delete(key)
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > keptUsers && oldest !== undefined) known.delete(oldest)
  return value
}
