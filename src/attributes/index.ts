/** Node attributes: which value holds, when a change is written (dampening), and the fail counts kept among them. */
export {
  type DampeningEffect,
  type DampeningInput,
  type DampeningState,
  dampeningStep,
  initialDampening,
  nextDampeningAt,
} from './dampening.ts'
export {
  clearFailureEdits,
  type FailureOf,
  failureEdits,
} from './fail-count.ts'
export { type KnownAttributes, liveAttributes } from './known.ts'
export { expandValue, mergedAttributes } from './merge.ts'
export {
  type AttributeRequest,
  type AttributeWrite,
  releaseAll,
  setAttribute,
  setDampening,
} from './set-attribute.ts'
