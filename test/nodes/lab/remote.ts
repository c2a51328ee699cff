/** What tests of a remote node look at: its connection, and one service whose process tells whether it ever stopped. */
import type { Lab } from './lab.ts'

/** Where the connection runs. */
export async function holder(lab: Lab, remote: string, seenFrom: string): Promise<string> {
  const [node = ''] = await lab.whereIs(remote, seenFrom)
  return node
}

export async function isOnline(lab: Lab, remote: string, seenFrom: string): Promise<boolean> {
  const { nodes } = await lab.status(seenFrom)
  return nodes.some(({ name, online, unclean }) => name === remote && online && !unclean)
}

export async function createService(lab: Lab, seenFrom: string, remote: string): Promise<void> {
  const parameters = ['binfile=/bin/sleep', 'cmdline_options=86399', 'pidfile=/run/service.pid', 'user=root']
  const operations = ['op', 'monitor', 'interval=1']
  await lab.prepare(seenFrom, 'resource', 'create', 'service', 'ocf:heartbeat:anything', ...parameters, ...operations)
  await lab.prepare(seenFrom, 'constraint', 'location', 'service', 'prefers', `${remote}=1000`)
}

/** The process of the service: the same as long as it never stopped. */
export async function servicePid(lab: Lab, node: string): Promise<string | undefined> {
  try {
    return (await lab.inNode(node, 'pgrep', '-f', '^/bin/sleep 86399')).trim() || undefined
  } catch {
    return undefined
  }
}

export async function runsOn(lab: Lab, node: string, seenFrom: string): Promise<boolean> {
  return (await lab.whereIs('service', seenFrom)).join() === node && (await servicePid(lab, node)) !== undefined
}

/** Calls one of the commands that agents call. */
export async function tool(lab: Lab, node: string, name: string, ...args: readonly string[]): Promise<string> {
  return (await lab.inNode(node, `${lab.folder}/systole/shims/${name}`, ...args)).trim()
}
