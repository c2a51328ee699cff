/** A change may bring in words that are taken and do nothing. Whoever makes it learns that beside the answer, as from `systole property set`. */
import { describeFinding, validateCib, type XmlElement } from '../../cib/index.ts'
import type { ToolReply } from '../reply.ts'
import type { CibChange } from '../world.ts'

export function tellingOfEffect(
  tool: string,
  change: CibChange,
): { readonly change: CibChange; readonly told: (reply: ToolReply) => ToolReply } {
  let sentences: readonly string[] = []
  return {
    change: (before) => {
      const after = change(before)
      sentences = 'exitCode' in after ? [] : newlyIdle(before, after)
      return after
    },
    told: (reply) => ({ ...reply, errors: reply.errors + sentences.map((one) => `${tool}: ${one}\n`).join('') }),
  }
}

function newlyIdle(before: XmlElement, after: XmlElement): readonly string[] {
  const known = new Set(idleIn(before))
  return idleIn(after).filter((sentence) => !known.has(sentence))
}

const idleIn = (cib: XmlElement): readonly string[] =>
  validateCib(cib).flatMap((report) => (report.code === 'without-effect' ? [describeFinding(report)] : []))
