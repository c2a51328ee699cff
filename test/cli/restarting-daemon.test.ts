/** A daemon that ends in the middle of a change and is back a moment later, as after a split without fencing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { liveAccess } from '../../src/cli/access/live-access.ts'
import { pushAcrossRestart } from '../../src/cli/access/restarting-daemon.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { listConfigVersions, pushConfig, readConfigVersion } from '../../src/daemon/configuration/config-history.ts'
import {
  connectLocal,
  type GrpcServer,
  localService,
  localSocketPath,
  PeerCredentials,
  type PushAnswer,
  type PushRequest,
  restartsFile,
  serveUnixSocket,
} from '../../src/rpc/index.ts'
import { EmbeddedStore } from '../../src/store/index.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const empty = (options = ''): string =>
  `<cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config>${options}</crm_config><nodes/><resources/><constraints/></configuration></cib>`

/** Of every version, and shown to nobody who asks here. */
const hidden = '<cluster_property_set id="hidden"/>'

/** A daemon's calls over a real socket, with versions that outlive it in a real store. */
class Restarting {
  readonly root = mkdtempSync(join(tmpdir(), 'systole-restarting-'))
  readonly store = new EmbeddedStore({ directory: join(this.root, 'store') })
  versions: readonly string[] = []
  /** In which call the daemon ends next. */
  endsIn: 'getCib' | 'before-saving' | 'after-saving' | undefined
  comesBack = true
  pushes = 0
  #server: Pick<GrpcServer, 'close'> | undefined
  #isBack: Promise<void> = Promise.resolve()
  #quorateIn = 0

  /** As the daemon does for a user with roles: what is hidden stays in what he saves. */
  async save(change: Omit<PushRequest, 'command'>): Promise<PushAnswer> {
    const xml = change.xml.replace(hidden, '').replace('</crm_config>', `${hidden}</crm_config>`)
    const answer = await pushConfig(this.store, { ...change, xml, node: 'n1', command: 'test' })
    const kept = (await listConfigVersions(this.store)).map(
      async ({ version }) => await readConfigVersion(this.store, version),
    )
    this.versions = (await Promise.all(kept)).map((one) => one?.xml ?? '')
    return answer
  }

  async serve(): Promise<void> {
    mkdirSync(dirname(localSocketPath(this.root)), { recursive: true })
    const handlers = {
      getCib: async () => {
        await this.#mayEnd('getCib')
        return { xml: (this.versions.at(-1) ?? '').replace(hidden, ''), version: this.versions.length }
      },
      getState: async () => ({ started: true, quorate: this.#quorateIn-- <= 0 }),
      pushConfiguration: async (change: PushRequest) => {
        this.pushes++
        await this.#mayEnd('before-saving')
        const answer = await this.save(change)
        await this.#mayEnd('after-saving')
        return answer
      },
    }
    const methods = [{ service: localService, handlers }]
    const path = localSocketPath(this.root)
    this.#server = await serveUnixSocket(path, PeerCredentials.open(), methods, () => undefined)
  }

  async #mayEnd(where: Restarting['endsIn']): Promise<void> {
    if (this.endsIn !== where) return
    this.endsIn = undefined
    this.#isBack = this.#restart()
    await new Promise(() => undefined)
  }

  async #restart(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
    this.#quorateIn = 2
    if (this.comesBack) await this.serve()
  }

  /** As a daemon that is to begin anew. */
  async end(): Promise<void> {
    await this.#server?.close()
    this.#server = undefined
    writeFileSync(restartsFile(localSocketPath(this.root)), 'the cluster considers this node down\n')
  }

  async close(): Promise<void> {
    await this.#isBack
    await this.#server?.close()
    await this.store.close()
    rmSync(this.root, { recursive: true, force: true })
  }
}

let daemon: Restarting
beforeEach(async () => {
  daemon = new Restarting()
  await daemon.save({ xml: empty(), expectedVersion: 0, user: 'root' })
  await daemon.serve()
})
afterEach(() => daemon.close())

async function type(line: string): Promise<number> {
  const { exitCode } = await runLine({
    commands: allCommands,
    line: line.split(' '),
    terminal: scriptedTerminal([]),
    openCluster: () => liveAccess(daemon.root, 'root'),
  })
  return exitCode
}

for (const endsIn of ['getCib', 'before-saving', 'after-saving'] as const)
  test(`a daemon that restarts in ${endsIn} is waited for, and the change is made once`, async () => {
    daemon.endsIn = endsIn
    expect(await type('resource create web ocf:pacemaker:Dummy --force')).toBe(0)
    expect(daemon.versions).toHaveLength(2)
    expect(daemon.versions[1]).toContain('id="web"')
    expect(daemon.pushes).toBe(endsIn === 'getCib' ? 1 : 2)
  })

test('a command that is typed between the end of the daemon and its next beginning waits for it', async () => {
  await daemon.end()
  const line = type('resource create web ocf:pacemaker:Dummy --force')
  await daemon.serve()
  expect(await line).toBe(0)
  await daemon.end()
  rmSync(restartsFile(localSocketPath(daemon.root)))
  const live = connectLocal(daemon.root)
  await expect(live.getCib({})).rejects.toThrow('No daemon listens')
  live.close()
})

test('another user’s change that came first meanwhile is a conflict, and the edit is made on it', async () => {
  daemon.endsIn = 'before-saving'
  const line = type('resource create web ocf:pacemaker:Dummy --force')
  await expect.poll(() => daemon.pushes).toBe(1)
  await daemon.save({ xml: empty('<cluster_property_set id="theirs"/>'), expectedVersion: 1, user: 'alice' })
  expect(await line).toBe(0)
  expect(daemon.versions).toHaveLength(3)
  expect(daemon.versions[2]).toMatch(/id="theirs".*id="web"/s)
})

test('one that does not come back: what was asked for may have been done', async () => {
  daemon.endsIn = 'after-saving'
  daemon.comesBack = false
  const live = connectLocal(daemon.root)
  const change = { xml: empty(), expectedVersion: 1, user: 'root', command: 'property set' }
  await expect(pushAcrossRestart(live, change, 500)).rejects.toThrow('what was asked for may have been done')
  live.close()
})
