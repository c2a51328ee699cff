/** The service that a client outside asks for: a virtual address with nginx behind it, which answers with its node's name. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'

/** The group `webservice` of `vip` and `web`, created from a node. */
export async function createWebService(lab: Lab, from: string): Promise<void> {
  const config = join(lab.folder, 'nginx.conf')
  writeFileSync(config, nginxConfiguration)
  const monitored = ['op', 'monitor', 'interval=1s', '--group', 'webservice']
  const vip = ['ocf:heartbeat:IPaddr2', `ip=${lab.network.virtualAddress}`, 'cidr_netmask=24', 'nic=eth0']
  await lab.prepare(from, 'resource', 'create', 'vip', ...vip, ...monitored)
  await lab.prepare(
    from,
    'resource',
    'create',
    'web',
    'ocf:heartbeat:nginx',
    `configfile=${config}`,
    ...monitored,
    '--wait',
  )
}

/** Asks all nodes for the address itself, not only whoever ARP finds: two holders at once are a split brain. */
export async function addressHolders(lab: Lab): Promise<readonly string[]> {
  const held = lab.nodes.map(async (node) => {
    if (!lab.power.isOn(node)) return undefined
    const text = await lab.inNode(node, 'ip', '-o', 'addr', 'show', 'dev', 'eth0').catch(() => '')
    return text.includes(`${lab.network.virtualAddress}/`) ? node : undefined
  })
  return (await Promise.all(held)).filter((node) => node !== undefined)
}

const nginxConfiguration = `
worker_processes 1;
pid /run/nginx-lab.pid;
error_log /dev/null;
events { worker_connections 512; }
http {
  access_log off;
  server { listen 80; location / { default_type text/plain; return 200 "$hostname"; } }
}
`
