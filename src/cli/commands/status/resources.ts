import type { ClusterStatus, PrimitiveResource } from '../../../status/index.ts'
import { namedIn } from '../../../tools/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { resourceFacts } from '../../facts/status-facts.ts'
import { isFencing, namedBy, resourceLines, select, statusOf } from '../../facts/status-view.ts'
import { coverageLines, coverageOf } from '../../facts/verified.ts'
import { onlyKnown } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import { topologyLines } from '../stonith/level.ts'

const flags = [
  { name: 'hide-inactive', summary: 'Do not show inactive resources' },
  {
    name: 'full',
    summary: 'Without effect, accepted for compatibility with pcs: the output is always complete',
    withoutEffect: 'the output is always complete.',
  },
]
const verifiedFlag = { name: 'verified', summary: 'Also show when each was last verified, by what and how deep' }
const usage = '[<resource | tag>] [node=<node>] [--hide-inactive] [--verified]'

export const statusResources: Command = {
  path: ['status', 'resources'],
  aliases: [['resource', 'status']],
  bare: [['resource']],
  usage,
  summary: 'Show resources and where they run',
  flags: [...flags, verifiedFlag],
  completes: ['resource', 'anything'],
  run: (call) => show(call, { fencing: false, none: 'NO resources configured' }),
}

export const stonithStatus: Command = {
  path: ['stonith', 'status'],
  bare: [['stonith']],
  usage,
  summary: 'Show fence devices and where they are monitored from',
  flags: [...flags, verifiedFlag],
  completes: ['fence-device', 'anything'],
  run: (call) => show(call, { fencing: true, none: 'NO stonith devices configured' }),
}

async function show(call: Call, what: { readonly fencing: boolean; readonly none: string }): Promise<Outcome> {
  const names = call.words.filter((word) => !word.includes('='))
  expectWords(names, { atLeast: 0, atMost: 1, usage: `${call.command.path.join(' ')} ${usage}` })
  const options = parsePairs(
    call.words.filter((word) => word.includes('=')),
    'options',
  )
  onlyKnown(options, ['node'], 'The list of resources')
  const node = options.get('node')
  if (node === '')
    throw new Refusal({ own: "Specify the node: 'node=<node>'.", about: { code: 'no-pair', word: 'node' } })
  const { cib } = await call.cluster.readCib()
  const status = statusOf(call, cib)
  const own = { ...status, resources: status.resources.filter((resource) => isFencing(resource) === what.fencing) }
  const hideInactive = call.flags.has('hide-inactive')
  const selected = select(names.length > 0 ? status : own, {
    ids: namedBy(cib, names),
    hideInactive,
    keep: () => true,
    anyNode: judgesAsPcs(call.speech),
    // With one of these, pcs says that nothing is active, also of what it does not know.
    anyResource: judgesAsPcs(call.speech) && (hideInactive || node !== undefined),
    ...(node === undefined ? {} : { node }),
  })
  // pcs shows the member that is named, and not its whole group.
  const named = judgesAsPcs(call.speech) && names.length > 0 ? namedIn(status, namedBy(cib, names)) : undefined
  const isTold = named && ((resource: PrimitiveResource) => named.has(resource))
  const lines = [
    ...(selected.resources.length === 0 ? [] : resourceLines(selected, call.speech, { hideInactive, node, isTold })),
  ]
  const levels = what.fencing && names.length === 0 && node === undefined ? topologyLines(cib, call.speech.dialect) : []
  const empty = isEmptyList({ status, own, names, hideInactive, node }, call) ? what.none : 'No active resources'
  const verified = call.flags.has('verified')
    ? coverageLines(coverageOf(selected, []), secondsOf(call.terminal.now())).map((line) => `  * ${line}`)
    : []
  const looked = verified.length === 0 ? [] : ['Verified:', ...verified]
  const text = [...(lines.length > 0 ? lines : [empty]), ...levels, ...looked].map((line) => `${line}\n`).join('')
  return done(text, resourceFacts(selected.resources))
}

interface Listed {
  readonly status: ClusterStatus
  readonly own: ClusterStatus
  readonly names: readonly string[]
  readonly hideInactive: boolean
  readonly node: string | undefined
}

/** Whether there is nothing of this kind at all. pcs looks at what is listed with the other kind: fence devices beside resources that are active. */
function isEmptyList({ status, own, names, hideInactive, node }: Listed, call: Call): boolean {
  const whole = own.resources.length === 0 && !hideInactive && node === undefined
  if (whole || !judgesAsPcs(call.speech) || names.length > 0) return whole
  const which = { ids: [], hideInactive, keep: () => true, anyNode: true, ...(node === undefined ? {} : { node }) }
  return select(status, which).resources.length > 0
}
