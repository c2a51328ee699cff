/** Plays: orchestration files of Directord and services of Task-Core, run as one graph. The DC goes on with a play whatever becomes of the command. */
import { setTimeout as delay } from 'node:timers/promises'
import { didYouMean, similarWords } from '../../../base/index.ts'
import { graphAsDot, graphAsSvg, isDone, isOver, type PlayRecord } from '../../../plays/index.ts'
import { NoAnswerError, RefusedError, UnreachableError } from '../../../rpc/index.ts'
import { rolesOf } from '../../../status/index.ts'
import { cibSource, sourceFlags } from '../../access/cib-source.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { alignColumns } from '../../call/table.ts'
import { statusOf } from '../../facts/status-view.ts'
import { expectWords } from '../../grammar/words.ts'
import { PlayOutput, type Wanted } from '../../play/play-output.ts'
import { exitCodeOf, news, printPlay, printSteps, summaryOf } from '../../play/print-play.ts'
import { type PlayCluster, type ReadPlay, readPlay } from '../../play/read-play.ts'
import { writeOutput } from '../job/follow.ts'

const codes = 'Exit codes: 0 done, 1 refused, 3 halted by a failure, 75 not ended yet, 130 cancelled.'
const waitMs = 10_000
const answersWithinMs = 30_000
const pauseMs = 500

const onFlag: Flag = {
  name: 'on',
  value: 'nodes',
  summary: 'Instead of the targets in orchestration files: these nodes, separated by commas, or role=<role>',
  completes: 'node',
}
const outputFlag: Flag = { name: 'output', summary: 'Also print the output of the steps as it arrives' }
const detach: Flag = { name: 'detach', summary: 'Do not follow it; the cluster continues' }

export const playPlan: Command = {
  path: ['play', 'plan'],
  usage: '<file or folder>... [--on=<nodes>] [--dot|--svg]',
  summary: 'Check the files of a play, and show its steps, their nodes, and what waits for what',
  details:
    'The files are orchestration files of Directord, or services, roles and an inventory of Task-Core. Cycles, requirements that nothing provides, unknown nodes and every other mistake are found here, each with its file, line and field. Nothing is run.',
  examples: ['systole play plan site.yaml', 'systole play plan services/ inventory.yaml roles.yaml --svg > graph.svg'],
  flags: [
    ...sourceFlags.filter(({ name }) => name === 'xml-file'),
    onFlag,
    { name: 'dot', summary: 'Print the graph for Graphviz' },
    { name: 'svg', summary: 'Print the graph as SVG' },
  ],
  completes: ['file'],
  run: async (call) => {
    const { flags } = call
    if (flags.has('dot') && flags.has('svg')) throw new Refusal('Specify one of --dot and --svg.')
    const { steps, warnings } = await readFiles(call)
    for (const warning of warnings) call.terminal.progress(warning)
    if (flags.has('dot')) return done(graphAsDot(steps), { dot: graphAsDot(steps) })
    if (flags.has('svg')) return done(graphAsSvg(steps), { svg: graphAsSvg(steps) })
    const shown = steps.map(({ components, ...step }) => ({
      ...step,
      components: components.map(({ label }) => label),
    }))
    return done(printSteps(steps), { steps: shown, warnings })
  },
}

export const playRun: Command = {
  path: ['play', 'run'],
  usage: '<file or folder>... [--on=<nodes>] [--force] [--queue] [--output|--detach]',
  summary: 'Run orchestration files of Directord, or services of Task-Core, and follow them',
  details: `Nothing begins before all files are right. Each step begins when the steps that it requires are done on all their nodes. After a failure what is under way is finished and the play halts. A node does not repeat what it has done before with the same content. Ctrl-C ends only the display. ${codes}`,
  examples: ['systole play run site.yaml', 'systole play run services/ inventory.yaml roles.yaml'],
  flags: [
    onFlag,
    { name: 'force', summary: 'Also repeat what was already done' },
    { name: 'queue', summary: 'Wait for nodes that are offline instead of halting' },
    outputFlag,
    detach,
  ],
  completes: ['file'],
  run: async (call) => {
    refuseBoth(call)
    const live = liveCluster(call)
    const { steps, warnings } = await readFiles(call)
    for (const warning of warnings) call.terminal.progress(warning)
    const name = call.words.join(' ').slice(0, 500)
    const play = { name, steps, force: call.flags.has('force'), queue: call.flags.has('queue') }
    const { id, state } = await live.startPlay({ play: JSON.stringify(play), user: call.terminal.user })
    if (call.flags.has('detach')) return done(`The play ${id} has begun.\n`, { id, state })
    return await follow(call, id)
  },
}

export const playResume: Command = {
  path: ['play', 'resume'],
  usage: '[<id>] [--output|--detach]',
  summary: 'Continue a play that has halted or was cancelled, and follow it',
  details: `Steps that are done stay done. A step that has failed runs again on the nodes where it failed, from the component that failed. ${codes}`,
  flags: [outputFlag, detach],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'play resume [<id>]' })
    refuseBoth(call)
    const id = call.words[0] ?? onlyOne(await listed(call), ({ state }) => state === 'halted', 'has halted')
    const { state } = await liveCluster(call).changePlay({ id, word: 'resume', user: call.terminal.user })
    if (call.flags.has('detach')) return done(`The play ${id} continues.\n`, { id, state })
    return await follow(call, id)
  },
}

export const playCancel: Command = {
  path: ['play', 'cancel'],
  usage: '[<id>]',
  summary: 'End a play: what runs gets SIGTERM, and SIGKILL after ten seconds',
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 1, usage: 'play cancel [<id>]' })
    const id = call.words[0] ?? onlyOne(await listed(call), (play) => !isOver(play), 'is under way')
    const { state } = await liveCluster(call).changePlay({ id, word: 'cancel', user: call.terminal.user })
    return done(`The play ${id} ${state === 'cancelled' ? 'is cancelled' : 'is being cancelled'}.\n`, { id, state })
  },
}

export const playList: Command = {
  path: ['play', 'list'],
  bare: [['play']],
  usage: '',
  summary: 'Show all plays, the newest first',
  details: 'They are kept for seven days, 50 at most.',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'play list' })
    const plays = await listed(call)
    const rows = plays.map(({ id, name, state, user, node, created, steps }) => [
      id,
      state,
      `${steps.filter(isDone).length} of ${steps.length} steps`,
      `by ${user}@${node}`,
      `since ${created.slice(0, 19)}Z`,
      name,
    ])
    return done(rows.length === 0 ? 'There is no play.\n' : alignColumns(rows), { plays })
  },
}

export const playShow: Command = {
  path: ['play', 'show'],
  usage: '<id>',
  summary: 'Show how far each step of a play has come on each node, and what failed steps have printed',
  details: codes,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'play show <id>' })
    const { play } = await one(call, { id: call.words[0] ?? '' })
    return done(printPlay(play), play, exitCodeOf(play))
  },
}

export const playOutput: Command = {
  path: ['play', 'output'],
  usage: '<id> [--step=<step>] [--on=<nodes>]',
  summary: 'Show what the steps of a play have printed, and follow it until it has ended or halted',
  details: `Each line begins with the node and the step. Of a step that was tried again the last attempt is shown. ${codes}`,
  flags: [
    { name: 'step', value: 'step', summary: 'Only of this step' },
    { name: 'on', value: 'nodes', summary: 'Only of these nodes, separated by commas', completes: 'node' },
  ],
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'play output <id> [--step=<step>] [--on=<nodes>]' })
    const [id = ''] = call.words
    const wanted = await wantedOf(call, id)
    return await follow(call, id, wanted)
  },
}

async function wantedOf(call: Call, id: string): Promise<Wanted> {
  const { flags } = call
  const [step, on] = [flags.get('step'), flags.get('on')]
  const { play } = await one(call, { id })
  if (typeof step === 'string' && !play.steps.some((known) => known.id === step))
    throw new Refusal(
      `The play '${id}' has no step '${step}'.${didYouMean(
        similarWords(
          step,
          play.steps.map((known) => known.id),
        ),
      )}`,
    )
  const nodes = typeof on === 'string' ? [...new Set(on.split(','))] : undefined
  const ofPlay = play.steps.flatMap(({ hosts }) => hosts.map(({ node }) => String(node)))
  const others = nodes?.filter((node) => !ofPlay.includes(node)) ?? []
  if (others.length > 0) throw new Refusal(...others.map((node) => `The play '${id}' is not for a node '${node}'.`))
  return { ...(nodes && { nodes }), ...(typeof step === 'string' && { step }) }
}

function refuseBoth({ flags }: Call): void {
  if (flags.has('output') && flags.has('detach')) throw new Refusal('Specify one of --output and --detach.')
}

async function readFiles(call: Call): Promise<ReadPlay> {
  if (call.words.length === 0)
    throw new Refusal(`Specify files or folders: systole ${call.command.path.join(' ')} <file or folder>...`)
  const cluster = await clusterOf(call)
  return readPlay(call.words, cluster, onNodes(call, cluster))
}

async function clusterOf(call: Call): Promise<PlayCluster> {
  const source = cibSource(call)
  const { cib } = await source.read()
  const status = statusOf(call, cib)
  const nodes = status.nodes.filter(({ kind }) => kind === 'member').map(({ name }) => String(name))
  const remotes = status.nodes.filter(({ kind }) => kind !== 'member').map(({ name }) => String(name))
  const state = source.isLive ? await call.cluster.live?.getState({}) : undefined
  return {
    nodes,
    remotes,
    here: state?.localNode ?? nodes[0] ?? '',
    nodesOfRole: (role) => status.nodes.filter((node) => rolesOf(node).includes(role)).map(({ name }) => String(name)),
  }
}

/** Of unknown ones the reader of the files says nothing: they are not in the files. */
function onNodes({ flags }: Call, cluster: PlayCluster): readonly string[] | undefined {
  const on = flags.get('on')
  if (typeof on !== 'string') return undefined
  if (on.startsWith('role=')) {
    const nodes = cluster.nodesOfRole(on.slice('role='.length))
    if (nodes.length === 0) throw new Refusal(`No node has the role '${on.slice('role='.length)}'.`)
    return nodes
  }
  const nodes = [...new Set(on.split(',').filter((name) => name !== ''))]
  const known = [...cluster.nodes, ...cluster.remotes]
  const unknown = nodes.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Refusal(...unknown.map((name) => `There is no node '${name}'.`))
  if (nodes.length === 0) throw new Refusal('--on names no node.')
  return nodes
}

async function listed(call: Call): Promise<readonly PlayRecord[]> {
  const { known } = await liveCluster(call).listPlays({ waitMs: 0 })
  return (JSON.parse(known) as readonly PlayRecord[]).toSorted((a, b) => (a.created < b.created ? 1 : -1))
}

function onlyOne(plays: readonly PlayRecord[], fits: (play: PlayRecord) => boolean, what: string): string {
  const [only, ...others] = plays.filter(fits)
  if (only === undefined) throw new Refusal(`No play ${what}.`)
  if (others.length > 0)
    throw new Refusal(`Specify one of the plays: ${[only, ...others].map(({ id }) => id).join(', ')}.`)
  return only.id
}

interface Asked {
  readonly id: string
  readonly newerThan?: number
  readonly waitMs?: number
}

async function one(
  call: Call,
  { waitMs: wait = 0, ...asked }: Asked,
): Promise<{ readonly play: PlayRecord; readonly revision: number }> {
  const { known, revision } = await liveCluster(call).listPlays(
    { ...asked, waitMs: wait },
    { timeoutMs: answersWithinMs },
  )
  const [play] = JSON.parse(known) as readonly PlayRecord[]
  if (play === undefined) throw new Refusal(`There is no play '${asked.id}'.`)
  return { play, revision }
}

/** Until it has ended or halted. The node may be one that the play boots. */
async function follow(call: Call, id: string, wanted?: Wanted): Promise<Outcome> {
  const printed = new Map<string, string>()
  const output = outputOf(call, wanted, printed)
  const isQuiet = wanted !== undefined || call.flags.has('json')
  let before: PlayRecord | undefined
  let newerThan = 0
  let isDownTold = false
  for (;;) {
    try {
      const { play, revision } = await one(call, { id, newerThan, waitMs })
      isDownTold = false
      if (!isQuiet) for (const line of news(before, play)) call.terminal.progress(line)
      output?.see(play)
      before = play
      newerThan = revision
      if (isOver(play)) {
        await output?.end()
        const json = output === undefined ? play : { ...play, output: Object.fromEntries(printed) }
        if (wanted !== undefined) return done('', json, exitCodeOf(play))
        const text = play.state === 'done' ? `${summaryOf(play)}\n` : printPlay(play)
        return done(text, json, exitCodeOf(play))
      }
    } catch (error) {
      if (!isPassing(error)) throw error
      if (!isDownTold) call.terminal.progress(`This node does not know at this moment: ${error.message}`)
      isDownTold = true
      await delay(pauseMs)
    }
  }
}

/** Prints as it comes; for `--json` it is kept, and becomes a part of the answer. */
function outputOf(call: Call, wanted: Wanted | undefined, printed: Map<string, string>): PlayOutput | undefined {
  if (wanted === undefined && !call.flags.has('output')) return undefined
  const keep = async (label: string, lines: readonly string[]): Promise<void> => {
    printed.set(label, (printed.get(label) ?? '') + lines.map((line) => `${line}\n`).join(''))
    await Promise.resolve()
  }
  const write = call.flags.has('json') ? keep : writeOutput
  return new PlayOutput(liveCluster(call), wanted ?? {}, { write, note: call.terminal.progress })
}

const passing: ReadonlySet<string> = new Set(['not-started', 'no-quorum', 'not-running', 'unreachable'])

const isPassing = (error: unknown): error is Error =>
  error instanceof UnreachableError ||
  error instanceof NoAnswerError ||
  (error instanceof RefusedError && passing.has(error.code))
