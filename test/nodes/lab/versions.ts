import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Lab } from './lab.ts'

/** Three nodes with a versioned service, whose software is a file for each node. One such cluster for each test file. */
export const nodes = ['n1', 'n2', 'n3']
export const lab = new Lab(nodes)
const software = join(lab.folder, 'software')
export const runs = join(lab.folder, 'runs')

export async function beginWithVersions(): Promise<void> {
  mkdirSync(software)
  writeFileSync(runs, '')
  for (const node of nodes) writeFileSync(join(software, node), '1')
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=10s')
  await lab.systole('n1', 'resource', 'create', 'agent', 'ocf:pacemaker:Dummy', 'clone', '--wait')
}

export interface Rollout {
  readonly id: string
  readonly state: string
  readonly why?: string
  readonly nodes: readonly { readonly node: string; readonly phase: string; readonly command: number }[]
}

export const fileOf = (name: string): string => join(lab.folder, `${name}.yaml`)

interface More {
  readonly names?: readonly string[]
  /** A file for which the action waits. */
  readonly gate?: string
  /** What the action does in the end. */
  readonly last?: string
  readonly stops?: boolean
  /** How many at once. */
  readonly most?: number
}

/** The action takes the node's software to the version. */
export function writeRollout(
  name: string,
  version: string,
  { names = nodes, gate, last = 'true', stops, most = 1 }: More = {},
): string {
  const note = (what: string): string => `echo "$SYSTOLE_ROLLOUT_NODE ${what}" >> ${runs}`
  const file = join(software, '$SYSTOLE_ROLLOUT_NODE')
  const steps = {
    before: [{ name: 'remember', run: `cp ${file} ${file}.before` }],
    actions: [
      {
        name: 'install',
        run: [
          note(`begins ${name}`),
          stops ? 'systole cluster stop || exit 9' : 'true',
          note(`waits ${name}`),
          gate === undefined ? 'true' : `until [ -e ${gate} ]; do sleep 0.1; done`,
          `echo ${version} > ${file}`,
          last,
        ].join('\n'),
        undo: `${note(`undoes ${name}`)}; cp ${file}.before ${file}`,
        timeout: '60s',
        ...(stops && { 'stops-cluster': true }),
      },
    ],
    validate: [{ name: 'check', run: `test "$(cat ${file})" = ${version}` }],
  }
  writeFileSync(
    fileOf(name),
    JSON.stringify({ rollout: name, version, nodes: [{ name: names }], waves: { 'max-unavailable': most }, steps }),
  )
  return fileOf(name)
}

export const versionOf = (node: string): string => readFileSync(join(software, node), 'utf8').trim()
export const versionsOf = (): readonly string[] => nodes.map(versionOf)
export const runsOf = (what: string): readonly string[] =>
  readFileSync(runs, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${what}`))

export async function rollouts(seenFrom: string): Promise<readonly Rollout[]> {
  const text = await lab.try(seenFrom, 'rollout', 'history', '--json')
  return text === undefined ? [] : (JSON.parse(text) as { readonly rollouts: readonly Rollout[] }).rollouts
}

export async function untilState(id: string, state: string, seenFrom = 'n1'): Promise<Rollout> {
  let last: Rollout | undefined
  await lab.until(
    `${id} is ${state}`,
    async () => {
      last = (await rollouts(seenFrom)).find((one) => one.id === id)
      return last?.state === state
    },
    90_000,
  )
  if (!last) throw new Error(id)
  return last
}

export async function begin(file: string, seenFrom = 'n1'): Promise<string> {
  const { id } = JSON.parse(await lab.systole(seenFrom, 'rollout', 'start', file, '--no-wait', '--json')) as Rollout
  return id
}

export const isAtGate = (name: string): boolean => runsOf(`waits ${name}`).length > 0

/** Everything that a rollout may change, but for where the cluster placed what may run anywhere. */
export async function everything(): Promise<unknown> {
  const { nodes: members, resources } = await lab.status('n1')
  const { versions } = JSON.parse(await lab.systole('n1', 'rollout', 'versions', '--json')) as {
    readonly versions: readonly { readonly node: string; readonly version?: string; readonly state: string }[]
  }
  const cib = await lab.systole('n1', 'cluster', 'cib')
  return {
    members: members.map(({ name, online, standby }) => ({ name, online, standby })),
    resources: resources.map(({ id, role, failed }) => ({ id, role, failed })),
    versions: versions.map(({ node, version, state }) => ({ node, version, state })),
    software: versionsOf(),
    configuration: cib.slice(cib.indexOf('<configuration>'), cib.indexOf('<status')),
  }
}

export const isQuiet = async (): Promise<boolean> => {
  const { nodes: members, resources } = await lab.status('n1')
  return (
    members.every(({ online, standby }) => online && !standby) &&
    resources.every(({ role, failed }) => role !== 'Stopped' && !failed)
  )
}
