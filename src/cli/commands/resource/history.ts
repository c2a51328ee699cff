/** `resource history`: what was done with a resource on each node, and what the agent printed. */
import { didYouMean, isoTime, printable, similarWords } from '../../../base/index.ts'
import { seconds } from '../../../journal/index.ts'
import { type ClusterStatus, primitivesIn, type Resource } from '../../../status/index.ts'
import { missingNote } from '../../access/journal.ts'
import { type EndedOperation, hasFailed, readOperations } from '../../access/operations.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { configuredIdsInside } from '../../facts/inside.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'

const usual = 20
const mostOfAll = 200
/** Lines of what an agent printed; `--full` shows all that is kept. */
const shownLines = 20

export const resourceHistory: Command = {
  path: ['resource', 'history'],
  usage: '<resource> [--node=<node>] [--most=<number>] [--failed] [--full]',
  summary: 'Show the last operations of a resource on each node, with the output of the agent',
  details:
    'Each node keeps its last 2 MiB of this: of every operation how it ended and the last 8 KiB that the agent printed, on its standard output and error together; of a recurring monitor, only when the result changes for the worse. Secret values are hidden. Remote nodes keep the output of their agents in their own log.',
  examples: ['systole resource history web', 'systole resource history web --failed --node=n1 --full'],
  flags: [
    { name: 'node', value: 'node', summary: 'Only operations on this node', completes: 'node' },
    {
      name: 'most',
      value: 'number',
      summary: `Show at most this many operations (default ${usual}, at most ${mostOfAll})`,
    },
    { name: 'failed', summary: 'Only operations that did not end as expected' },
    { name: 'full', summary: `Show all of a kept output, not only its last ${shownLines} lines` },
  ],
  completes: ['resource'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'resource history <resource>' })
    const [name = ''] = call.words
    const most = mostOf(call.flags.get('most'))
    const live = liveCluster(call)
    const status = statusOf(call, (await call.cluster.readCib()).cib)
    const resources = resourcesNamed(status.resources, name)
    const { operations, missing } = await readOperations(live, resources, mostOfAll)
    const node = call.flags.get('node')
    const shown = operations
      .filter((one) => node === undefined || one.node === node)
      .filter((one) => !call.flags.has('failed') || hasFailed(one))
      .slice(-most)
    const lines = shown.flatMap((one) => [headOf(one), ...outputLines(one.output, call.flags.has('full'))])
    const text = lines.length === 0 ? `No operations of ${name} are recorded.\n` : `${lines.join('\n')}\n`
    const remote = remoteNodesOf(status, new Set(resources)).filter((one) => node === undefined || one === node)
    return done(`${text}${remoteNote(name, remote)}${missingNote(missing)}`, {
      operations: shown.map(factsOf),
      missing,
      remote,
    })
  },
}

function mostOf(word: string | true | undefined): number {
  const most = word === undefined ? usual : Number(word)
  if (Number.isInteger(most) && most >= 1 && most <= mostOfAll) return most
  throw new Refusal(`--most=${printable(String(word))}: specify a number from 1 to ${mostOfAll}.`)
}

function resourcesNamed(all: readonly Resource[], name: string): readonly string[] {
  const found = configuredIdsInside(all, name)
  if (found.length > 0) return found
  const names = all.map(({ id }) => String(id))
  throw new Refusal(`There is no resource '${printable(name)}'.${didYouMean(similarWords(name, names))}`)
}

/** Remote and guest nodes on which it is active or has failed: what agents print there is not among what the members keep. */
function remoteNodesOf(
  { resources, nodesByName, failures }: ClusterStatus,
  names: ReadonlySet<string>,
): readonly string[] {
  const primitives = resources.flatMap(primitivesIn).filter(({ configuredId }) => names.has(String(configuredId)))
  const ids = new Set(primitives.flatMap(({ id, state }) => [String(id), String(state.historyName)]))
  const places = [
    ...primitives.flatMap(({ state }) => state.active.map(({ node }) => node)),
    ...failures.flatMap(({ resource, node }) => (ids.has(String(resource)) ? [node] : [])),
  ]
  return [...new Set(places)].filter((node) => (nodesByName.get(node)?.kind ?? 'member') !== 'member').map(String)
}

const remoteNote = (name: string, remote: readonly string[]): string =>
  remote.length === 0
    ? ''
    : `The output of the agent of ${name} on ${remote.join(', ')} is in the log of the daemon there.\n`

function headOf(one: EndedOperation): string {
  const { at, node, resource, operation, intervalMs, execMs, reason } = one
  const every = intervalMs > 0 ? ` every ${seconds(intervalMs)}` : ''
  const why = reason === undefined ? '' : `: ${printable(reason)}`
  return `${isoTime(Math.floor(at / 1000))}  ${node}  ${operation} ${resource}${every}: ${resultOf(one)} in ${seconds(execMs)}${why}`
}

/** As OCF names them. */
const codes: readonly string[] = [
  'ok',
  'error',
  'invalid parameter',
  'unimplemented feature',
  'insufficient privileges',
  'not installed',
  'not configured',
  'not running',
  'promoted',
  'promoted (failed)',
]

const wordFor = (rc: number): string => codes[rc] ?? 'error'

function resultOf({ status, rc, expected }: EndedOperation): string {
  if (status !== 'done') return `FAILED (${status})`
  const word = wordFor(rc)
  return rc === expected ? word : `FAILED (${word}, ${rc}, expected ${expected})`
}

/** Whatever an agent prints, a terminal obeys none of it. */
export function outputLines(output: string, isFull: boolean): readonly string[] {
  const lines = output.split('\n').map((line) => printable(line.trimEnd()))
  while (lines.at(-1) === '') lines.pop()
  const shown = isFull ? lines : lines.slice(-shownLines)
  const omitted = lines.length - shown.length
  return [
    ...(omitted > 0 ? [`  | [${omitted} lines before; --full shows them]`] : []),
    ...shown.map((line) => `  | ${line}`),
  ]
}

const factsOf = (one: EndedOperation) => ({
  ...one,
  at: new Date(one.at).toISOString(),
  failed: hasFailed(one),
  result: wordFor(one.rc),
})
