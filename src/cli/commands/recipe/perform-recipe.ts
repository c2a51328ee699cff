/**
 * A recipe as it is performed. Each change waits for a confirmation (ADR 88), and all are confirmed at once when the last step is done: whatever happens to this process,
 * the cluster has all of the recipe or nothing of it. A step that fails takes the changes back, the last one first.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isMap } from '../../../base/index.ts'
import type { LocalClient } from '../../../rpc/index.ts'
import { RefusedError } from '../../../rpc/index.ts'
import { type Call, Refusal } from '../../call/command.ts'
import { lackingFor } from './awaited.ts'
import type { Recipe, Step } from './recipe-file.ts'

export interface StepResult {
  readonly text: string
  readonly state: 'done' | 'failed' | 'taken back' | 'not taken back' | 'not begun'
  readonly ms?: number
  /** Of the configuration, where the step changed it. */
  readonly version?: number
  readonly reason?: string
}

export interface RecipeResult {
  readonly recipe: string
  readonly state: 'done' | 'taken back' | 'partly taken back'
  readonly steps: readonly StepResult[]
}

/** Between the last moment of this process and that of the DC, which takes back the last change first. */
const marginMs = 60_000
const betweenMs = 5000
const pollMs = 500

export async function performRecipe(call: Call, live: LocalClient, recipe: Recipe): Promise<RecipeResult> {
  const performer = new Performer(call, live, recipe)
  return await performer.perform()
}

class Performer {
  readonly #call: Call
  readonly #live: LocalClient
  readonly #recipe: Recipe
  readonly #end: number
  readonly #results: StepResult[]

  constructor(call: Call, live: LocalClient, recipe: Recipe) {
    this.#call = call
    this.#live = live
    this.#recipe = recipe
    this.#end = performance.now() + recipe.timeoutMs
    this.#results = recipe.steps.map(({ text }) => ({ text, state: 'not begun' }))
  }

  async perform(): Promise<RecipeResult> {
    const { steps, name } = this.#recipe
    const { progress } = this.#call.terminal
    for (const [at, step] of steps.entries()) {
      progress(`Step ${at + 1} of ${steps.length}: ${step.text}`)
      const begun = performance.now()
      const made = await this.#make(step, at)
      const result = { text: step.text, ms: Math.round(performance.now() - begun), ...made }
      this.#results[at] = result
      if (made.state === 'failed') {
        progress(`Step ${at + 1} failed: ${made.reason ?? ''}`)
        return { recipe: name, state: await this.#takeBack(), steps: this.#results }
      }
    }
    try {
      await this.#confirm(this.#versions())
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
      const last = this.#results.length - 1
      this.#results[last] = { ...(this.#results[last] ?? { text: '' }), state: 'failed', reason: error.message }
      return { recipe: name, state: await this.#takeBack(), steps: this.#results }
    }
    return { recipe: name, state: 'done', steps: this.#results }
  }

  #versions(): readonly number[] {
    return this.#results.flatMap(({ version }) => version ?? [])
  }

  async #make(step: Step, at: number): Promise<Pick<StepResult, 'state' | 'version' | 'reason'>> {
    const leftMs = this.#end - performance.now()
    const ms = Math.min(leftMs, step.timeoutMs ?? leftMs)
    if (ms < 1000) return { state: 'failed', reason: 'the time of the recipe is over' }
    try {
      if (step.run !== undefined) return await this.#change(step.run, { at, ms })
      const reason = step.wait && (await this.#waitFor(step.wait, performance.now() + ms))
      return reason === undefined ? { state: 'done' } : { state: 'failed', reason }
    } catch (error) {
      if (!(error instanceof Refusal) && !(error instanceof RefusedError)) throw error
      return { state: 'failed', reason: error instanceof Refusal ? error.sentences.join(' ') : error.message }
    }
  }

  async #change(
    words: readonly string[],
    { at, ms }: { readonly at: number; readonly ms: number },
  ): Promise<Pick<StepResult, 'state' | 'version' | 'reason'>> {
    const { version: before } = await this.#call.cluster.readCib()
    const later = (this.#recipe.steps.length - at) * betweenMs
    const within = Math.ceil((this.#end - performance.now() + marginMs + later) / 1000)
    const outcome = await this.#run([...words, `--wait=${Math.ceil(ms / 1000)}`, `--confirm-within=${within}s`])
    if (outcome.kind === 'refused') return { state: 'failed', reason: outcome.sentences.join(' ') }
    const { version, settledMessage, notRunning } = isMap(outcome.json) ? outcome.json : {}
    const own = typeof version === 'number' && version > before ? { version } : {}
    if ((outcome.exitCode ?? 0) === 0) return { state: 'done', ...own }
    const stopped = Array.isArray(notRunning)
      ? notRunning.flatMap((one) => (isMap(one) ? [`${String(one.resource)} does not run${whyOf(one.causes)}.`] : []))
      : []
    return {
      state: 'failed',
      ...own,
      reason: [String(settledMessage ?? '').trim(), ...stopped].filter(Boolean).join(' '),
    }
  }

  async #run(words: readonly string[]): ReturnType<Call['runOn']> {
    return await this.#call.runOn(words, { ...this.#call.cluster, close: () => undefined })
  }

  async #waitFor(awaited: NonNullable<Step['wait']>, until: number): Promise<string | undefined> {
    for (;;) {
      const lacking = await lackingFor(this.#call, awaited)
      if (lacking === undefined) return undefined
      if (performance.now() >= until) return lacking
      await delay(pollMs)
    }
  }

  /** What cannot be taken back here is left to the DC, which takes back what no later change has touched. */
  async #takeBack(): Promise<RecipeResult['state']> {
    let isWhole = true
    const reverted: number[] = []
    for (const [at, result] of [...this.#results.entries()].reverse()) {
      const { version } = result
      if (version === undefined) continue
      this.#call.terminal.progress(`Taking back step ${at + 1}: ${result.text}`)
      const sentences = await this.#revert(version)
      if (sentences === undefined) {
        reverted.push(version)
        if (result.state !== 'failed') this.#results[at] = { ...result, state: 'taken back' }
      } else {
        isWhole = false
        this.#results[at] = { ...result, state: 'not taken back', reason: sentences }
      }
    }
    if (reverted.length > 0) await this.#confirm(reverted)
    return isWhole ? 'taken back' : 'partly taken back'
  }

  async #revert(version: number): Promise<string | undefined> {
    try {
      const outcome = await this.#run(['config', 'revert', String(version), '--wait=60', '--force'])
      return outcome.kind === 'refused' ? outcome.sentences.join(' ') : undefined
    } catch (error) {
      if (error instanceof Refusal) return error.sentences.join(' ')
      if (error instanceof RefusedError) return error.message
      throw error
    }
  }

  async #confirm([version, ...also]: readonly number[]): Promise<void> {
    if (version !== undefined) await this.#live.confirmChange({ version, also })
  }
}

/** It is taken back after that: nobody can ask the cluster any more. */
const whyOf = (causes: unknown): string => (Array.isArray(causes) && causes.length > 0 ? `: ${causes.join('; ')}` : '')
