/** What the command line asks about the authority and its certificates. */
import type { NodeName } from '../../base/index.ts'
import {
  authorityHash,
  type Handlers,
  type localService,
  type NodePki,
  type PkiStatus,
  refuse,
} from '../../rpc/index.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { readIdentity } from '../pki/identity.ts'

export function pkiHandlers(daemon: Daemon): Pick<Handlers<typeof localService>, 'getPkiStatus' | 'rotateAuthority'> {
  return {
    getPkiStatus: async () => await status(daemon),
    rotateAuthority: async ({ without }) => {
      if (!daemon.node.quorate) throw refuse('no-quorum', 'This node has no quorum and cannot replace the authority.')
      await daemon.node.rotation.begin(without)
      return await status(daemon)
    },
  }
}

async function status(daemon: Daemon): Promise<PkiStatus> {
  daemon.refuseOnWitness()
  const { file } = daemon
  if (!file)
    throw refuse(
      'not-configured',
      'This host does not belong to a cluster. Run `systole cluster setup` or `cluster join`.',
    )
  const asked = await Promise.all(
    file.nodes.map(async ({ name }): Promise<NodePki | NodeName> => {
      if (name === daemon.name) return daemon.certificate.state()
      return await daemon
        .peer(name)
        .getPki({}, { timeoutMs: 2000 })
        .catch(() => name)
    }),
  )
  const record = daemon.running ? daemon.node.authority.record : undefined
  return {
    nodes: asked.filter((one) => typeof one !== 'string'),
    silent: asked.filter((one) => typeof one === 'string'),
    authority: authorityHash(readIdentity(daemon.paths.pki).authority),
    ...(record === undefined ? {} : { generation: record.generation, threshold: record.threshold }),
    holders: (record?.holders ?? []).map(({ name }) => name),
    ...(record?.rotation === undefined ? {} : { rotation: record.rotation.phase }),
    waitsFor: daemon.running ? await daemon.node.rotation.heldUpBy() : [],
    leftBehind: record?.rotation?.without ?? [],
  }
}
