import type { Lab } from './lab.ts'

/** The etcd members that vote, by etcd itself. */
export async function voters(lab: Lab): Promise<readonly string[]> {
  const pki = '/etc/systole/pki'
  const tls = [`--cacert=${pki}/authority.crt`, `--cert=${pki}/node.crt`, `--key=${pki}/node.key`]
  const list = await lab.inNode(
    'n1',
    'env',
    'ETCDCTL_API=3',
    'etcdctl',
    `--endpoints=https://${lab.network.address('n1')}:7702`,
    ...tls,
    'member',
    'list',
  )
  const rows = list.trim().split('\n')
  return rows
    .flatMap((row) => {
      const [, state, name = '', , , learner] = row.split(', ')
      return state === 'started' && learner === 'false' ? [name] : []
    })
    .sort()
}

export async function listed(lab: Lab, node: string): Promise<readonly string[]> {
  const file = JSON.parse(await lab.inNode(node, 'cat', '/etc/systole/cluster.json')) as { nodes: { name: string }[] }
  return file.nodes.map(({ name }) => name)
}

export async function add(lab: Lab, node: string): Promise<void> {
  const added = await lab.systole('n1', 'cluster', 'node', 'add', node, `addr=${lab.network.address(node)}`, '--json')
  const { joinToken } = JSON.parse(added) as { readonly joinToken: string }
  await lab.systole(node, 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
  await lab.until(`${node} is online`, async () => {
    const { nodes } = await lab.status('n1')
    return nodes.every(({ online, unclean }) => online && !unclean) && nodes.some(({ name }) => name === node)
  })
}
