/**
 * The parameters with which each resource was last started on this node: a stop gets these, not what the configuration says by then.
 * Else an address that was changed would stay where it was, and a resource that was deleted, which has no parameters any more, would
 * be called stopped while it runs. Pacemaker does the same. Kept in files of root's alone, as they hold secrets, for the next daemon.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ResourceId, resourceId } from '../base/index.ts'
import { type AgentOutcome, fileNameOf, isFileNameCut, ocfExitCodes } from '../resource-agents/index.ts'
import type { Operation } from './operation.ts'

type Parameters = Readonly<Record<string, string>>

export class StartedWith {
  readonly #folder: string
  /** What is in the files: monitors ask often. */
  readonly #known = new Map<ResourceId, Parameters | undefined>()

  /** `runFolder`: nothing in it outlives a reboot. */
  constructor(runFolder: string) {
    this.#folder = join(runFolder, 'started')
  }

  remember(resource: ResourceId, parameters: Parameters): void {
    this.#known.set(resource, parameters)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    // The name of the file of a long one does not tell it.
    const text = JSON.stringify(isFileNameCut(resource) ? { resource, parameters } : parameters)
    writeFileSync(this.#path(resource), text, { mode: 0o600 })
  }

  parametersOf(resource: ResourceId): Parameters | undefined {
    if (!this.#known.has(resource)) this.#known.set(resource, this.#read(resource))
    return this.#known.get(resource)
  }

  /** All that were started or found in this boot, by this daemon or an earlier one, and neither stopped nor found stopped since. */
  resources(): readonly ResourceId[] {
    if (!existsSync(this.#folder)) return []
    return readdirSync(this.#folder).flatMap((name) => {
      if (name.endsWith('.json')) return [resourceId(decodeURIComponent(name.slice(0, -'.json'.length)))]
      const named = name.endsWith('.long') ? readLong(join(this.#folder, name)) : undefined
      return named === undefined ? [] : [resourceId(named.resource)]
    })
  }

  forget(resource: ResourceId): void {
    this.#known.set(resource, undefined)
    rmSync(this.#path(resource), { force: true })
  }

  #read(resource: ResourceId): Parameters | undefined {
    try {
      if (isFileNameCut(resource)) return readLong(this.#path(resource))?.parameters
      return JSON.parse(readFileSync(this.#path(resource), 'utf8')) as Parameters
    } catch (error) {
      // A daemon that was killed while it wrote has left half a file: the configuration's parameters are the next best.
      if (error instanceof SyntaxError) return undefined
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  }

  #path(resource: ResourceId): string {
    return join(this.#folder, `${fileNameOf(resource)}.${isFileNameCut(resource) ? 'long' : 'json'}`)
  }
}

interface LongNote {
  readonly resource: string
  readonly parameters: Parameters
}

function readLong(path: string): LongNote | undefined {
  const note: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const isNote = typeof note === 'object' && note !== null && 'resource' in note && 'parameters' in note
  return isNote && typeof note.resource === 'string' ? (note as LongNote) : undefined
}

/** After these, successful or not, the resource may run with the parameters that they had. A fence device is nothing that runs. */
export function beginsToRun({ agent, operation }: Pick<Operation, 'agent' | 'operation'>): boolean {
  return agent.class !== 'stonith' && ['start', 'migrate_from', 'reload', 'reload-agent'].includes(operation)
}

/**
 * What the end of an operation tells for certain. A probe that finds nothing is believed as a stop is; a recurring monitor that does is a failure,
 * after which the resource is stopped.
 */
export function toldBy(
  { agent, operation, intervalMs }: Pick<Operation, 'agent' | 'operation' | 'intervalMs'>,
  { status, exitCode }: Pick<AgentOutcome, 'status' | 'exitCode'>,
): 'runs' | 'stopped' | undefined {
  if (status !== 'done') return undefined
  if (operation === 'stop') return exitCode === ocfExitCodes.ok ? 'stopped' : undefined
  if (operation !== 'monitor') return undefined
  if (exitCode === ocfExitCodes.notRunning) return intervalMs === 0 ? 'stopped' : undefined
  const found = exitCode === ocfExitCodes.ok || exitCode === ocfExitCodes.runningPromoted
  return found && agent.class !== 'stonith' ? 'runs' : undefined
}
