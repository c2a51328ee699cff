/** Reads the history: what runs where, in which role, with which failures. Chooses nothing. */
export type * from './cluster-status.ts'
