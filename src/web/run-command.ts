/** Runs a command for whoever calls, by the same function as the command line. It has no terminal and no files but those that came with the request. */
import {
  accessThrough,
  allCommands,
  type ClusterAccess,
  commandOfLine,
  Refusal,
  runLine,
  type Terminal,
} from '../cli/index.ts'
import {
  type CallOptions,
  type LocalClient,
  localService,
  NoAnswerError,
  RefusedError,
  UnreachableError,
} from '../rpc/index.ts'
import { type Endpoint, refusalOf, withoutDryRun } from './command-table.ts'
import { CommandEndedError } from './patience.ts'
import { Problem, statusOfCode } from './problem.ts'
import { type Given, lineOf } from './request.ts'

const mostNotes = 200
const longestFiles = 16 * 1024 * 1024

export interface Ran {
  readonly result: unknown
  readonly exitCode: number
  readonly notes: readonly string[]
  /** What the command would have written to files. */
  readonly files: Readonly<Record<string, string>>
  /** The version of the configuration that it has seen last. */
  readonly version: number | undefined
}

export interface Asking {
  readonly live: LocalClient
  readonly user: string
  readonly ifVersion: number | undefined
  /** After it no more is asked of the daemon; its reason is a CommandEndedError. Absent: nothing ends the command. */
  readonly signal?: AbortSignal
}

/** Refusals of the daemon on the way, which decide on the status. */
interface Trace {
  code: string | undefined
  version: number | undefined
}

export async function runCommand(endpoint: Endpoint, given: Given, asking: Asking): Promise<Ran> {
  const { command, canPreview, onlyShows } = endpoint
  if (given.isDryRun && !canPreview) throw cannotPreview(command.path.join(' '))
  const line = lineOf(endpoint, given)
  if (commandOfLine(line, allCommands) !== command)
    throw new Problem(
      400,
      `'${given.words[0] ?? ''}' is part of the name of another command. The description is at /api/openapi.json.`,
    )
  const { trace, printed, notes, written } = await run(
    [...line, ...(given.isDryRun && !onlyShows ? ['--preview'] : []), '--json'],
    given.files,
    asking,
  )
  const result: unknown = printed.standardOutput === '' ? null : JSON.parse(printed.standardOutput)
  const sentences = refusalIn(result, printed.exitCode)
  if (sentences !== undefined) throw new Problem(statusOfCode(trace.code), sentences, { code: trace.code })
  return { result, exitCode: printed.exitCode, notes, files: written, version: trace.version }
}

function cannotPreview(name: string): Problem {
  const reason = withoutDryRun.get(name)
  return new Problem(
    400,
    reason === undefined
      ? `'${name}' changes nothing, so there is nothing to show beforehand. Omit ?dry-run. Nothing was done.`
      : `'${name}' cannot show what it would cause. ${reason} Nothing was done.`,
  )
}

/** As text, for /metrics. */
export async function runForText(line: readonly string[], asking: Asking): Promise<string> {
  const { printed, trace } = await run(line, {}, asking)
  if (printed.exitCode === 0) return printed.standardOutput
  throw new Problem(statusOfCode(trace.code), printed.standardError.replace(/^Error: /gm, '').trim(), {
    code: trace.code,
  })
}

async function run(line: readonly string[], files: Given['files'], asking: Asking) {
  const notes: string[] = []
  const written: Record<string, string> = {}
  const trace: Trace = { code: undefined, version: undefined }
  const access = clusterFor(asking, trace)
  await refuseOtherVersion(access, asking, trace)
  const printed = await runLine({
    commands: allCommands,
    line,
    unrecorded: new Set(['--json']),
    terminal: terminalOf(asking.user, { files, notes, written }),
    refusal: refusalOf,
    openCluster: (file) => {
      if (file !== undefined) throw new Refusal('The API works on the running cluster: a CIB file cannot be given.')
      return access
    },
  })
  return { printed, notes, written, trace }
}

function refusalIn(result: unknown, exitCode: number): readonly string[] | undefined {
  if (exitCode === 0 || typeof result !== 'object' || result === null || !('error' in result)) return undefined
  return Array.isArray(result.error) ? result.error.map(String) : [String(result.error)]
}

/** Also for what changes no configuration, such as fencing: a version that was named is looked at before anything is done. */
async function refuseOtherVersion(access: ClusterAccess, { ifVersion }: Asking, trace: Trace): Promise<void> {
  if (ifVersion === undefined) return
  try {
    await access.readCib()
  } catch (error) {
    if (error instanceof Refusal) throw new Problem(statusOfCode(trace.code), error.sentences, { code: trace.code })
    throw error
  }
}

export function clusterFor({ live, user, ifVersion, signal }: Asking, trace: Trace): ClusterAccess {
  const access = accessThrough(noting(live, trace, signal), user)
  let hasChanged = false
  return {
    ...access,
    // A push names the version that was read: what comes between is a conflict there.
    readCib: async () => {
      const snapshot = await access.readCib()
      // What it has made itself stays the answer, whoever has changed something since.
      if (!hasChanged) trace.version = snapshot.version
      // A command that changes the configuration twice goes on from what it has made.
      if (ifVersion === undefined || hasChanged || snapshot.version === ifVersion) return snapshot
      trace.code = 'conflict'
      throw new Refusal(
        `The configuration has version ${snapshot.version} by now, and not ${ifVersion}. Nothing was changed.`,
      )
    },
    push: async (change) => {
      const answer = await access.push(change)
      trace.version = answer.version
      hasChanged ||= answer.kind === 'saved'
      return answer
    },
  }
}

/** The same client, which remembers why it was refused last, and answers nothing any more once the command is to end. */
function noting(live: LocalClient, trace: Trace, signal: AbortSignal | undefined): LocalClient {
  const throwIfOver = (): void => {
    if (signal?.aborted !== true) return
    const { reason } = signal
    if (reason instanceof CommandEndedError) trace.code = reason.code
    throw reason
  }
  const note = (error: unknown): never => {
    throwIfOver()
    if (error instanceof RefusedError) trace.code = error.code
    else if (error instanceof NoAnswerError || error instanceof UnreachableError) trace.code = 'no-answer'
    throw error
  }
  const calls = Object.entries(live).map(([name, call]) => {
    if (name === 'close') return [name, () => undefined] as const
    const ask = call as (...given: readonly unknown[]) => Promise<unknown>
    const isStream = (localService as Readonly<Record<string, { readonly responseStream: boolean }>>)[name]
      ?.responseStream
    const at = isStream === true ? 2 : 1
    const made = async (...given: readonly unknown[]): Promise<unknown> => {
      throwIfOver()
      const answer = await ask(...endedBy(signal, given, at)).catch(note)
      // A stream that ends does not say why.
      if (isStream === true) throwIfOver()
      return answer
    }
    return [name, made] as const
  })
  return Object.fromEntries(calls) as unknown as LocalClient
}

/** The options of a call stand behind what it asks and, for a stream, whom it tells. */
function endedBy(signal: AbortSignal | undefined, given: readonly unknown[], at: number): readonly unknown[] {
  if (signal === undefined) return given
  const options = (given[at] ?? {}) as CallOptions
  const signals = options.signal === undefined ? [signal] : [signal, options.signal]
  return [...given.slice(0, at), { ...options, signal: AbortSignal.any(signals) }]
}

function terminalOf(
  user: string,
  io: { readonly files: Given['files']; readonly notes: string[]; readonly written: Record<string, string> },
): Terminal {
  const readFile = async (path: string): Promise<string> => {
    const text = Object.hasOwn(io.files, path) ? io.files[path] : undefined
    if (text !== undefined) return await Promise.resolve(text)
    throw new Refusal(
      `The request has no file '${path}'. Send its text in 'files', by this name: files of the host are not read.`,
    )
  }
  return {
    columns: 100,
    color: false,
    user,
    now: () => new Date(),
    progress: (line) => {
      if (io.notes.length < mostNotes) io.notes.push(line.replace(/\n$/, ''))
    },
    readFile,
    // What comes with a request is its sender's own.
    readOwnFile: readFile,
    writeFile: async (path, text) => {
      const length = Object.values(io.written).reduce((sum, one) => sum + one.length, text.length)
      if (length > longestFiles) throw new Refusal('The answer is too long for the API. Type the command on a node.')
      io.written[path] = text
      await Promise.resolve()
    },
    // That of this process is nobody's who asks.
    environment: {},
    readInput: async () =>
      await Promise.reject(new Refusal('The API has no standard input. Give what is asked for in the request.')),
    resolve: async () => await Promise.resolve(undefined),
    edit: async () => await Promise.resolve(undefined),
    confirm: async () => await Promise.resolve(undefined),
    runsAgents: false,
  }
}
