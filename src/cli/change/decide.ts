/** The scheduler's decision about a CIB, with this host's clock and digests. */
import { utcOffsetAt } from '../../base/index.ts'
import type { XmlElement } from '../../cib/index.ts'
import { type Schedule, schedule } from '../../scheduler/index.ts'
import { secondsOf } from '../host/host-time.ts'
import { md5 } from '../host/md5.ts'

export function decide(cib: XmlElement, now: Date): Schedule {
  return schedule({ cib, now: secondsOf(now), md5, utcOffsetAt, explain: true })
}
