/** Directord's orchestration files: a list of items, each with jobs for its nodes. */
import { checkBySchema, didYouMean, isMap, similarWords } from '../base/index.ts'
import type { NamedStep } from './graph.ts'
import { areSteps, type PlayGround, type PlaySource, readJobs } from './read-jobs.ts'
import { orchestrationSchema } from './schemas.ts'

export interface ReadSteps {
  readonly steps: readonly NamedStep[]
  /** Each with its file, line and field. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

/** Files follow each other as the items of one do. `on`: instead of all targets. */
export function readOrchestrations(
  sources: readonly PlaySource[],
  ground: PlayGround,
  on: readonly string[] | undefined,
): ReadSteps {
  const mistakes: string[] = []
  const steps: NamedStep[] = []
  const order = new Order()
  for (const source of sources) {
    const wrong = checkBySchema(source.value, orchestrationSchema)
    mistakes.push(...wrong.map(({ path, sentence }) => `${source.placeOf(path)}: ${sentence}`))
    if (wrong.length > 0 || !Array.isArray(source.value)) continue
    for (const [at, item] of source.value.entries()) {
      if (!isMap(item)) continue
      const nodes = on ?? targetsOf(item, { at, source, ground }, mistakes)
      const id = order.idOf(typeof item.name === 'string' ? item.name : undefined)
      const jobs = Array.isArray(item.jobs) ? item.jobs : []
      const read = readJobs({ id, jobs, path: [at, 'jobs'], nodes, source }, ground)
      if (areSteps(read)) steps.push(...order.place(read, item.async === true))
      else mistakes.push(...read.map(({ path, sentence }) => `${source.placeOf(path)}: ${sentence}`))
    }
  }
  return { steps, mistakes, warnings: [] }
}

function targetsOf(
  item: Readonly<Record<string, unknown>>,
  { at, source, ground }: { readonly at: number; readonly source: PlaySource; readonly ground: PlayGround },
  mistakes: string[],
): readonly string[] {
  if (!Array.isArray(item.targets)) return ground.nodes
  const targets = [...new Set(item.targets.map(String))]
  const known = [...ground.nodes, ...ground.remotes]
  for (const [place, node] of targets.entries())
    if (!known.includes(node))
      mistakes.push(
        `${source.placeOf([at, 'targets', place])}: There is no node '${node}'.${didYouMean(similarWords(node, known))}`,
      )
  return targets
}

/** Which items wait for which. */
class Order {
  readonly #ids = new Set<string>()
  #count = 0
  /** What an item with `async` waits for. */
  #before: readonly string[] = []
  /** What an item without it waits for. */
  #open: readonly string[] = []

  idOf(name: string | undefined): string {
    this.#count++
    const wanted = name ?? String(this.#count)
    const id = this.#ids.has(wanted) ? `${wanted}-${this.#count}` : wanted
    this.#ids.add(id)
    return id
  }

  place(steps: readonly NamedStep[], isAsync: boolean): readonly NamedStep[] {
    const [first, ...others] = steps
    const last = steps.at(-1)
    if (first === undefined || last === undefined) return []
    const waits = isAsync ? this.#before : this.#open
    this.#open = isAsync ? [...this.#open, last.id] : [last.id]
    if (!isAsync) this.#before = [last.id]
    return [{ ...first, requires: waits }, ...others].map((step) => ({ ...step, provides: [step.id] }))
  }
}
