/** Records a remote node as connected or as down, only while this member's claim of the connection is the last one. */
import type { NodeName } from '../../base/index.ts'
import type { NodeStateRecord } from '../../cib/index.ts'
import type { ClusterView } from '../../controller/index.ts'
import type { Comparison, Revision, Store, Write } from '../../store/index.ts'
import { membershipNotes } from '../alerts/outbox.ts'
import { toBytes } from '../records/json-value.ts'
import { keys, remoteOwnerKey } from '../records/keys.ts'

export interface ConnectionRecordsPorts {
  readonly self: NodeName
  readonly store: () => Store
  readonly view: () => ClusterView
}

export class ConnectionRecords {
  readonly #ports: ConnectionRecordsPorts
  readonly #node: NodeName

  constructor(ports: ConnectionRecordsPorts, node: NodeName) {
    this.#ports = ports
    this.#node = node
  }

  /** The revision of the claim; undefined where this node is not a member, or another has claimed the connection since. */
  async claim(onlyIfOwn: boolean): Promise<Revision | undefined> {
    const { self, store } = this.#ports
    const key = remoteOwnerKey(this.#node)
    const value = toBytes({ node: self })
    const { applied, revision } = await store().transaction({
      compare: [
        { kind: 'present', key: keys.member(self) },
        ...(onlyIfOwn ? [{ kind: 'value', key, equals: value } as const] : []),
      ],
      writes: [{ kind: 'put', key, value }],
    })
    return applied ? revision : undefined
  }

  /** Clears its history and a `shutdown` of its earlier life; other attributes stay. False where another has claimed the connection since. */
  async up(token: number, life: Readonly<Record<string, string>>): Promise<boolean> {
    const state = this.#state(true, life)
    return await this.write(token, [
      { kind: 'put', key: keys.nodeState(this.#node), value: toBytes(state) },
      ...membershipNotes(this.#ports.view().nodeStates, [state]),
      { kind: 'delete-prefix', prefix: keys.historyOfNode(this.#node) },
      { kind: 'delete', key: keys.attribute(this.#node, '', 'shutdown') },
    ])
  }

  async down(token: number, forgets: boolean): Promise<void> {
    const { nodeStates } = this.#ports.view()
    const { incarnation, node_fenced: fenced } = nodeStates.get(this.#node)?.attributes ?? {}
    const state = this.#state(false, {
      ...(incarnation === undefined ? {} : { incarnation }),
      ...(fenced === undefined ? {} : { node_fenced: fenced }),
    })
    const key = keys.nodeState(this.#node)
    const forget: readonly Write[] = [
      { kind: 'delete', key },
      { kind: 'delete-prefix', prefix: keys.historyOfNode(this.#node) },
    ]
    await this.write(token, [
      ...(forgets ? forget : [{ kind: 'put', key, value: toBytes(state) } as const]),
      ...membershipNotes(nodeStates, [state]),
      { kind: 'delete-prefix', prefix: keys.attributesOfNode(this.#node) },
      { kind: 'delete-prefix', prefix: keys.withheldOfNode(this.#node) },
      { kind: 'delete', key: remoteOwnerKey(this.#node) },
    ])
  }

  /** For whoever else writes on behalf of this claim. */
  owned(token: number): Comparison {
    return { kind: 'mod-revision', key: remoteOwnerKey(this.#node), equals: token as Revision }
  }

  async write(token: number, writes: readonly Write[]): Promise<boolean> {
    const { applied } = await this.#ports.store().transaction({ compare: [this.owned(token)], writes })
    return applied
  }

  #state(isUp: boolean, attributes: Readonly<Record<string, string>>): NodeStateRecord {
    return {
      node: this.#node,
      id: this.#node,
      inCcm: isUp,
      crmd: isUp ? 'online' : 'offline',
      join: isUp ? 'member' : 'down',
      expected: isUp ? 'member' : 'down',
      attributes: { remote_node: 'true', ...attributes },
    }
  }
}
