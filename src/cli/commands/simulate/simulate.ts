import { createInterface } from 'node:readline'
import { printable, utcOffsetAt } from '../../../base/index.ts'
import { printXml, unreadableSchema, type XmlElement } from '../../../cib/index.ts'
import {
  answerLine,
  formatOperationSpec,
  momentOf,
  type OperationSpec,
  questionMistakes,
  type SimulationQuestion,
  type SimulationText,
  type Surroundings,
  simulateCib,
} from '../../../scheduler/index.ts'
import { mostOfCib, mostOfFile, readUpTo, type Writing } from '../../../tools/index.ts'
import { cibSource, sourceFlags } from '../../access/cib-source.ts'
import { fileAccess } from '../../access/file-access.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'
import { secondsOf } from '../../host/host-time.ts'
import { md5 } from '../../host/md5.ts'
import { tryEdits } from './edits.ts'
import { describeNextChange, simulationFacts } from './facts.ts'
import { follow, printFollowing } from './follow.ts'
import { runProfile } from './profile.ts'
import { flagValues, questionFlags, readQuestion } from './question.ts'

const showFlags: readonly Flag[] = [
  { name: 'show-scores', letter: 's', summary: 'Show the scores' },
  { name: 'show-utilization', letter: 'U', summary: 'Show what nodes offer, what resources take, and what is left' },
  { name: 'show-failcounts', letter: 'c', summary: 'Show fail counts and failed operations' },
  { name: 'show-attrs', letter: 'A', summary: 'Show node attributes' },
  { name: 'show-next-change', summary: 'Show when a rule by date, an expiry or a lock next changes the answer' },
  { name: 'quiet', letter: 'Q', summary: 'Show only the requested sections' },
]

const saveFlags: readonly Flag[] = [
  { name: 'save-input', letter: 'I', value: 'file', summary: 'Save the CIB with the assumptions applied' },
  { name: 'save-output', letter: 'O', value: 'file', summary: 'Save the CIB as it is after the transition' },
  { name: 'in-place', letter: 'X', summary: 'Save it to the file that was read' },
  { name: 'save-graph', letter: 'G', value: 'file', summary: 'Write the transition graph as XML' },
  { name: 'save-dotfile', letter: 'D', value: 'file', summary: 'Write the graph as Graphviz dot' },
  { name: 'save-svg', value: 'file', summary: 'Write a drawing of the graph as SVG' },
]

export const simulateCommand: Command = {
  path: ['simulate'],
  usage: '[--xml-file=<file>] [<what if>]... [--show-...] [--save-...=<file>] | --profile=<folder> | --batch',
  summary: 'Show what the cluster would do, now or under assumptions',
  details:
    'Without a file, the command uses the running cluster. Nothing is changed: the scheduler runs on a copy, and so does its transition. ' +
    'Assumptions are applied first and listed. Repeatable options may be given several times. ' +
    'A failure ends the transition, as in a cluster, which would then compute a new one: --follow shows the transitions that follow. ' +
    'The output and most options are those of crm_simulate.',
  examples: [
    'systole simulate --node-fail n1',
    'systole simulate --op-inject web_monitor_10000@n1=7 --op-fail web_start_0@n1=1 --follow',
    'systole simulate --with "constraint location web prefers n2=100" --show-scores',
    'systole simulate --ticket-revoke site-a --set-datetime "2026-12-24 18:00:00"',
    'systole simulate --xml-file saved.xml --save-output after.xml',
    'systole simulate --profile /root/cibs --repeat 5',
  ],
  flags: [
    ...sourceFlags,
    ...questionFlags,
    ...showFlags,
    ...saveFlags,
    { name: 'follow', summary: 'Also show the following transitions, until the cluster is settled' },
    { name: 'run', letter: 'R', summary: 'Only show the actions: do not run the transition' },
    { name: 'simulate', letter: 'S', summary: 'Run the transition (the default)' },
    { name: 'profile', letter: 'P', value: 'folder', summary: 'Time the simulation of every CIB (*.xml) in a folder' },
    { name: 'repeat', letter: 'N', value: 'times', summary: 'With --profile: simulate each CIB this many times' },
    { name: 'batch', summary: 'Read file names from standard input and print one line of JSON for each' },
  ],
  run: (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'simulate [--xml-file=<file>]' })
    if (call.flags.has('batch')) return answerBatch(call)
    if (call.flags.has('profile')) return runProfile(call, surroundings)
    if (call.flags.has('repeat')) throw new Refusal('--repeat requires --profile.')
    return simulateOnce(call)
  },
}

const surroundings: Surroundings = {
  md5,
  readFile: (path) => readUpTo(path, mostOfFile, mostOfCib).toString('utf8'),
  now: () => Math.floor(Date.now() / 1000),
  utcOffsetAt,
  ticks: () => performance.now(),
}

/** Flags beside it, such as those of the programs that crm_simulate's replacement is called by, change no answer. */
async function answerBatch(call: Call): Promise<Outcome> {
  const others = [...call.flags.keys()].filter((name) => !['batch', 'simulate', 'quiet'].includes(name))
  if (others.length > 0) throw new Refusal(`--batch reads its questions from standard input. Omit --${others[0]}.`)
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(`${printable(answerLine(line, surroundings))}\n`)
  return done('', {})
}

async function simulateOnce(call: Call): Promise<Outcome> {
  const source = cibSource(call)
  if (call.flags.has('in-place') && source.path === undefined)
    throw new Refusal('--in-place writes to a file. Specify it with --xml-file.')
  const { cib: original } = await source.read()
  const unreadable = unreadableSchema(original)
  if (unreadable !== undefined) throw new Refusal(unreadable)
  const question = await completeQuestion(call, original, source.isLive)
  const texts = simulateCib(question)
  const following = call.flags.has('follow') ? follow(question, texts) : undefined
  const { result } = (following?.later.at(-1) ?? texts).simulation
  await save(call, texts, { result, path: source.path })
  const unused = unusedFailures([texts, ...(following?.later ?? [])], question.failures ?? [])
  for (const sentence of unused) call.terminal.progress(sentence)
  const scores = call.flags.has('show-scores') ? texts.scores() : ''
  const nextChange =
    call.flags.has('show-next-change') || source.isLive ? `\n${describeNextChange(texts.simulation.status)}\n` : ''
  const later = following === undefined ? '' : printFollowing(following)
  const rest = `${later}${scores === '' ? '' : `\nScores:\n${scores}`}${nextChange}`
  return done(call.flags.has('quiet') ? scores : `${texts.summary}${rest}`, {
    toJSON: () => ({
      ...simulationFacts(texts),
      unusedFailures: unused,
      ...(following && { following: following.later.map(simulationFacts), settled: following.settled }),
    }),
  })
}

async function completeQuestion(call: Call, original: XmlElement, isLive: boolean): Promise<SimulationQuestion> {
  const date = call.flags.get('set-datetime')
  const saved = isLive ? undefined : original.attributes['execution-date']
  const moment = momentOf(saved, typeof date === 'string' ? date : undefined, utcOffsetAt)
  const now = moment?.seconds ?? secondsOf(call.terminal.now())
  const { whatIf, failures } = readQuestion(call)
  const edits = await tryEdits(call, original, flagValues(call, 'with'))
  const asked = { ...whatIf, results: [...(whatIf.results ?? []), ...failures] }
  const mistakes = questionMistakes(edits.cib, asked, { now, utcOffsetAt })
  if (mistakes.length > 0) throw new Refusal(...mistakes)
  return {
    cib: edits.cib,
    original,
    edits: edits.lines,
    md5,
    now,
    utcOffsetAt,
    showScores: call.flags.has('show-scores') || call.flags.has('json'),
    isSanitized: !isLive,
    keepsResult: ['save-output', 'in-place', 'follow'].some((flag) => call.flags.has(flag)),
    clearsFailures: call.flags.has('follow'),
    whatIf,
    failures,
    ...(moment && { dateLine: moment.line }),
    show: {
      attributes: call.flags.has('show-attrs'),
      failCounts: call.flags.has('show-failcounts'),
      utilization: call.flags.has('show-utilization'),
    },
    planOnly: call.flags.has('run') && !call.flags.has('simulate'),
  }
}

async function save(
  call: Call,
  texts: SimulationText,
  { result, path }: { readonly result: () => XmlElement; readonly path: string | undefined },
): Promise<void> {
  const write = async (flag: string, text: () => string, how: Writing = {}): Promise<void> => {
    const file = call.flags.get(flag)
    if (typeof file === 'string') await call.terminal.writeFile(file, text(), how)
  }
  await write('save-input', () => printXml(texts.input))
  await write('save-output', () => printXml(result()))
  await write('save-graph', texts.graph)
  await write('save-dotfile', () => texts.drawn().dot, { anybodyMayRead: true })
  await write('save-svg', () => texts.drawn().svg, { anybodyMayRead: true })
  if (path !== undefined && call.flags.has('in-place'))
    await fileAccess(path).push({ cib: result(), expectedVersion: 0, command: '' })
}

/** An operation that was to fail, and that the transition never came to. */
function unusedFailures(transitions: readonly SimulationText[], failures: readonly OperationSpec[]): readonly string[] {
  if (failures.length === 0) return []
  const failed = transitions
    .flatMap(({ simulation }) => simulation.played)
    .filter((result) => result.failed)
    .map(({ action }) => action)
  return failures
    .filter(
      (spec) =>
        !failed.some(
          (action) => action.kind === 'resource' && action.node === spec.node && action.operation === spec.operation,
        ),
    )
    .map(
      (spec) => `--op-fail ${formatOperationSpec(spec)} had no effect: the transition does not reach that operation.`,
    )
}
