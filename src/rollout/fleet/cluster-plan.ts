/** What a cluster says that it would do by a rollout file. */

/** Of one cluster, without what its own `rollout plan` shows besides. */
export interface ClusterPlan {
  readonly already: readonly string[]
  readonly refusals: readonly string[]
  readonly waves: readonly {
    readonly role?: string
    readonly groups: readonly (readonly string[])[]
    readonly waiting: readonly { readonly node: string; readonly why: string }[]
  }[]
  readonly interruptions: readonly {
    readonly resource: string
    readonly times: number
    readonly longestMs: number
    readonly isUnknown: boolean
  }[]
}
