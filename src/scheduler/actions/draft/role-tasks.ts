/** How operations are named in the orders of groups and clones: what is done, and the point at which it is done everywhere. */

const doneNames: Readonly<Record<string, string>> = {
  start: 'running',
  stop: 'stopped',
  promote: 'promoted',
  demote: 'demoted',
}

/** `start` → `running`; others have no such point. */
export const doneTask = (task: string): string | undefined => doneNames[task]

const originals: Readonly<Record<string, string>> = {
  running: 'start',
  stopped: 'stop',
  promoted: 'promote',
  demoted: 'demote',
}

/** The operation that a point in the order of a group or clone stands for. */
export const originalTask = (task: string): string => originals[task] ?? task

const inverses: Readonly<Record<string, string>> = {
  start: 'stop',
  stop: 'start',
  promote: 'demote',
  demote: 'promote',
  running: 'stopped',
  stopped: 'running',
  promoted: 'demoted',
  demoted: 'promoted',
}

export const inverseTask = (task: string): string => inverses[task] ?? task
