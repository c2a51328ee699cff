/** What crm_mon shows of a cluster; whoever can read the status fills it in. */
export interface MonitorStatus {
  readonly dc?: { readonly name: string; readonly id: string; readonly version: string }
  readonly quorate: boolean
  /** Attributes of `cluster_options`. */
  readonly options: Readonly<Record<string, string>>
  readonly nodes: readonly MonitorNode[]
  readonly resources: readonly MonitorResource[]
  readonly attributes: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly failures: readonly MonitorFailure[]
}

export interface MonitorNode {
  readonly name: string
  readonly id: string
  readonly online: boolean
  readonly standby: boolean
  readonly standbyOnFail: boolean
  readonly maintenance: boolean
  readonly pending: boolean
  readonly unclean: boolean
  readonly health: string
  readonly featureSet: string
  readonly shutdown: boolean
  readonly expectedUp: boolean
  readonly isDc: boolean
  readonly resourcesRunning: number
  readonly type: 'member' | 'remote'
}

export type MonitorResource =
  | MonitorPrimitive
  | {
      readonly kind: 'group'
      readonly id: string
      readonly managed: boolean
      readonly maintenance: boolean
      readonly disabled: boolean
      readonly members: readonly MonitorPrimitive[]
    }
  | {
      readonly kind: 'clone'
      readonly id: string
      readonly promotable: boolean
      readonly unique: boolean
      readonly managed: boolean
      readonly maintenance: boolean
      readonly disabled: boolean
      readonly failed: boolean
      readonly failureIgnored: boolean
      readonly members: readonly MonitorResource[]
    }
  | {
      readonly kind: 'bundle'
      readonly id: string
      readonly type: string
      readonly image: string
      readonly unique: boolean
      readonly managed: boolean
      readonly maintenance: boolean
      readonly failed: boolean
      readonly replicas: readonly { readonly id: string; readonly resources: readonly MonitorPrimitive[] }[]
    }

export interface MonitorPrimitive {
  readonly kind: 'primitive'
  readonly id: string
  /** `ocf:heartbeat:galera`. */
  readonly agent: string
  /** A role, or `Promoting` and the like while it changes: agents take what is `Promoted` for up already. */
  readonly role: string
  readonly targetRole?: string
  readonly active: boolean
  readonly orphaned: boolean
  readonly blocked: boolean
  readonly managed: boolean
  readonly maintenance: boolean
  readonly failed: boolean
  readonly failureIgnored: boolean
  readonly pending?: string
  readonly nodes: readonly { readonly name: string; readonly id: string }[]
}

export interface MonitorFailure {
  readonly key: string
  readonly node: string
  readonly exitStatus: string
  readonly exitReason: string
  readonly exitCode: number
  readonly call: string
  readonly status: string
}
