/** The states of things in pictures. */

/** Each has a shape of its own. */
export type Mark =
  | 'failed'
  | 'blocked'
  | 'pending'
  | 'unmanaged'
  | 'promoted'
  | 'unpromoted'
  | 'started'
  | 'offline'
  | 'standby'
  | 'stopped'
  | 'disabled'

const words: Readonly<Record<Mark, string>> = {
  failed: 'failed',
  blocked: 'blocked',
  pending: 'changing',
  unmanaged: 'unmanaged',
  promoted: 'promoted',
  unpromoted: 'unpromoted',
  started: 'started',
  offline: 'offline',
  standby: 'standby',
  stopped: 'stopped',
  disabled: 'disabled',
}

export const wordOf = (mark: Mark): string => words[mark]
