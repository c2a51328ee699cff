/**
 * `systoled --remote`: executes for a cluster that it is no member of. It has no store and decides nothing: the cluster node that holds
 * its connection hands it commands and records what came of them. While nobody holds it, what runs goes on and is monitored, and what
 * there is to tell waits. What it was told and had not begun is forgotten then: the cluster may have decided anew meanwhile.
 */

import { X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type NodeName, nodeName } from '../../base/index.ts'
import { secretNamesOf, superusers } from '../../cib/index.ts'
import { Executor, type ResultStore } from '../../executor/index.ts'
import { answerOf } from '../../node/index.ts'
import {
  LinkEndedError,
  nobody,
  type OwnerCalls,
  type OwnerLink,
  type Ownership,
  type OwnRequest,
  type RemoteCalls,
  serveRemote,
} from '../../remote/index.ts'
import { metadataReader } from '../../resource-agents/index.ts'
import {
  type DoorRule,
  haclientGroup,
  PeerCredentials,
  type TermAnswer,
  type TlsIdentity,
  type TlsServer,
} from '../../rpc/index.ts'
import {
  exitCodes,
  goesOnAtCaller,
  refused,
  runHere,
  serveTools,
  type ToolCall,
  type ToolReply,
  type ToolServer,
} from '../../tools/index.ts'
import { HostUsers } from '../access/host-users.ts'
import { agentHost, hostAgents } from '../host/agent-host.ts'
import { agentToolsSocket } from '../host/agent-tools-socket.ts'
import { readBootId } from '../host/boot-id.ts'
import { cannotListen } from '../host/cannot-listen.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import type { Paths } from '../host/paths.ts'
import { StrangerTable } from '../host/stranger-table.ts'
import { TaskRunners } from '../jobs/start-runner.ts'
import { tasksFolder } from '../jobs/task-files.ts'
import { filterOfHost, remoteRules } from '../node-list/known-hosts.ts'
import { validityOf } from '../pki/certificates.ts'
import { Renewal } from '../pki/renewal.ts'
import { componentsCommand } from '../plays/components-command.ts'
import { callerOnHost, type ToolUser, toOwner } from './host-callers.ts'
import { MachineHost } from './machine-host.ts'
import { MemberAddresses } from './member-addresses.ts'
import { Owner } from './owner.ts'
import { RemotePki } from './remote-pki.ts'
import { type RemoteSettings, readRemoteSettings, remoteSettingsPath } from './remote-settings.ts'
import { RevokedSerials } from './revoked-serials.ts'
import { TaskHost, taskLife } from './task-host.ts'

/** As long as a connection takes to move: an agent's call does not fail for that. */
const toolPatienceMs = 10_000
/** Nobody may hold the connection for a while; it is tried again later. */
const renewalPatienceMs = 60_000

export class RemoteDaemon {
  readonly node: NodeName
  readonly #paths: Paths
  readonly #log: Log
  readonly #identity: TlsIdentity
  readonly #settings: RemoteSettings
  readonly #left: () => void
  readonly #owner = new Owner()
  /** Names of parameters that the cluster calls secret, as far as operations have had them. */
  readonly #secretNames = new Set<string>()
  readonly #incarnation = Date.now()
  readonly #runners = new TaskRunners()
  readonly #tasks: TaskHost
  readonly #machine = new MachineHost()
  readonly #users = new HostUsers()
  readonly #revoked: RevokedSerials
  readonly #members: MemberAddresses
  readonly #strangers: StrangerTable
  #executor: Executor | undefined
  #server: TlsServer | undefined
  #tools: ToolServer | undefined
  #leaving: (() => void) | undefined
  readonly #renewal: Renewal
  readonly #pki: RemotePki

  constructor(parts: {
    readonly paths: Paths
    readonly log: Log
    readonly identity: TlsIdentity
    /** The cluster has let it go, as it was asked to. */
    readonly left: () => void
  }) {
    this.#paths = parts.paths
    this.#revoked = new RevokedSerials(parts.paths)
    this.#log = parts.log
    this.#members = new MemberAddresses(parts.paths, parts.log)
    this.#identity = parts.identity
    this.#left = parts.left
    this.#settings = readRemoteSettings(remoteSettingsPath(parts.paths.root), process.env)
    this.node = nameIn(parts.identity)
    // Containers that share their host's network have a port each, beside the host's own table.
    this.#strangers = new StrangerTable(parts.log, `systole_remote_${this.#settings.port}`)
    this.#tasks = new TaskHost({
      log: parts.log,
      node: this.node,
      incarnation: this.#incarnation,
      bootId: taskLife(parts.paths.run, readBootId()),
      folder: tasksFolder(parts.paths.data),
      componentsCommand: componentsCommand(parts.paths.data),
      startRunner: this.#runners.start,
      warmRunner: this.#runners.warm,
    })
    this.#pki = new RemotePki({
      pki: parts.paths.pki,
      sign: async (publicKey) => await this.#signed(publicKey),
      use: (identity) => {
        this.#server?.replaceIdentity(identity)
        this.#log.info('the certificate or what is believed was renewed', {
          until: new Date(validityOf(identity.certificate).until),
        })
        this.#renewal.plan(0)
      },
    })
    this.#renewal = new Renewal({
      pki: parts.paths.pki,
      log: parts.log,
      renew: async () => void (await this.#pki.renew()),
    })
  }

  async start(): Promise<void> {
    const { address, port } = this.#settings
    // As on a member: without the kernel's word about who calls, the socket is root's alone.
    const credentials = PeerCredentials.open()
    const group = process.getuid?.() === 0 && credentials ? haclientGroup() : undefined
    this.#tools = await serveTools<number | undefined>(agentToolsSocket(this.#paths), {
      handle: async (call, uid) => await this.#runTool(call, await callerOnHost(this.#users, uid, call.user)),
      callerOf: (socket) => (credentials ? credentials.of(socket)?.uid : 0),
      userOf: (uid) => uid,
      group,
    })
    this.#server = await this.#serve(address, port)
    this.#keepStrangersOut()
    this.#renewal.plan(0)
    this.#log.info('remote daemon started', { version: process.env.SYSTOLE_VERSION, port: this.#server.port })
  }

  async #serve(host: string | undefined, port: number): Promise<TlsServer> {
    const serving = serveRemote(
      { host, port, identity: this.#identity, door: this.#door },
      {
        incarnation: this.#incarnation,
        bootId: this.#tasks.bootId,
        ownership: this.#readOwnership(),
        saveOwnership: (ownership) => writeWhole(this.#ownershipPath, `${JSON.stringify(ownership)}\n`),
        isRevoked: (serial) => this.#revoked.has(serial),
        saveRevoked: (serials) => this.#revoked.add(serials),
        noteMembers: (noted) => {
          if (this.#members.note(noted)) this.#keepStrangersOut()
        },
        onOwned: (link, asked) => this.#begin(link, asked),
        onLost: (link, reason) => this.#lost(link, reason),
        perform: async (command) => await this.#perform(command),
        release: async () => this.#released(),
        pki: this.#pki.answer,
        believes: this.#pki.believes,
        tasks: this.#tasks,
        machine: this.#machine,
      },
    )
    return await serving.catch((error: unknown) => {
      throw cannotListen(error, { host, port })
    })
  }

  /** For an upgrade or a restart: what runs stays. */
  async end(): Promise<void> {
    this.#owner.close()
    this.#tasks.close()
    this.#machine.close()
    this.#runners.close()
    this.#renewal.cancel()
    await this.#executor?.close()
    await Promise.all([this.#server?.close(), this.#tools?.close(), this.#strangers.remove()])
    rmSync(this.#paths.lock, { force: true })
  }

  /** Cluster nodes have a share of connections that nobody else takes. */
  get #door(): DoorRule {
    return { known: this.#members.known, knownOnly: this.#isClosed && filterOfHost() !== 'off' }
  }

  /** Never before the cluster has told: whoever comes first must get in. */
  get #isClosed(): boolean {
    return this.#settings.membersOnly && this.#members.isTold
  }

  #keepStrangersOut(): void {
    const { address, port } = this.#settings
    this.#server?.replaceDoor(this.#door)
    const rules = remoteRules({ address, port, known: this.#members.known, isClosed: this.#isClosed })
    if (rules !== undefined) this.#strangers.use(rules)
  }

  /** By whoever holds the connection: one that ends meanwhile is followed by the next. */
  async #signed(publicKey: string): Promise<OwnerCalls['renew']['answer']> {
    for (;;) {
      const link = await this.#owner.wait(renewalPatienceMs)
      try {
        return await link.call('renew', { publicKey })
      } catch (error) {
        if (!(error instanceof LinkEndedError)) throw error
      }
    }
  }

  get #ownershipPath(): string {
    return join(this.#paths.run, 'remote-owner.json')
  }

  /** Of this boot: /run does not outlive it, and nothing that was told before does. */
  #readOwnership(): Ownership {
    const text = readIfThere(this.#ownershipPath)
    if (text === undefined) return nobody
    const { highestToken, owner } = JSON.parse(text) as Partial<Ownership>
    if (typeof highestToken !== 'number') throw new Error(`${this.#ownershipPath} is damaged.`)
    return { highestToken, ...(owner === undefined ? {} : { owner }) }
  }

  #begin(link: OwnerLink, { owner, token, firstCallId }: OwnRequest): void {
    this.#log.info('a cluster node holds the connection', { owner, revision: token })
    if (!this.#executor) {
      this.#executor = this.#openExecutor(firstCallId)
      this.#executor.adopt()
    }
    this.#executor.setQuorum(true)
    this.#owner.set(link)
  }

  #lost(link: OwnerLink, reason: string): void {
    this.#log.warn('the connection to the cluster is gone; resources stay as they are', { reason })
    this.#owner.lose(link)
    this.#executor?.setQuorum(false)
    this.#executor?.withdraw()
  }

  async #perform({ secret = [], ...command }: RemoteCalls['perform']['request']): Promise<TermAnswer> {
    for (const name of secret) this.#secretNames.add(name)
    const executor = this.#executor
    if (!executor)
      return { accepted: false, done: false, why: 'closing', highestTerm: 0, message: 'This node is still starting.' }
    return answerOf(await executor.perform(command), executor.highestTerm)
  }

  async #released(): Promise<Record<string, never>> {
    this.#log.info('the cluster has ended the connection', {})
    this.#leaving?.()
    return {}
  }

  #openExecutor(firstCallId: number): Executor {
    const host = agentHost(this.#paths)
    const executor: Executor = new Executor({
      node: this.node,
      runner: hostAgents(host, (resource) => executor.notice(resource)),
      metadata: metadataReader(host),
      store: this.#results(),
      log: this.#log,
      runFolder: this.#paths.run,
      firstCallId,
      earlier: [],
      secretNames: () => secretNamesOf({ noted: [...this.#secretNames] }),
    })
    return executor
  }

  /** A result is told until somebody has recorded it. Leave to begin is asked of whoever gave the command, or it is over. */
  #results(): ResultStore {
    const owner = this.#owner
    return {
      announce: async (records, term) => {
        try {
          const answer = await owner.link?.call('announce', { records, term })
          return answer?.written === true ? 'written' : 'refused'
        } catch (error) {
          if (error instanceof LinkEndedError) return 'refused'
          throw error
        }
      },
      record: async (records, failure) => {
        const link = await owner.wait()
        const { revision } = await link.call('record', { records, ...(failure === undefined ? {} : { failure }) })
        return revision
      },
      forget: async (resource, recordId) => {
        const link = await owner.wait()
        await link.call('forget', { resource, ...(recordId === undefined ? {} : { recordId }) })
      },
    }
  }

  /** The name is known here; everything else the cluster knows. */
  async #runTool(call: ToolCall, by: ToolUser | undefined): Promise<ToolReply> {
    const [only, more] = call.arguments
    if (call.tool === 'crm_node' && (only === '-n' || only === '--name') && more === undefined)
      return { exitCode: 0, output: `${call.onNode ?? this.node}\n`, errors: '' }
    if (call.tool === 'leave')
      return by === undefined || superusers.includes(by.name)
        ? await this.#leave()
        : refused(exitCodes.insufficientPrivileges, 'Only root and hacluster take this node out of the cluster.')
    // By the call alone: what the cluster answers makes no program run here.
    if (goesOnAtCaller(call)) return runHere
    const request = toOwner(call, by)
    if (!('tool' in request)) return request
    try {
      const link = await this.#owner.wait(toolPatienceMs)
      return await link.call('tool', request)
    } catch (error) {
      return refused(exitCodes.notConnected, error instanceof Error ? `${call.tool}: ${error.message}.` : String(error))
    }
  }

  /** Answers when the cluster has stopped what runs here and ended the connection; the daemon ends then. */
  async #leave(): Promise<ToolReply> {
    const link = this.#owner.link
    if (!link)
      return refused(
        exitCodes.notConnected,
        'No cluster node holds the connection. The resources on this host keep running.',
      )
    const released = new Promise<void>((resolve) => {
      this.#leaving = resolve
    })
    await link.call('leave', {})
    await released
    setImmediate(this.#left)
    return { exitCode: 0, output: `${this.node} has left the cluster.\n`, errors: '' }
  }
}

/** The certificate says who this node is: the id of its connection in the cluster. */
function nameIn({ certificate }: TlsIdentity): NodeName {
  const name = /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1]
  if (name === undefined) throw new Error('The certificate of this node names nobody.')
  return nodeName(name)
}
