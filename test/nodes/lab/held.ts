import { Lab } from './lab.ts'

/** Three nodes with resources that are held, and what tells whether a hold has left anything behind. One such cluster for each test file. */
export const nodes = ['n1', 'n2', 'n3']
export const lab = new Lab(nodes)

export async function beginWithResources(): Promise<void> {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'defaults', 'update', 'resource-stickiness=1')
  for (const name of ['web', 'db'])
    await lab.systole('n1', 'resource', 'create', name, 'ocf:pacemaker:Dummy', 'op', 'monitor', 'interval=60s')
  await lab.systole('n1', 'resource', 'create', 'slow', 'ocf:pacemaker:Dummy', 'op_sleep=2', '--wait')
}

/** Pacemaker's command, as it is installed on a node. */
export const tool = async (node: string, ...words: readonly string[]): Promise<string> =>
  await lab.inNode(node, 'sh', '-c', `PATH=${lab.folder}/systole/shims:$PATH; exec "$@"`, 'sh', ...words)

export const version = async (node: string): Promise<string> =>
  /epoch="\d+"/.exec(await tool(node, 'cibadmin', '-Q'))?.[0] ?? ''
/** The configuration as any tool reads it, without what counts changes. */
export async function configuration(node: string): Promise<string> {
  const cib = await tool(node, 'cibadmin', '-Q', '-o', 'configuration')
  return cib.replaceAll(/ (?:num_updates|dc-uuid|have-quorum)="[^"]*"/g, '')
}
export const otherThan = (...taken: readonly string[]): string => nodes.find((node) => !taken.includes(node)) ?? ''
