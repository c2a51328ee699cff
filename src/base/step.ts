/**
 * The one shape of every protocol core: a state, an input and the time go in; the next state and a list of effects
 * come out. The daemon performs the effects and feeds back what happened; the simulator does the same in a made-up world.
 */
export interface Step<State, Effect> {
  readonly state: State
  readonly effects: readonly Effect[]
}
