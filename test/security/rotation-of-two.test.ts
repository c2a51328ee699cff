/** Another authority for two members with the things that hang on them: a witness that votes, and a guest, whose machine may be off. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachine, installMachineAgent, letIn, type Machine, machineLog } from '../nodes/lab/guests.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { isOnline } from '../nodes/lab/remote.ts'
import { addWitness, untilVotes } from '../nodes/lab/witness.ts'

const members = ['n1', 'n2']
const machine: Machine = { resource: 'vm1', name: 'g1', address: '10.83.0.101' }
const lab = new Lab([...members, 'w'])

beforeAll(async () => {
  installMachineAgent(lab)
  await lab.start()
  await lab.formCluster(members)
  await lab.createFencing(members)
  await addWitness(lab, 'n1', 'w')
  await createMachine(lab, machine, 'n1')
  await letIn(lab, machine, 'n1')
  await lab.systole(
    'n1',
    'cluster',
    'node',
    'add-guest',
    machine.name,
    machine.resource,
    `remote-addr=${machine.address}`,
  )
  await until('the guest is online', () => isOnline(lab, machine.name, 'n1'))
}, 300_000)

afterAll(() => lab.close(), 60_000)

async function until(what: string, holds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  try {
    await lab.until(what, holds, timeoutMs)
  } catch (error) {
    throw new Error(`${String(error)}\n--- ${machine.name}\n${machineLog(lab, machine)}`)
  }
}

interface PkiStatus {
  readonly authority: string
  readonly rotation?: string
  readonly waitsFor: readonly string[]
  readonly nodes: readonly {
    readonly trusts: readonly string[]
    readonly hosts: readonly {
      readonly name: string
      readonly trusts: readonly string[]
      readonly certifiedBy: string
    }[]
  }[]
}
const status = async (): Promise<PkiStatus> => JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))

async function untilReplaced(before: string): Promise<PkiStatus> {
  await until(
    'the old authority is forgotten',
    async () => {
      const { rotation, nodes, authority } = await status()
      return rotation === undefined && authority !== before && nodes.length === 2
    },
    240_000,
  )
  return await status()
}

test('the witness votes on, and the guest follows the member that holds its connection', async () => {
  const { authority: before } = await status()
  await lab.systole('n2', 'pki', 'rotate')
  const { authority } = await untilReplaced(before)
  await untilVotes(lab, 'n1', 3)
  await until('the guest is online', () => isOnline(lab, machine.name, 'n1'))
  await until('the guest shows a certificate of it', async () =>
    (await status()).nodes.some(({ hosts }) =>
      hosts.some(
        ({ name, trusts, certifiedBy }) => name === 'g1' && trusts.join() === authority && certifiedBy === authority,
      ),
    ),
  )
  const bundle = readFileSync(join(lab.folder, 'nodes/w/etc/pki/authority.crt'), 'utf8')
  expect(bundle.match(/BEGIN/g)).toHaveLength(1)
}, 420_000)

test('a guest that is off holds it up once it has begun, and can be left behind: it joins again afterwards', async () => {
  const { authority: before } = await status()
  await lab.systole('n1', 'pki', 'rotate')
  // The store may elect for a moment.
  await until(
    'the machine is to stop',
    async () => (await lab.try('n1', 'resource', 'disable', machine.resource)) !== undefined,
  )
  await until('the guest is named', async () => {
    const { waitsFor, rotation } = await status()
    return rotation === undefined || waitsFor.some((why) => why.startsWith('g1, a remote node'))
  })
  await until('the guest is left behind', async () =>
    /g1 is left behind.*cluster token --remote --node g1/.test(
      (await lab.try('n1', 'pki', 'rotate', '--without=g1')) ?? '',
    ),
  )
  await untilReplaced(before)
  await lab.systole('n1', 'cluster', 'token', '--remote', '--node', 'g1')
}, 420_000)
