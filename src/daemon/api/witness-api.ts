/** What the command line asks of a node about the cluster's witness, and of the host that is the witness, or is to become it. */
import { assertNever, nodeName } from '../../base/index.ts'
import {
  type Handlers,
  type JoinAnswer,
  type JoinRequest,
  type localService,
  refuse,
  type WitnessHost,
  type WitnessHostChange,
} from '../../rpc/index.ts'
import { missingEtcd } from '../../store/index.ts'
import { isEnabled, setEnabled } from '../host/takes-part.ts'
import { joinAsWitness } from '../joining/enrol.ts'
import type { Daemon } from '../lifecycle/daemon.ts'
import { addWitness, removeWitness, replaceWitness } from '../node-list-changes/add-remove-witness.ts'

export function witnessHandlers(
  daemon: Daemon,
): Pick<
  Handlers<typeof localService>,
  'addWitness' | 'removeWitness' | 'replaceWitness' | 'joinAsWitness' | 'getWitnessHost' | 'changeWitnessHost'
> {
  return {
    addWitness: async ({ name, address }, { caller }) => {
      await addWitness(daemon, { name: nodeName(name), address: address || name })
      return await daemon.joining.issuer.issue({ role: 'witness', node: name }, caller)
    },
    removeWitness: async (meant) => {
      await removeWitness(daemon, meant)
      return {}
    },
    replaceWitness: async ({ name, address }, { caller }) => {
      await replaceWitness(daemon, { name: nodeName(name), address: address || name })
      return await daemon.joining.issuer.issue({ role: 'witness', node: name }, caller)
    },
    joinAsWitness: async (asked) => await join(daemon, asked),
    getWitnessHost: async () => (daemon.witness.isThere ? daemon.witness.place.state() : noWitnessYet(daemon)),
    changeWitnessHost: async ({ kind }) => {
      await change(daemon, kind)
      return {}
    },
  }
}

async function join(daemon: Daemon, asked: JoinRequest): Promise<JoinAnswer> {
  refuseOnNode(daemon)
  if (daemon.witness.isThere && !asked.force)
    throw refuse(
      'is-witness',
      `This host is already the witness of the cluster ${daemon.witness.place.clusterName}. Add --force to leave that cluster, or run \`systole qdevice destroy net\` first.`,
    )
  const missing = missingEtcd()
  if (missing !== undefined) throw refuse('no-etcd', missing)
  const { file, keep } = await joinAsWitness(daemon.paths, asked)
  if (daemon.witness.isThere) await daemon.witness.forget()
  keep()
  try {
    await daemon.witness.take(file)
  } catch (error) {
    await daemon.witness.forget()
    throw error
  }
  return { clusterName: file.clusterName, node: daemon.witness.place.state().name }
}

async function change(daemon: Daemon, kind: WitnessHostChange['kind']): Promise<void> {
  const { paths, witness } = daemon
  const { place } = witness
  switch (kind) {
    case 'start':
      return await place.start()
    case 'stop':
      return await place.stop()
    case 'enable':
    case 'disable':
      return setEnabled(paths, kind === 'enable')
    case 'destroy':
      return await witness.forget()
    default:
      return assertNever(kind)
  }
}

function noWitnessYet(daemon: Daemon): WitnessHost {
  refuseOnNode(daemon)
  const problem = missingEtcd()
  return {
    clusterName: '',
    name: daemon.name,
    address: '',
    started: false,
    enabled: isEnabled(daemon.paths),
    votes: false,
    counts: false,
    nodes: [],
    ...(problem === undefined ? {} : { problem }),
  }
}

function refuseOnNode({ file }: Daemon): void {
  if (file === undefined) return
  throw refuse(
    'is-member',
    `This host is a node of the cluster ${file.clusterName}. A witness must be a separate host.`,
  )
}
