/** What crm_mon prints, for whoever prints it as a part of something larger. */
import { assert, nodeName } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { transientPairs } from '../attributes/pairs.ts'
import type { FencingEvent } from '../world.ts'
import { monitorFacts } from './facts.ts'
import { shownSections } from './sections.ts'
import { monitorText, type TextSection } from './text.ts'

export interface Monitored {
  readonly cib: XmlElement
  readonly isCluster: boolean
  /** Seconds since the epoch. */
  readonly now: number
  readonly fencing: readonly FencingEvent[]
}

/** The sections of `crm_mon --one-shot` with these options, which are among those without a value. */
export async function crmMonSections(
  { cib, isCluster, now, fencing }: Monitored,
  options: readonly string[],
): Promise<readonly TextSection[]> {
  const facts = await monitorFacts({
    isCluster,
    cib: () => cib,
    now: () => now,
    transient: (node) => transientPairs(cib, nodeName(node)),
    fencingHistory: () => Promise.resolve(fencing),
  })
  const shown = shownSections(
    options.map((name) => ({ name })),
    'text',
  )
  assert(typeof shown !== 'string', 'no section is named')
  return monitorText(facts, shown)
}
