/** A daemon that ends in the middle of a change and is back a moment later, as after a split without fencing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { liveAccess } from '../../src/cli/access/live-access.ts'
import { pushAcrossRestart } from '../../src/cli/access/restarting-daemon.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import {
  connectLocal,
  type GrpcServer,
  localService,
  localSocketPath,
  PeerCredentials,
  type PushRequest,
  restartsFile,
  serveUnixSocket,
} from '../../src/rpc/index.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const empty = (options = ''): string =>
  `<cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config>${options}</crm_config><nodes/><resources/><constraints/></configuration></cib>`

/** A daemon's calls over a real socket, with versions that outlive it. */
class Restarting {
  readonly root = mkdtempSync(join(tmpdir(), 'systole-restarting-'))
  readonly versions = [empty()]
  /** In which call the daemon ends next. */
  endsIn: 'getCib' | 'before-saving' | 'after-saving' | undefined
  comesBack = true
  pushes = 0
  #server: Pick<GrpcServer, 'close'> | undefined
  #isBack: Promise<void> = Promise.resolve()
  #quorateIn = 0

  async serve(): Promise<void> {
    mkdirSync(dirname(localSocketPath(this.root)), { recursive: true })
    const handlers = {
      getCib: async () => {
        await this.#mayEnd('getCib')
        return { xml: this.versions.at(-1) ?? '', version: this.versions.length }
      },
      getState: async () => ({ started: true, quorate: this.#quorateIn-- <= 0 }),
      getConfigVersion: async ({ version }: { readonly version: number }) => {
        const xml = this.versions[version - 1]
        const entry = { version, time: '', node: '', user: '', command: '' }
        return { found: xml !== undefined, entry, xml: xml ?? '' }
      },
      pushConfiguration: async ({ xml, expectedVersion }: PushRequest) => {
        this.pushes++
        await this.#mayEnd('before-saving')
        const isCurrent = expectedVersion === this.versions.length
        if (isCurrent) this.versions.push(xml)
        await this.#mayEnd('after-saving')
        return { kind: isCurrent ? 'saved' : 'conflict', version: this.versions.length }
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
    rmSync(this.root, { recursive: true, force: true })
  }
}

let daemon: Restarting
beforeEach(async () => {
  daemon = new Restarting()
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
  daemon.versions.push(empty('<cluster_property_set id="theirs"/>'))
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
