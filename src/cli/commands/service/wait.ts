/** Waiting for instances of a service, and seeing them come and go. */
import { setTimeout as delay } from 'node:timers/promises'
import { parseDurationMs } from '../../../base/index.ts'
import { awaitedOf, countOf, missing } from '../../../services/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'
import { knownServices, serviceNamed } from './known.ts'
import { serviceFacts } from './print.ts'
import { type Change, changesBetween, type Line, linesOf } from './watch-lines.ts'

const pollMs = 500
/** EX_TEMPFAIL of sysexits.h: ask again later. */
const pendingExit = 75
const defaultTimeoutMs = 60_000

export const timeoutFlag: Flag = {
  name: 'timeout',
  value: 'duration',
  summary: 'How long to wait at most (default: 60s; 0 only looks)',
}

export function timeoutOf({ flags }: Call, otherwise = defaultTimeoutMs): number {
  const written = flags.get('timeout')
  if (typeof written !== 'string') return otherwise
  const ms = parseDurationMs(written)
  if (ms === undefined) throw new Refusal(`'${written}' is not a duration. Examples: 30s, 5m, 1h.`)
  return ms
}

export const serviceWait: Command = {
  path: ['service', 'wait'],
  usage: '<name> [--min=<number>] [--timeout=<duration>]',
  summary: 'Wait until enough instances of a service are healthy',
  details:
    'The exit code is 0 once as many are healthy, and 75 with what is missing and why when the time is over. Without --min, as many as the service expects, and at least one.',
  examples: ['systole service wait keystone --min=2 --timeout=5m'],
  flags: [{ name: 'min', value: 'number', summary: 'How many instances must be healthy (default: all)' }, timeoutFlag],
  completes: ['anything'],
  run: waitForService,
}

async function waitForService(call: Call): Promise<Outcome> {
  expectWords(call.words, {
    atLeast: 1,
    atMost: 1,
    usage: 'service wait <name> [--min=<number>] [--timeout=<duration>]',
  })
  const least = leastOf(call)
  const longest = timeoutOf(call)
  // Nothing changes in a file.
  const until = call.cluster.live ? performance.now() + longest : 0
  let told = ''
  for (;;) {
    const service = serviceNamed(await knownServices(call), call.words[0] ?? '')
    const min = least ?? awaitedOf(service)
    const lacking = missing(service, min)
    if (lacking === undefined) return done(`${service.definition.name}: ${countOf(service)}\n`, serviceFacts(service))
    const text = `${lacking.join('\n')}\n`
    if (performance.now() >= until)
      return done(text, { ...(serviceFacts(service) as object), missing: lacking }, pendingExit)
    // The whole of it is the answer.
    const news =
      told === ''
        ? `Waiting for ${min} healthy of ${service.definition.name}; now ${countOf(service)}.`
        : (lacking[0] ?? '')
    if (lacking[0] !== told) call.terminal.progress(news)
    told = lacking[0] ?? ''
    await delay(pollMs)
  }
}

function leastOf({ flags }: Call): number | undefined {
  const written = flags.get('min')
  if (written === undefined) return undefined
  if (typeof written === 'string' && /^[1-9]\d{0,5}$/.test(written)) return Number(written)
  throw new Refusal(`'${String(written)}' is not a number of instances. Specify 1 or more.`)
}

export const serviceWatch: Command = {
  path: ['service', 'watch'],
  usage: '[<name>] [--timeout=<duration>]',
  summary: 'Print each change of service instances on a line, until interrupted',
  details: 'With --json each line is a JSON object. The first lines show how it is now.',
  examples: ['systole service watch keystone'],
  flags: [{ ...timeoutFlag, summary: 'End after this time (default: never)' }],
  completes: ['anything'],
  run: watchServices,
}

async function watchServices(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'service watch [<name>]' })
  liveCluster(call)
  const until = performance.now() + timeoutOf(call, Number.POSITIVE_INFINITY)
  const [name] = call.words
  let known: ReadonlyMap<string, Line> = new Map()
  for (;;) {
    const { services, mistakes } = await knownServices(call)
    if (name !== undefined) serviceNamed({ services, mistakes }, name)
    const now = linesOf(services.filter(({ definition }) => name === undefined || definition.name === name))
    for (const line of changesBetween(known, now)) tell(call, line)
    known = now
    if (performance.now() >= until) return done('', { ended: 'timeout' })
    await delay(Math.min(pollMs, Math.max(0, until - performance.now())))
  }
}

function tell(call: Call, { service, text, facts }: Change): void {
  const time = call.terminal.now().toISOString()
  const line = call.flags.has('json') ? JSON.stringify({ time, service, ...facts }) : `${time} ${service}: ${text}`
  process.stdout.write(`${line}\n`)
}
