/** Every wrong rollout, orchestration and task file that the tests know, typed on a cluster: the place and the mistake are told, and nothing begins. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { liveAccess } from '../../src/cli/access/live-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import {
  type GrpcServer,
  localService,
  localSocketPath,
  PeerCredentials,
  serveUnixSocket,
} from '../../src/rpc/index.ts'
import { wrong as wrongPlays } from '../plays/wrong-files.ts'
import { withLine, wrong as wrongRollouts } from '../rollout/wrong-files.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const root = mkdtempSync(join(tmpdir(), 'systole-wrong-'))
const begun: string[] = []
let server: Pick<GrpcServer, 'close'>

const nodes = ['1', '2', '3'].map((id) => `<node id="${id}" uname="n${id}"/>`).join('')
const xml = `<cib validate-with="pacemaker-4.0" epoch="1" num_updates="0" admin_epoch="0"><configuration><crm_config/><nodes>${nodes}</nodes><resources/><constraints/></configuration><status/></cib>`

beforeAll(async () => {
  const path = localSocketPath(root)
  mkdirSync(dirname(path), { recursive: true })
  const begins = (what: string) => () => {
    begun.push(what)
    return Promise.resolve({ id: 'x1', state: 'running' })
  }
  const handlers = {
    getCib: () => Promise.resolve({ xml, version: 1 }),
    getState: () => Promise.resolve({ started: true, quorate: true, localNode: 'n2' }),
    startRollout: begins('rollout'),
    startPlay: begins('play'),
  }
  server = await serveUnixSocket(path, PeerCredentials.open(), [{ service: localService, handlers }], () => undefined)
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true, force: true })
})

const written = (name: string, text: string): string => {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const type = async (...line: readonly string[]): Promise<Printed> =>
  await runLine({
    commands: allCommands,
    line,
    terminal: scriptedTerminal([]),
    openCluster: () => liveAccess(root, 'root'),
  })

/** Each sentence stands on a line of its own, with its file and line, and is one. */
function expectRefused({ exitCode, standardError }: Printed, place: string): void {
  expect(exitCode).toBe(1)
  expect(standardError).toContain(place)
  expect(begun).toEqual([])
}

test('there are sixty of them', () => expect(wrongRollouts.length + wrongPlays.length).toBeGreaterThanOrEqual(60))

test('a right one does begin: so the others might', async () => {
  await type('play', 'run', written('right.yaml', '- jobs:\n    - RUN: uptime\n'), '--detach')
  expect(begun.splice(0)).toEqual(['play'])
})

test.each(wrongRollouts)('rollout start, line %i: %s', async (line, text, at) => {
  const file = written('upgrade.yaml', withLine(line, text))
  expectRefused(await type('rollout', 'start', file, '--no-wait', '--force'), `${file}:${at}: `)
})

test.each(wrongPlays)('play run: %j', async (text, place) => {
  written('components/echo.py', '')
  const file = written('w.yaml', text)
  const roles = written('roles.yaml', 'roles:\n  controller: {services: [s]}\n')
  const inventory = written('inventory.yaml', 'hosts:\n  n1: {role: controller}\n')
  const files = text.includes('type: s') ? [file, roles, inventory] : [file]
  expectRefused(await type('play', 'run', ...files, '--detach', '--force'), `${file}:${place.split(':')[0]}:`)
})
