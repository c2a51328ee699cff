/** Whether the store can do without one of its members for a moment, by what the others say of themselves. */
import { EtcdAdmin, type TlsFiles } from '../../store/index.ts'
import { type ClusterFile, storeHosts, type WitnessEntry } from '../node-list/cluster-file.ts'
import { etcdEndpoints } from './store-config.ts'

const answerWithinMs = 1000

/** A majority of all members without this one; of two the other one, which takes no change meanwhile. */
export async function canSpare(file: ClusterFile, member: string, tls: TlsFiles | undefined): Promise<boolean> {
  const voters = storeHosts(file).filter(({ votes }) => votes)
  const others = voters.filter(({ name }) => name !== member)
  const needed = Math.min(Math.floor(voters.length / 2) + 1, others.length)
  const answers = await Promise.all(others.map(async (host) => await hasLeader(host, tls)))
  return answers.filter(Boolean).length >= needed
}

/** On any of its links. */
async function hasLeader(host: WitnessEntry, tls: TlsFiles | undefined): Promise<boolean> {
  const asked = etcdEndpoints([host]).map(async (endpoint) => {
    const admin = new EtcdAdmin({ endpoints: [endpoint], ...(tls === undefined ? {} : { tls }) })
    try {
      return (await admin.status(answerWithinMs)).leader !== '0'
    } catch {
      return false
    } finally {
      admin.close()
    }
  })
  return (await Promise.all(asked)).includes(true)
}
