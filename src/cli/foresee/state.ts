/** What changes how the scheduler decides, and is no configuration: tickets, holds, fencing. */
import { didYouMean, similarWords } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { describeHold, howToEnd, parseHold, restoreHolds, splitHolds } from '../../holds/index.ts'
import type { Messages } from '../../rpc/index.ts'
import type { ClusterStatus } from '../../status/index.ts'
import { Refusal } from '../call/command.ts'
import { statusOf } from '../facts/status-view.ts'
import { type Foreseen, listed, type Scene, supposed } from './scene.ts'

export const aboutState = {
  setTicket: (asked: Messages['TicketRequest'], scene: Scene): Foreseen => {
    const { id, granted, standby, forget } = asked
    const { cib } = scene
    if (forget)
      return { sentence: `It would delete the recorded state of the ticket ${id}.`, after: withoutTicket(cib, id) }
    if (granted === true)
      return {
        sentence: `It would grant the ticket ${id} to this cluster.`,
        after: supposed(scene, cib, { ticketsGranted: [id] }),
      }
    if (granted === false)
      return {
        sentence: `It would revoke the ticket ${id} from this cluster.`,
        after: supposed(scene, cib, { ticketsRevoked: [id] }),
      }
    return standby === true
      ? {
          sentence: `It would put the ticket ${id} in standby.`,
          after: supposed(scene, cib, { ticketsOnStandby: [id] }),
        }
      : {
          sentence: `It would take the ticket ${id} out of standby.`,
          after: supposed(scene, cib, { ticketsActive: [id] }),
        }
  },
  releaseHolds: async ({ ids, force }: Messages['ReleaseHoldsRequest'], { live, cib }: Scene): Promise<Foreseen> => {
    const { holds } = await live.listHolds({})
    const meant = holds.filter(({ id }) => ids.includes(id))
    const others = meant.filter(({ owner }) => !force && owner?.kind !== 'user')
    if (others.length > 0) throw new Refusal(...others.map((hold) => `${sentenceOf(hold)} Add --force to end it now.`))
    const ended = new Set(meant.map(({ id }) => id))
    const { cib: stored, held } = splitHolds(cib)
    const kept = held.filter(
      ({ element }) => ![...ended].some((id) => element.attributes.id?.startsWith(`hold-${id}-systole-`)),
    )
    const named = meant.map((hold) => sentenceOf(hold))
    return {
      sentence: `It would end: ${named.join(' ')}`,
      after: restoreHolds(stored, kept),
      facts: { holds: meant },
    }
  },
  fence: ({ target, action }: Messages['FenceRequest'], scene: Scene): Foreseen => {
    refuseUnknownNode(scene, target)
    if (action === 'on') return { sentence: `It would have a fence device turn ${target} on.` }
    const what = action === 'off' ? 'turn it off' : 'reboot it'
    return {
      sentence: `It would fence ${target}: a fence device would ${what} at once, and what runs there would be interrupted.`,
      after: supposed(scene, scene.cib, { nodesFailed: [target] }),
    }
  },
  confirmFencing: ({ target }: Messages['ConfirmRequest'], scene: Scene): Foreseen => {
    const node = refuseUnknownNode(scene, target)
    if (node.online)
      throw new Refusal(`Node ${target} is online. Fence it, or stop it, before you confirm that it is off.`)
    return {
      sentence: `The cluster would take ${target} for off, and recover what ran there. If it is not off, data is lost.`,
      after: supposed(scene, scene.cib, { nodesDown: [target] }),
    }
  },
  unblockQuorum: ({ confirmed }: Messages['UnblockRequest'], scene: Scene): Foreseen => ({
    sentence: `This node would continue without ${listed(confirmed)}, which would count as off. If one of them is not off, data is lost.`,
    after: supposed(scene, scene.cib, { quorate: true, nodesDown: confirmed }),
  }),
  cleanFencingHistory: async ({ target }: Messages['FencingHistoryRequest'], scene: Scene): Promise<Foreseen> => {
    if (target !== undefined) refuseUnknownNode(scene, target)
    const { fencing } = await scene.live.getState({})
    const over = fencing.filter((one) => one.ended !== undefined && (target === undefined || one.target === target))
    const of = target === undefined ? '' : ` of ${target}`
    return {
      sentence: `It would delete ${over.length} fencing ${over.length === 1 ? 'action' : 'actions'}${of} from the history.`,
      facts: { deleted: over.length },
    }
  },
}

export function refuseUnknownNode({ call, cib }: Scene, name: string): ClusterStatus['nodes'][number] {
  const { nodes } = statusOf(call, cib)
  const node = nodes.find((one) => one.name === name)
  if (node !== undefined) return node
  const names = nodes.map((one) => String(one.name))
  throw new Refusal(`There is no node '${name}'.${didYouMean(similarWords(name, names))}`)
}

function sentenceOf(hold: Messages['Hold']): string {
  const note = parseHold(hold)
  return note === undefined
    ? `The hold ${hold.id} is in force.`
    : `${describeHold(note)}. ${howToEnd(note)}.`.replace(/\.\.$/, '.')
}

function withoutTicket(cib: XmlElement, id: string): XmlElement {
  const without = (parent: XmlElement): XmlElement => ({
    ...parent,
    children: parent.children.flatMap((child) => {
      if (child.kind !== 'element') return child
      if (child.name === 'ticket_state' && child.attributes.id === id) return []
      return child.name === 'status' || child.name === 'tickets' ? without(child) : child
    }),
  })
  return without(cib)
}
