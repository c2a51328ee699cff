/**
 * The live view: in a terminal a picture that is drawn again after every change; elsewhere (a file, a pipe) a line for
 * each thing that changed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import colors from 'picocolors'
import { type ClusterState, connectLocal, type LocalClient } from '../src/rpc/index.ts'
import { nodeNames, rootOf } from './nodes.ts'
import { type Picture, takePicture } from './picture.ts'

const patienceMs = 300

export type ShowPicture = (picture: Picture | undefined) => void

/** Watches through any node that answers, and through another one when that one is gone. */
export async function watchCluster(show: ShowPicture, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    for (const node of nodeNames) await watchFrom(node, show, ended)
    show(undefined)
    await delay(patienceMs)
  }
}

async function watchFrom(node: string, show: ShowPicture, ended: AbortSignal): Promise<void> {
  const local = connectLocal(rootOf(node))
  const stop = new AbortController()
  const looker = new Looker(local, node, show, () => stop.abort())
  try {
    await local.watchState({}, (state) => looker.look(state), { signal: AbortSignal.any([ended, stop.signal]) })
  } catch (error) {
    // The node lost its power: another one is asked.
    if (!(error instanceof Error) || !['UnreachableError', 'NoAnswerError'].includes(error.name)) throw error
  } finally {
    local.close()
  }
}

/** One picture at a time; changes that come meanwhile are in the next one. */
class Looker {
  readonly #local: LocalClient
  readonly #node: string
  readonly #show: ShowPicture
  readonly #giveUp: () => void
  #busy = false
  #next: ClusterState | undefined

  constructor(local: LocalClient, node: string, show: ShowPicture, giveUp: () => void) {
    this.#local = local
    this.#node = node
    this.#show = show
    this.#giveUp = giveUp
  }

  look(state: ClusterState): void {
    this.#next = state
    // A node that takes no part or is cut off has nothing to tell.
    if (!state.quorate) this.#giveUp()
    else if (!this.#busy) void this.#draw()
  }

  async #draw(): Promise<void> {
    this.#busy = true
    for (let state = this.#next; state; state = this.#next) {
      this.#next = undefined
      try {
        this.#show(await takePicture(this.#local, this.#node, state))
      } catch {
        // The daemon went away between the state and the CIB: whoever is asked next draws.
        this.#giveUp()
        break
      }
    }
    this.#busy = false
  }
}

/** The text of the picture. */
export function draw(picture: Picture | undefined, help: string): string {
  if (!picture) return `${colors.dim('No node answers at the moment …')}\n\n${help}`
  const { state } = picture
  const width = Math.max(
    ...picture.nodes.map(({ name }) => name.length),
    ...picture.resources.map(({ id }) => id.length),
  )
  const nodes = picture.nodes.map(
    ({ name, what, dc }) => `  ${name.padEnd(width)}  ${colorOf(what)}${dc ? colors.cyan('  DC') : ''}`,
  )
  const resources = picture.resources.map(
    ({ id, agent, where }) => `  ${id.padEnd(width)}  ${colorOf(where)}  ${colors.dim(agent)}`,
  )
  const lines = [
    `${colors.bold(`Cluster ${state.clusterName}`)}, seen from ${picture.seenFrom}: ${doing(state)}`,
    '',
    'Nodes',
    ...nodes,
    '',
    'Resources',
    ...(resources.length > 0 ? resources : [colors.dim('  none yet')]),
    ...lastFencing(state),
  ]
  return `${lines.join('\n')}\n\n${help}`
}

function colorOf(text: string): string {
  if (/^(online|started|promoted)/.test(text)) return colors.green(text)
  return /UNCLEAN|offline|stopped|blocked/.test(text) ? colors.red(text) : colors.yellow(text)
}

function doing({ transition, quorate, configVersion }: ClusterState): string {
  if (!quorate) return colors.red('no quorum')
  if (transition.blockedBy.length > 0) return colors.red(transition.blockedBy.join('; '))
  if (transition.pending.length > 0) return colors.yellow(transition.pending.join(', '))
  return transition.state === 'idle' ? `settled (configuration ${configVersion})` : transition.state
}

function lastFencing({ fencing }: ClusterState): readonly string[] {
  const shown = fencing.slice(0, 3).map(({ target, action, outcome, begun }) => {
    const time = new Date(begun).toLocaleTimeString('en-GB')
    return `  ${time}  ${action} of ${target}: ${outcome}`
  })
  return shown.length === 0 ? [] : ['', 'Fencing', ...shown]
}

/** One line for each thing that is different. */
export function changes(before: Picture | undefined, after: Picture | undefined): readonly string[] {
  if (!after) return before ? ['no node answers'] : []
  const was = new Map(before ? facts(before) : [])
  return facts(after)
    .filter(([subject, fact]) => was.get(subject) !== fact)
    .map(([subject, fact]) => `${subject} ${fact}`)
}

function facts(picture: Picture): readonly (readonly [string, string])[] {
  const { state } = picture
  return [
    ...picture.nodes.map(({ name, what }) => [`node ${name}`, what] as const),
    ...picture.resources.map(({ id, where }) => [`resource ${id}`, where] as const),
    ...(state.dc === undefined ? [] : [['DC', state.dc] as const]),
    ...state.fencing.map(
      ({ id, target, action, outcome }) => [`fencing ${action} of ${target} (${id})`, outcome] as const,
    ),
  ]
}
