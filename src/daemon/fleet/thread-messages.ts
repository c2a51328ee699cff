/** Between the main thread and the one that asks other clusters. */
import type { FleetTarget, Told } from './told.ts'

export interface ToFleet {
  readonly id: number
  readonly ask:
    | { readonly kind: 'status'; readonly target: FleetTarget }
    /** Which certificates stand there, PEM. */
    | { readonly kind: 'certificates'; readonly address: string }
}

export interface FromFleet {
  readonly id: number
  readonly told?: Told
  readonly chain?: readonly string[]
  readonly error?: string
}
