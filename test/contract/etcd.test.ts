import { EtcdCluster } from '../support/etcd-cluster.ts'
import { storeContract } from './store-contract.ts'

for (const { name, size, tls } of [
  { name: 'etcd, one member', size: 1, tls: false },
  { name: 'etcd, three members with TLS', size: 3, tls: true },
])
  storeContract(name, async () => {
    const cluster = await EtcdCluster.start({ size, tls })
    let clients = 0
    return {
      open: async () => {
        const first = clients++ % size
        return cluster.store({ endpoints: [...cluster.endpoints.slice(first), ...cluster.endpoints.slice(0, first)] })
      },
      end: () => cluster.end(),
      // etcd looks for leases that have run out twice a second, and after an election.
      leaseSlackMs: 1500,
    }
  })
