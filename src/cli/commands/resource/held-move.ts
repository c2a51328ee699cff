/**
 * A move of a running cluster: what is computed as constraints is put in force as holds of this process. Only where an earlier preference or ban stands in the way, which
 * moves take away, the configuration changes. While a node of a version without holds takes part, the constraints are made, and taken away at the end.
 */
import { childElement, configurationElement, type XmlElement, type XmlNode } from '../../../cib/index.ts'
import { withoutHolds } from '../../../holds/index.ts'
import type { ClusterAccess } from '../../call/access.ts'
import type { Call } from '../../call/command.ts'
import { commandWords, KeptHolds, knowsNoHolds, type WantedHold } from '../../change/kept-holds.ts'

export class HeldMove {
  /** For the change: saving it puts the holds in force. */
  readonly call: Call
  #kept: KeptHolds | undefined

  /** `wanted`: the hold of a constraint that the change has made. */
  constructor(call: Call, wanted: (constraint: XmlElement) => WantedHold | undefined) {
    const { cluster } = call
    const push: ClusterAccess['push'] = async (change) => {
      const live = cluster.live
      if (live === undefined) return await cluster.push(change)
      const before = withoutHolds((await cluster.readCib()).cib)
      const { made, without } = newConstraints(before, withoutHolds(change.cib))
      const holds = made.flatMap((constraint) => wanted(constraint) ?? [])
      if (holds.length === 0) return await cluster.push(change)
      try {
        const user = call.terminal.user
        this.#kept = await KeptHolds.acquire(live, { holds, user, command: commandWords(call) })
      } catch (error) {
        if (knowsNoHolds(error)) return await cluster.push(change)
        throw error
      }
      const removes = constraintsIn(without).length < constraintsIn(before).length
      if (!removes) return { kind: 'saved', version: change.expectedVersion }
      const answer = await cluster.push({ ...change, cib: without }).catch(async (error: unknown) => {
        await this.release()
        throw error
      })
      if (answer.kind !== 'saved') await this.release()
      return answer
    }
    this.call = { ...call, cluster: { ...cluster, push } }
  }

  /** In which the holds are in force, where there are any. */
  get revision(): { readonly revision?: number } {
    return this.#kept === undefined ? {} : { revision: this.#kept.revision }
  }

  async release(): Promise<{ readonly revision?: number }> {
    const revision = await this.#kept?.release()
    return revision === undefined ? {} : { revision }
  }
}

const constraintsIn = (cib: XmlElement): readonly XmlElement[] => {
  const section = childElement(configurationElement(cib), 'constraints')
  return (section?.children ?? []).filter((child): child is XmlElement => child.kind === 'element')
}

/** What the change has made, and the document without it. */
function newConstraints(
  before: XmlElement,
  after: XmlElement,
): { readonly made: readonly XmlElement[]; readonly without: XmlElement } {
  const known = new Set(constraintsIn(before).map((one) => JSON.stringify(plain(one))))
  const made = constraintsIn(after).filter((one) => !known.has(JSON.stringify(plain(one))))
  const edit = (parent: XmlElement): XmlElement => ({
    ...parent,
    children: parent.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      if (made.includes(child)) return []
      return [['configuration', 'constraints'].includes(child.name) ? edit(child) : child]
    }),
  })
  return { made, without: edit(after) }
}

/** Without the places in the text, which differ from document to document. */
function plain({ name, attributes, children }: XmlElement): object {
  return { name, attributes, children: children.map((child) => (child.kind === 'element' ? plain(child) : child.text)) }
}
