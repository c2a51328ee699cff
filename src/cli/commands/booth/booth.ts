/**
 * Debian's booth, which decides between sites who holds a ticket: its own program is asked, and its daemon changes tickets with
 * `crm_ticket`. Where it is not set up, a ticket is granted by hand.
 */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { forceFlag, ticketVerbs } from '../ticket/ticket.ts'

interface Answer {
  readonly exitCode: number
  readonly standardOutput: string
  readonly standardError: string
}

/** Runs `booth` with these words; undefined where there is no such program. */
export type RunBooth = (words: readonly string[]) => Promise<Answer | undefined>

const nameFlag: Flag = {
  name: 'name',
  value: 'instance',
  summary: 'The booth instance: the name of its file in /etc/booth',
}

export const boothStatus: Command = {
  path: ['booth', 'status'],
  aliases: [['status', 'booth']],
  usage: '[--name=<instance>]',
  summary: "Show booth's tickets, peers and daemon",
  details:
    "Calls the program booth of this host (Debian package booth), as pcs does. Without booth, 'ticket status' shows which tickets this cluster holds.",
  flags: [nameFlag],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'booth status' })
    const name = instanceOf(nameOf(call), instancesHere())
    if (name === undefined)
      throw new Refusal(
        `Booth is not set up on this host: ${fileOf('booth')} is missing. Without booth, grant tickets with 'ticket grant' and show them with 'ticket status'.`,
      )
    return await boothFacts(runBooth, name)
  },
}

/** 7 is `OCF_NOT_RUNNING`: no daemon of this instance runs, which is an answer as well. */
const notRunning = 7

export async function boothFacts(run: RunBooth, name: string): Promise<Outcome> {
  const ask = async (word: string, what: string, good: readonly number[]): Promise<string> => {
    const answer = await answerOf(run, [word, '-c', name])
    if (good.includes(answer.exitCode)) return answer.standardOutput
    throw new Refusal(`booth did not report ${what} of '${name}': ${complaintOf(answer)}`)
  }
  const daemon = await ask('status', 'the state of the daemon', [0, notRunning])
  const tickets = await ask('list', 'the tickets', [0])
  const peers = await ask('peers', 'the peers', [0])
  const part = (title: string, text: string): string => (text === '' ? '' : `${title}:\n${text}\n`)
  return done(`${part('TICKETS', tickets)}${part('PEERS', peers)}${part('DAEMON STATUS', daemon)}`, {
    instance: name,
    tickets,
    peers,
    daemon,
  })
}

/** Sites that agree need nobody's word. */
const byHandFlag: Flag = {
  name: 'force',
  summary: 'Without booth: confirm that no other cluster holds the ticket',
}

export const boothTicketCommands: readonly Command[] = ticketVerbs
  .filter(({ verb }) => verb === 'grant' || verb === 'revoke')
  .map(({ verb, run }) => ({
    path: ['booth', 'ticket', verb],
    usage: '<ticket> [<site address>] [--name=<instance>]',
    summary:
      verb === 'grant'
        ? 'Grant a ticket to a site, through booth if it is set up'
        : 'Revoke a ticket from a site, through booth if it is set up',
    details: `If booth is set up on this host, the sites agree on the ticket; the default site is this one. If /etc/booth has no booth configuration, the command is the same as ticket ${verb}.`,
    flags: [nameFlag, verb === 'grant' ? byHandFlag : forceFlag(verb)],
    run: async (call) => {
      expectWords(call.words, { atLeast: 1, atMost: 2, usage: `booth ticket ${verb} <ticket> [<site address>]` })
      const [ticket = '', site] = call.words
      const name = instanceOf(nameOf(call), instancesHere())
      if (name !== undefined && verb === 'grant' && call.flags.has('force'))
        throw new Refusal('Booth is set up on this host, and its sites decide who holds a ticket. Omit --force.')
      if (name !== undefined) return await agreeBySites(runBooth, { verb, ticket, site, name })
      if (site !== undefined)
        throw new Refusal(
          `Booth is not set up on this host, so it cannot reach other sites. Run this command at ${site}, without the address.`,
        )
      return await run(call)
    },
  }))

export async function agreeBySites(
  run: RunBooth,
  asked: { readonly verb: string; readonly ticket: string; readonly site: string | undefined; readonly name: string },
): Promise<Outcome> {
  const { verb, ticket, site, name } = asked
  const answer = await answerOf(run, [verb, ...(site === undefined ? [] : ['-s', site]), '-c', name, ticket])
  if (answer.exitCode !== 0) throw new Refusal(`booth failed to ${verb} the ticket ${ticket}: ${complaintOf(answer)}`)
  return done(`booth accepted the request: ${verb} ${ticket}. 'booth status' shows the result.\n`, {
    ticket,
    verb,
    site: site ?? null,
  })
}

async function answerOf(run: RunBooth, words: readonly string[]): Promise<Answer> {
  const answer = await run(words)
  if (answer) return answer
  throw new Refusal('The program booth is not installed on this host (Debian package booth).')
}

const complaintOf = ({ standardError, standardOutput, exitCode }: Answer): string =>
  [standardError, standardOutput].map((text) => text.trim()).find((text) => text !== '') ?? `exit code ${exitCode}`

function nameOf({ flags }: Call): string | undefined {
  const name = flags.get('name')
  return typeof name === 'string' ? name : undefined
}

const folder = '/etc/booth'
const fileOf = (name: string): string => join(folder, `${name}.conf`)

/** The instances of booth that are set up on this host, sorted. */
function instancesHere(): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((file) => (file.endsWith('.conf') ? [file.slice(0, -'.conf'.length)] : []))
    .sort()
}

/**
 * The instance that is meant: the one named, otherwise `booth`, as booth(8) has it. Undefined where booth is not set up at all: only
 * then do no sites agree on tickets, so that changing one by hand contradicts nobody.
 */
export function instanceOf(named: string | undefined, setUp: readonly string[]): string | undefined {
  if (named === undefined && setUp.length === 0) return undefined
  const name = named ?? 'booth'
  if (setUp.includes(name)) return name
  const others = setUp.map((other) => `--name=${other}`).join(' or ')
  throw new Refusal(
    `Booth has no instance '${name}' on this host: ${fileOf(name)} is missing. ${others === '' ? 'Omit --name to change tickets without booth.' : `Write ${others}.`}`,
  )
}

const patienceMs = 20_000

const silent: Answer = {
  exitCode: 1,
  standardOutput: '',
  standardError: `it did not finish within ${patienceMs / 1000} s.`,
}

const runBooth: RunBooth = (words) =>
  new Promise((resolve) => {
    execFile('booth', [...words], { timeout: patienceMs }, (error, standardOutput, standardError) => {
      if (error?.code === 'ENOENT') return resolve(undefined)
      if (error?.killed === true) return resolve(silent)
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ exitCode, standardOutput, standardError })
    })
  })
