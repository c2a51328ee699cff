/** Options of histories in which one thing in particular goes wrong: for those that keep the invariants, and for those in which a rule is taken out. */

/** Nothing goes wrong but that nodes do not tell what they have done. */
export const untold = { fencing: true, watchdogs: false, rich: true, faults: ['mute'], faultsLastMs: 240_000 } as const

/** A delay of the fence device, as two nodes should have one, and daemons that stand still for shorter and for longer. */
export const delayed = {
  fencing: true,
  witness: false,
  watchdogs: false,
  fencingDelay: '5s',
  faults: ['pause', 'short pause'],
} as const

/** Nothing else goes wrong, and there is a fence device that works. */
export const lossOfOne = { singleLoss: true, fencing: true, watchdogs: false, rich: false } as const

/** Machines and daemons go and come, and are rebooted by off and on. */
export const rebooted = {
  fencing: true,
  nodes: 3,
  watchdogs: false,
  rich: false,
  splitReboot: true,
  faults: ['power', 'daemon', 'pause'],
} as const
