/** Whole copies of the configuration that are pushed back, onto a cluster that counts as ours does: `num_updates` is the store's revision, and each version has its origin. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { composeCib, configurationElement, element, printXml, type XmlElement } from '../../src/cib/index.ts'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import type { ClusterAccess } from '../../src/cli/call/access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import type { ConfigRecord } from '../../src/daemon/configuration/config-history.ts'
import { epochsOf, nextEpochs } from '../../src/daemon/configuration/epochs.ts'
import { typedConfiguration } from '../../src/daemon/configuration/typed-configuration.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-copies-'))
afterAll(() => rmSync(folder, { recursive: true }))
const copy = join(folder, 'copy.xml')

const first: ConfigRecord = {
  version: 4,
  epochs: { adminEpoch: 0, epoch: 40 },
  time: '2026-11-20T10:00:00Z',
  node: 'n1',
  user: 'root',
  command: 'systole property set a=1',
  xml: '<cib validate-with="pacemaker-3.9"><configuration><crm_config/><nodes/><resources/><constraints/></configuration></cib>',
}
let record = first
let revision = 0

beforeEach(() => {
  record = first
  revision = 900
})

const running: ClusterAccess = {
  live: undefined,
  close: () => undefined,
  readCib: async () =>
    await Promise.resolve({
      cib: composeCib({
        configuration: typedConfiguration(record).cib,
        numUpdates: revision,
        haveQuorum: true,
        nodeStates: [],
        operations: [],
        transientAttributes: [],
      }),
      version: record.version,
    }),
  push: async ({ cib }) => await Promise.resolve(saved(cib)),
}

function saved(cib: XmlElement): { readonly kind: 'saved'; readonly version: number } {
  const version = record.version + 1
  revision += 1
  record = {
    ...record,
    version,
    epochs: nextEpochs(record.epochs ?? { adminEpoch: 0, epoch: 0 }, epochsOf(cib)),
    time: new Date(Date.parse(record.time) + 1000).toISOString(),
    xml: printXml(element('cib', cib.attributes, [configurationElement(cib)])),
  }
  return { kind: 'saved', version }
}

const systole = async (...words: readonly string[]): Promise<Printed> =>
  await runLine({
    commands: allCommands,
    line: words,
    terminal: scriptedTerminal(),
    openCluster: (file, makesFile) => (file === undefined ? running : fileAccess(file, makesFile)),
  })

const set = async (option: string): Promise<void> => {
  expect((await systole('property', 'set', option, '--force')).exitCode).toBe(0)
}
const setInCopy = async (option: string): Promise<void> => {
  expect((await systole('-f', copy, 'property', 'set', option, '--force')).exitCode).toBe(0)
}

test('a copy with one edit is not pushed over the one change that another made meanwhile', async () => {
  await systole('cluster', 'cib', copy)
  await setInCopy('lock=mine')
  await set('lock=theirs')
  const refused = await systole('cluster', 'cib-push', copy)
  expect(refused).toMatchObject({ exitCode: 1 })
  expect(refused.standardError).toContain('is not newer (0.41) than the running configuration, which was changed after')
  expect(record.xml).toContain('theirs')
  expect(await systole('cluster', 'cib-push', copy, '--config')).toMatchObject({ exitCode: 0 })
  expect(record.xml).toContain('mine')
})

test('a copy is pushed where nobody else has changed anything, whatever the status did', async () => {
  await systole('cluster', 'cib', copy)
  await setInCopy('lock=mine')
  revision += 100
  expect(await systole('cluster', 'cib-push', copy)).toMatchObject({ exitCode: 0 })
  expect(record.xml).toContain('mine')
})

test('a copy that an editor has changed, which does not count, is pushed where nobody else has changed anything', async () => {
  await systole('cluster', 'cib', copy)
  const edited = readFileSync(copy, 'utf8').replace(
    '<resources/>',
    '<resources><primitive id="web" class="systemd" type="nginx"/></resources>',
  )
  writeFileSync(copy, edited)
  revision += 100
  expect(await systole('cluster', 'cib-push', copy)).toMatchObject({ exitCode: 0 })
  expect(record.xml).toContain('nginx')
  writeFileSync(copy, edited)
  await set('lock=theirs')
  expect(await systole('cluster', 'cib-push', copy)).toMatchObject({ exitCode: 1 })
})

test('a copy whose edits were counted without num_updates is told by its origin', async () => {
  await systole('cluster', 'cib', copy)
  writeFileSync(copy, readFileSync(copy, 'utf8').replace(' epoch="40"', ' epoch="41"'))
  await set('lock=theirs')
  expect(await systole('cluster', 'cib-push', copy)).toMatchObject({ exitCode: 1 })
  expect(record.xml).toContain('theirs')
})
