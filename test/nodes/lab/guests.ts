/** Virtual machines of a lab: namespaces within a node, started by an agent as a resource, with a disk that every node sees. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Lab } from './lab.ts'

export interface Machine {
  /** The resource. */
  readonly resource: string
  /** Its host name, and the name of its node. */
  readonly name: string
  readonly address: string
}

/** Before the lab starts: `ocf:lab:vm` is an agent of all of its nodes. */
export function installMachineAgent(lab: Lab): void {
  const folder = join(lab.folder, 'systole/agents/ocf/lab')
  mkdirSync(folder)
  cpSync(resolve(import.meta.dirname, 'vm'), folder, { recursive: true })
}

/** A machine that is no node yet, as an administrator finds one before `add-guest`. */
export async function createMachine(lab: Lab, { resource, name, address }: Machine, member: string): Promise<void> {
  const parameters = [`name=${name}`, `address=${address}`, `lab=${lab.folder}`]
  await lab.systole(member, 'resource', 'create', resource, 'ocf:lab:vm', ...parameters, 'op', 'monitor', 'interval=2')
  await lab.until('the machine runs', async () => (await lab.whereIs(resource, member)).length === 1)
}

/** Lets the machine in: it has a certificate then, and its daemon begins. */
export async function letIn(lab: Lab, machine: Machine, member: string): Promise<void> {
  const token = (await lab.systole(member, 'cluster', 'token', '--remote', '--node', machine.name)).trim()
  const [host = ''] = await lab.whereIs(machine.resource, member)
  const join = ['--join', lab.network.address(member), '--token', token, '--node', machine.name]
  await inMachine(lab, machine, host, 'systoled', '--remote', ...join)
}

/** The machine's first process, as its host knows it. */
export async function machinePid(lab: Lab, machine: Machine, host: string): Promise<string> {
  return (await lab.inNode(host, 'cat', `/run/vm-${machine.name}.pid`)).trim()
}

export async function inMachine(
  lab: Lab,
  machine: Machine,
  host: string,
  ...command: readonly string[]
): Promise<string> {
  const into = ['-t', await machinePid(lab, machine, host), '-m', '-u', '-i', '-p', '-n']
  return await lab.inNode(host, 'nsenter', ...into, 'env', `LAB_NODE=${machine.name}`, ...command)
}

export function machineLog(lab: Lab, { name }: Machine): string {
  const files = ['console.log', 'systoled.log'].map((file) => join(lab.folder, 'guests', name, file))
  return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : '')).join('\n')
}
