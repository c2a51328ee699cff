/** The words and numbers that stand in the CIB's attributes, as types. */

/** -1000000 … 1000000; the ends are minus and plus INFINITY. */
export type Score = number

export type Role = 'Stopped' | 'Started' | 'Unpromoted' | 'Promoted'

export type OrderKind = 'Optional' | 'Mandatory' | 'Serialize'
export type OrderAction = 'start' | 'promote' | 'demote' | 'stop'
