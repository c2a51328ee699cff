import type { Agent } from '../cib/index.ts'

export const sameAgent = (a: Agent, b: Agent): boolean =>
  a.type === b.type && a.class === b.class && a.provider === b.provider
