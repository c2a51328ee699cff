/** Incidents: what went wrong, why, for how long, from the journals of all nodes. */
import { isoTime } from '../../../base/index.ts'
import { describeHappening, describeIncident, type Incident, seconds, sinceBegin } from '../../../journal/index.ts'
import { earliestOf, incidentsOf, missingNote, readJournals, sinceFlag } from '../../access/journal.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { expectWords } from '../../grammar/words.ts'
import { sendTrace, traceEndpoint, traceHeaders } from '../../host/send-trace.ts'
import { traceOf } from './trace.ts'

export const incidentList: Command = {
  path: ['incident', 'list'],
  bare: [['incident']],
  usage: '[--since=<time>]',
  summary: 'Show what went wrong, when, why, and how long services were away',
  details:
    'An incident begins with a lost node, a failed operation, a fencing or a lost quorum, and ends when every service is back. The nodes’ journals are merged in the order of the store, not by their clocks. ' +
    'Each node keeps its last 2 MiB.',
  examples: ['systole incident list --since=24h'],
  flags: [sinceFlag('Only those that began within this time (for example 24h, P7D)')],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'incident list' })
    const { incidents, missing } = await readIncidents(call)
    const rows = incidents.map((one) => [one.id, momentOf(one.began), lasted(one), describeIncident(one)])
    const text =
      rows.length === 0 ? 'No incidents.\n' : alignColumns([['Id', 'Began', 'Lasted', 'What happened'], ...rows])
    return done(`${text}${missingNote(missing)}`, { incidents: incidents.map(factsOf), missing })
  },
}

export const incidentShow: Command = {
  path: ['incident', 'show'],
  usage: '<id>',
  summary: 'Show all events of an incident in order',
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'incident show <id>' })
    const { incident, missing } = await oneIncident(call)
    return done(`${printIncident(incident)}${missingNote(missing)}`, {
      ...factsOf(incident),
      events: incident.events,
      missing,
    })
  },
}

export const incidentExport: Command = {
  path: ['incident', 'export'],
  usage: '<id> [<file>] | --all [--after=<id>]',
  summary: 'Save or print an incident with all its events as JSON, or send it as a trace by OTLP',
  details:
    'A trace has spans for the detection, each decision, each fencing and each operation. It is sent from this host, once. OTEL_EXPORTER_OTLP_HEADERS of the environment has headers for the collector: name=value, separated by commas.',
  examples: [
    'systole incident export i4711 --otlp=http://collector.example.com:4318',
    'systole incident export --all --after=i4711 --otlp=http://collector.example.com:4318',
  ],
  flags: [
    { name: 'otlp', value: 'address', summary: 'Send it as a trace to this collector, by OTLP over HTTP' },
    { name: 'all', summary: 'Send all incidents that are over, the oldest first; with --otlp' },
    { name: 'after', value: 'id', summary: 'Of all, only those after this one' },
  ],
  completes: ['anything', 'file'],
  run: async (call) => {
    if (call.flags.has('all')) return await sendAll(call)
    if (call.flags.has('after')) throw new Refusal('--after goes with --all.')
    expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'incident export <id> [<file>]' })
    const { incident, missing } = await oneIncident(call)
    const facts = { ...factsOf(incident), events: incident.events, missing }
    const text = `${JSON.stringify(facts, undefined, 2)}\n`
    const [, file] = call.words
    const collector = call.flags.get('otlp')
    if (typeof collector === 'string') {
      if (file !== undefined) throw new Refusal('Specify a file or --otlp, not both.')
      return await sendIncident(call, incident, collector)
    }
    if (file === undefined) return done(text, facts)
    await call.terminal.writeFile(file, text, { writerOnly: true })
    return done(`Saved incident ${incident.id} to ${file}.\n`, { id: incident.id, file })
  },
}

async function sendIncident(call: Call, incident: Incident, collector: string): Promise<Outcome> {
  const url = traceEndpoint(collector)
  const environment = call.terminal.environment ?? process.env
  const headers = traceHeaders(environment.OTEL_EXPORTER_OTLP_HEADERS)
  const { clusterName } = await liveCluster(call).getState({})
  const sent = await sendOne(incident, clusterName, { url, headers })
  return done(sentLine(sent, url), { ...sent, endpoint: url.href })
}

interface SentTrace {
  readonly id: string
  readonly traceId: string
  readonly spans: number
}

const sentLine = ({ id, traceId, spans }: SentTrace, { origin }: URL): string =>
  `Sent incident ${id} to ${origin}: trace ${traceId}, ${spans} spans.\n`

async function sendOne(
  incident: Incident,
  cluster: string,
  { url, headers }: { readonly url: URL; readonly headers: Readonly<Record<string, string>> },
): Promise<SentTrace> {
  const trace = traceOf(incident, cluster, process.env.SYSTOLE_VERSION ?? 'unknown')
  await sendTrace(url, headers, trace)
  const spans = trace.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return { id: incident.id, traceId: spans[0]?.traceId ?? '', spans: spans.length }
}

/** At a time; whoever asks again goes on after the last one. */
const mostSent = 50

async function sendAll(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'incident export --all [--after=<id>] --otlp=<address>' })
  const collector = call.flags.get('otlp')
  if (typeof collector !== 'string') throw new Refusal('--all sends incidents to a collector. Specify it with --otlp.')
  const [, number = ''] = /^i(\d{1,15})$/.exec(String(call.flags.get('after') ?? 'i0')) ?? []
  if (number === '') throw new Refusal(`--after=${String(call.flags.get('after'))}: specify the id of an incident.`)
  const url = traceEndpoint(collector)
  const headers = traceHeaders((call.terminal.environment ?? process.env).OTEL_EXPORTER_OTLP_HEADERS)
  const { clusterName } = await liveCluster(call).getState({})
  const { incidents, missing } = await readIncidents(call)
  const later = incidents.filter(({ cause }) => cause.revision > Number(number))
  // One that goes on is sent when it is over, and those after it then: so none is left out.
  const firstOngoing = later.findIndex(({ ongoing }) => ongoing)
  const over = (firstOngoing === -1 ? later : later.slice(0, firstOngoing)).slice(0, mostSent)
  const sent: SentTrace[] = []
  let failed: string | undefined
  for (const incident of over) {
    try {
      sent.push(await sendOne(incident, clusterName, { url, headers }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failed = error.message
      break
    }
  }
  const notOver = later.length - over.length
  const lines = [...sent.map((one) => sentLine(one, url)), ...(failed === undefined ? [] : [`${failed}\n`])]
  const text = lines.length === 0 ? 'No incident to send.\n' : lines.join('')
  return done(
    `${text}${missingNote(missing)}`,
    { sent, notOver, failed: failed ?? null, missing },
    failed === undefined ? 0 : 1,
  )
}

interface Found {
  readonly incidents: readonly Incident[]
  readonly missing: readonly string[]
}

async function readIncidents(call: Call): Promise<Found> {
  const now = call.terminal.now().getTime()
  const earliest = earliestOf(call, now)
  // What was active when an incident began stands before it.
  const { events, missing } = await readJournals(call)
  return { incidents: (await incidentsOf(call, events, now)).filter(({ began }) => began >= earliest), missing }
}

async function oneIncident(call: Call): Promise<{ readonly incident: Incident; readonly missing: readonly string[] }> {
  const [id = ''] = call.words
  const { incidents, missing } = await readIncidents(call)
  const incident = incidents.find((one) => one.id === id)
  if (incident === undefined) throw new Refusal(`There is no incident '${id}'. To see them: systole incident list`)
  return { incident, missing }
}

const factsOf = ({ events, ...incident }: Incident) => ({
  ...incident,
  began: new Date(incident.began).toISOString(),
  ended: new Date(incident.ended).toISOString(),
  summary: describeIncident({ ...incident, events }),
})

function printIncident(incident: Incident): string {
  const { id, began, cause, events } = incident
  const rows = events.map(({ at, what }) => [`  ${sinceBegin(at - began)}`, describeHappening(what)])
  return `Incident ${id}, ${momentOf(began)}, ${incident.ongoing ? 'not over' : `lasted ${lasted(incident)}`}: ${describeIncident(incident)}\nAs seen by ${cause.by}:\n${alignColumns(rows)}`
}

const momentOf = (ms: number): string => isoTime(Math.floor(ms / 1000))
const lasted = ({ began, ended, ongoing }: Incident): string => (ongoing ? 'not over' : seconds(ended - began))
