/** Between the main thread and the one that asks other clusters. */
import type { PartAnswer } from '../../rollout/index.ts'
import type { PartAsk, PlanAnswer } from './ask-part.ts'
import type { FleetTarget, Told } from './told.ts'

export interface ToFleet {
  readonly id: number
  readonly ask:
    | { readonly kind: 'status'; readonly target: FleetTarget }
    /** Which certificates stand there, PEM. */
    | { readonly kind: 'certificates'; readonly address: string }
    /** Of a rollout over clusters. */
    | { readonly kind: 'part'; readonly target: FleetTarget; readonly part: PartAsk }
    | { readonly kind: 'plan'; readonly target: FleetTarget; readonly file: string }
}

export interface FromFleet {
  readonly id: number
  readonly told?: Told
  readonly part?: PartAnswer
  readonly plan?: PlanAnswer
  readonly chain?: readonly string[]
  readonly error?: string
}
