import { type CibReport, describeCibReport, printXml, validateCib, type XmlElement } from '../../../cib/index.ts'
import { agentName } from '../../../resource-agents/index.ts'
import { schedule } from '../../../scheduler/index.ts'
import { cibSource, sourceFlags } from '../../access/cib-source.ts'
import { type Call, type Command, done, type Outcome } from '../../call/command.ts'
import { type UnreadDisk, unreadDisks } from '../../change/unread-disk.ts'
import { expectWords } from '../../grammar/words.ts'
import { type InstalledAgent, resolveResourceAgent } from '../../host/agents.ts'
import { secondsOf } from '../../host/host-time.ts'
import { md5 } from '../../host/md5.ts'
import { configuredPrimitives, type LintFinding, lint } from './lint.ts'

export const clusterVerify: Command = {
  path: ['cluster', 'verify'],
  aliases: [['verify']],
  usage: '[--full] [--strict] [--xml-file=<file>]',
  summary: 'Check the configuration for errors',
  details:
    'Errors make the command fail; warnings only with --strict. --strict also reports valid but risky settings: clones ordered ' +
    'without interleave, stop timeouts shorter than the agent recommends, resources without a monitor, missing fencing, colocations that cannot be ' +
    'satisfied, and two nodes that may fence each other. The options of crm_verify are accepted.',
  examples: ['systole cluster verify --strict', 'systole verify --xml-file cib.xml', 'systole verify --quiet'],
  flags: [
    ...sourceFlags,
    { name: 'xml-text', letter: 'X', value: 'text', summary: 'A CIB as text' },
    { name: 'full', summary: 'Show the path of the element in the CIB with each message' },
    { name: 'verbose', letter: 'V', summary: 'The same as --full' },
    { name: 'quiet', letter: 'Q', summary: 'Print nothing; only set the exit code' },
    { name: 'strict', summary: 'Also report risky settings, and fail on warnings' },
    { name: 'save-xml', letter: 'S', value: 'file', summary: 'Save the checked CIB if it is valid' },
  ],
  run: (call) => verify(call),
}

interface Verdict {
  readonly reports: readonly CibReport[]
  readonly advice: readonly LintFinding[]
  /** What could not be checked, and why. */
  readonly notes: readonly string[]
}

async function verify(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'cluster verify [--full] [--strict]' })
  const { cib } = await cibSource(call).read()
  const reports = validateCib(cib)
  const strict = call.flags.has('strict')
  const isBroken = reports.some(({ severity }) => severity === 'error')
  const advice = strict && !isBroken ? await adviceFor(cib, call.terminal.now()) : { advice: [], notes: [] }
  const skipped = strict && isBroken ? ['--strict needs a configuration without errors.'] : []
  const verdict: Verdict = {
    reports,
    advice: [...(isBroken ? [] : unreadDisks(cib).map(unreadDiskFinding)), ...advice.advice],
    notes: [...skipped, ...advice.notes],
  }
  const warnings = verdict.advice.length + reports.filter(({ severity }) => severity === 'warning').length
  const failed = isBroken || (strict && warnings > 0)
  const copy = call.flags.get('save-xml')
  if (typeof copy === 'string' && !isBroken) await call.terminal.writeFile(copy, printXml(cib))
  const full = call.flags.has('full') || call.flags.has('verbose')
  const lines = call.flags.has('quiet') ? [] : [...linesOf(verdict, full), summarize(verdict)]
  const text = lines.map((line) => `${line}\n`).join('')
  return done(text, { valid: !isBroken, ...verdict }, failed ? 1 : 0)
}

/** Told without --strict as well: what such a device calls fenced may run on. */
const unreadDiskFinding = ({ id, text }: UnreadDisk): LintFinding => ({ code: 'unread-disk', subject: id, text })

async function adviceFor(cib: XmlElement, time: Date): Promise<Pick<Verdict, 'advice' | 'notes'>> {
  const now = secondsOf(time)
  const agents = await agentsOf(cib, now)
  const unknown = [...agents].filter(([, { metadata }]) => metadata.actions.length === 0).map(([name]) => name)
  return {
    advice: lint({
      cib,
      now,
      advisedStopMs: ({ agent }) =>
        agents.get(agentName(agent))?.metadata.actions.find(({ name }) => name === 'stop')?.timeoutMs,
    }),
    notes: unknown.map((name) => `${name} is not installed on this node, so its timeouts were not checked.`),
  }
}

/** Each agent that is used, asked once. */
async function agentsOf(cib: XmlElement, now: number): Promise<ReadonlyMap<string, InstalledAgent>> {
  const decision = schedule({ cib, now, md5, explain: false })
  const used = configuredPrimitives(decision).filter(
    ({ agent, connectionOf }) => agent.class !== 'stonith' && connectionOf === undefined,
  )
  const names = [...new Set(used.map(({ agent }) => agentName(agent)))]
  return new Map(
    await Promise.all(names.map(async (name) => [name, await resolveResourceAgent(name, { force: true })] as const)),
  )
}

function linesOf({ reports, advice, notes }: Verdict, full: boolean): readonly string[] {
  return [
    ...reports.map((report) => {
      const path = full ? `\n  ${report.path}` : ''
      return `${report.severity === 'error' ? 'Error' : 'Warning'}: ${describeCibReport(report)}${path}`
    }),
    ...advice.map(({ text, code, subject }) => `Warning: ${text}${full ? `\n  ${code}: ${subject}` : ''}`),
    ...notes.map((note) => `Note: ${note}`),
  ]
}

function summarize({ reports, advice }: Verdict): string {
  const errors = reports.filter(({ severity }) => severity === 'error').length
  const warnings = reports.length - errors + advice.length
  if (errors === 0 && warnings === 0) return 'The configuration is valid.'
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`
  return errors > 0
    ? `The configuration is not valid: ${count(errors, 'error')}, ${count(warnings, 'warning')}.`
    : `The configuration is valid, with ${count(warnings, 'warning')}.`
}
