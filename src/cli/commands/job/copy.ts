/** `job copy`: files to nodes, part by part, each of which all nodes have before the next is read. */
import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { reasonOf } from '../../../base/index.ts'
import type { LocalClient, Messages } from '../../../rpc/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { exitCodeOf, type Job, jobJson, jobTable } from './print-job.ts'
import { targetFlags, targetsOf } from './targets.ts'

const partBytes = 512 * 1024
const answersWithinMs = 150_000
/** A daemon that is restarted meanwhile gets the same part again. */
const attempts = 40
const pauseMs = 500

export const jobCopy: Command = {
  path: ['job', 'copy'],
  usage: '<file>... --on=<nodes>|--all --to=<path> [--mode=<octal>] [--force]',
  summary: 'Copy files to nodes of the cluster',
  details:
    'A file takes its place whole, once its content has been checked on the node. It belongs to root, and has the permissions of the original without setuid, setgid and sticky, or those of --mode. A link is followed. A node that has it already is left alone. With several files, or a / at the end, --to is a folder, which must exist on the nodes. It and the folders above it must be writable by root only, or sticky as /tmp is. The exit code is that of systole job run.',
  examples: ['systole job copy haproxy.cfg --all --to=/etc/haproxy/haproxy.cfg --mode=0640'],
  flags: [
    ...targetFlags,
    { name: 'to', value: 'path', summary: 'Where the file is to be on the nodes: an absolute path' },
    { name: 'mode', value: 'octal', summary: 'The permissions of the file on the nodes' },
    { name: 'force', summary: 'Also write the file where it is already present' },
  ],
  completes: ['file'],
  run: async (call) => {
    const { words, flags, terminal } = call
    const to = flags.get('to')
    if (words.length === 0 || typeof to !== 'string')
      throw new Refusal('Specify files and a path: systole job copy <file>... --on=<nodes>|--all --to=<path>')
    if (!to.startsWith('/')) throw new Refusal(`'${to}' is not an absolute path.`)
    const isFolder = to.endsWith('/')
    if (words.length > 1 && !isFolder) throw new Refusal(`Several files need a folder: --to=${to}/`)
    if (isFolder) refuseSameNames(words)
    const jobs: Job[] = []
    for (const file of words) {
      const path = isFolder ? `${to.replace(/\/+$/, '')}/${basename(file)}` : to
      const job = await copyFile(call, { file: resolve(file), path })
      jobs.push(job)
      if (words.length > 1) terminal.progress(`${file}: ${job.nodes.map(({ state }) => state).join(', ')}`)
    }
    const codes = jobs.map(exitCodeOf)
    const exitCode = codes.find((code) => code === 1) ?? Math.max(...codes)
    const text = jobs.map((job) => (jobs.length > 1 ? `${pathOf(job)}:\n${jobTable(job)}` : jobTable(job))).join('')
    return done(text, { copies: jobs.map((job) => ({ path: pathOf(job), ...jobJson(job) })) }, exitCode)
  },
}

/** The last one would silently take the place of the others. */
function refuseSameNames(files: readonly string[]): void {
  const byName = new Map<string, readonly string[]>()
  for (const file of files) byName.set(basename(file), [...(byName.get(basename(file)) ?? []), file])
  const same = [...byName].filter(([, alike]) => alike.length > 1)
  if (same.length > 0)
    throw new Refusal(
      ...same.map(
        ([name, alike]) => `${alike.join(' and ')} would all be ${name} in the folder. Copy them one by one.`,
      ),
    )
}

const pathOf = ({ argv }: Job): string => argv.find((word) => word.startsWith('--to='))?.slice('--to='.length) ?? ''

async function copyFile(call: Call, { file, path }: { readonly file: string; readonly path: string }): Promise<Job> {
  // Links are followed, as cp does: whoever types the command reads what is there as himself. A FIFO has no end, and holds nobody up.
  const opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw new Refusal(`${file} cannot be read: ${reasonOf(error)}.`)
  })
  try {
    const facts = await opened.stat()
    if (!facts.isFile()) throw new Refusal(`${file} is not a file.`)
    // As cp does: the copy is root's, whoever owns the original, so that what its owner may do as himself would become what everybody does as root.
    const mode = modeOf(call) ?? facts.mode & 0o777
    const part = {
      id: randomBytes(8).toString('hex'),
      path,
      offset: 0,
      data: '',
      sha256: await digest(opened),
      size: facts.size,
      mode,
    }
    return await new Copy(call, part).run(opened)
  } finally {
    await opened.close()
  }
}

function modeOf({ flags }: Call): number | undefined {
  const written = flags.get('mode')
  if (typeof written !== 'string') return undefined
  if (!/^[0-7]{3,4}$/.test(written)) throw new Refusal(`'${written}' is not a mode in octal digits, such as 0644.`)
  return Number.parseInt(written, 8)
}

async function digest(file: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(partBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(piece, 0, partBytes, at)
    if (bytesRead === 0) return hash.digest('hex')
    hash.update(piece.subarray(0, bytesRead))
    at += bytesRead
  }
}

type Part = Omit<Messages['FilePart'], 'phase'>

class Copy {
  readonly #call: Call
  readonly #live: LocalClient
  readonly #part: Part
  /** Those that go on. */
  #nodes: readonly string[] = []
  readonly #failed = new Map<string, string>()
  #unchanged: readonly string[] = []

  constructor(call: Call, part: Part) {
    this.#call = call
    this.#live = liveCluster(call)
    this.#part = part
  }

  async run(file: FileHandle): Promise<Job> {
    await this.#check()
    const piece = Buffer.allocUnsafe(partBytes)
    let at = 0
    while (this.#nodes.length > 0) {
      const { bytesRead } = await file.read(piece, 0, partBytes, at)
      if (bytesRead === 0 && at > 0) break
      await this.#send('write', { offset: at, data: piece.subarray(0, bytesRead).toString('base64') })
      if (bytesRead === 0) break
      at += bytesRead
    }
    return await this.#end()
  }

  async #check(): Promise<void> {
    const { nodes } = await this.#ask('check', {}, targetsOf(this.#call))
    this.#take(nodes)
    if (this.#call.flags.has('force'))
      this.#nodes = nodes.flatMap(({ node, outcome }) => (isGood(outcome) ? [node] : []))
    else {
      this.#unchanged = nodes.flatMap(({ node, outcome }) => (outcome === 'same' ? [node] : []))
      this.#nodes = nodes.flatMap(({ node, outcome }) => (outcome === 'differs' ? [node] : []))
    }
  }

  /** To each node until it has answered, and no more to those that have refused. */
  async #send(phase: 'write', more: Partial<Part>): Promise<void> {
    let open = this.#nodes
    for (let attempt = 1; open.length > 0 && attempt <= attempts; attempt++) {
      if (attempt > 1) await delay(pauseMs)
      const { nodes } = await this.#ask(phase, more, { nodes: open })
      this.#take(nodes.filter(({ outcome }) => outcome !== 'no-answer' || attempt === attempts))
      open = nodes.flatMap(({ node, outcome }) => (outcome === 'no-answer' ? [node] : []))
    }
  }

  async #end(): Promise<Job> {
    const failed = Object.fromEntries(this.#failed)
    const more = { failed, unchanged: this.#unchanged }
    // Somebody has to record it where no node goes on.
    const { job } = await this.#ask('end', {}, { nodes: this.#nodes }, more)
    if (job === undefined) throw new Refusal('The daemon did not say what became of the copy.')
    return job
  }

  #take(answers: Messages['CopyFileAnswer']['nodes']): void {
    const bad = answers.filter(({ outcome }) => !isGood(outcome))
    for (const { node, outcome, reason } of bad)
      this.#failed.set(node, outcome === 'offline' ? outcome : (reason ?? outcome))
    this.#nodes = this.#nodes.filter((node) => !this.#failed.has(node))
  }

  async #ask(
    phase: string,
    more: Partial<Part>,
    targets: Pick<Messages['CopyFileRequest'], 'nodes' | 'role'>,
    ends: Pick<Messages['CopyFileRequest'], 'failed' | 'unchanged'> = { failed: {}, unchanged: [] },
  ): Promise<Messages['CopyFileAnswer']> {
    const { user } = this.#call.terminal
    const part = { ...this.#part, ...more, phase }
    return await this.#live.copyFile({ part, ...targets, user, ...ends }, { timeoutMs: answersWithinMs })
  }
}

const isGood = (outcome: string): boolean => ['same', 'differs', 'written', 'ended'].includes(outcome)
