import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'
import { addWitness, untilVotes } from '../nodes/lab/witness.ts'

/** The options of `qdevice setup` on a host that is a witness already. */
const lab = new Lab(['n1', 'n2', 'w'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1', 'n2'])
  await lab.createFencing(['n1', 'n2'])
  await addWitness(lab, 'n1', 'w')
}, 120_000)

afterAll(() => lab.close(), 60_000)

test('qdevice setup: --force where the host is a witness already, --token-file, --enable and --start', async () => {
  await lab.power.off('w')
  await untilVotes(lab, 'n1', 2)
  await lab.systole('n1', 'quorum', 'device', 'remove')
  await lab.power.on('w')
  const status = async (): Promise<string> => await lab.systole('w', 'qdevice', 'status', 'net')
  await lab.until('it still is the witness, as far as it knows', async () => (await status()).includes('lab'))
  const add = ['quorum', 'device', 'add', 'model', 'net', 'host=w', 'algorithm=ffsplit', '--json']
  const { joinToken } = JSON.parse(await lab.systole('n1', ...add)) as { readonly joinToken: string }
  const file = join(lab.folder, 'token')
  writeFileSync(file, `${joinToken}\n`)
  const setup = ['qdevice', 'setup', 'model', 'net', '--join', lab.network.address('n1'), '--token-file', file]
  expect(await lab.try('w', ...setup)).toBeUndefined()
  expect(lab.lastFailure).toContain('--force')
  expect(await lab.systole('w', ...setup, '--force')).toContain('not started')
  rmSync(file)
  await lab.systole('w', 'qdevice', 'disable', 'net')
  expect(await status()).toMatch(/Started: +no\nAt boot: +disabled/)
  await lab.systole('w', 'qdevice', 'setup', 'model', 'net', '--enable')
  expect(await status()).toMatch(/Started: +no\nAt boot: +enabled/)
  await lab.systole('w', 'qdevice', 'setup', 'model', 'net', '--start')
  await untilVotes(lab, 'n1', 3)
}, 120_000)
