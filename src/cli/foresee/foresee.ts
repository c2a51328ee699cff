/**
 * `--preview` of commands that ask the daemon to do something: the command runs with all its own checks until it calls the daemon to act. That call is not
 * made; the answer describes it, with the actions that the scheduler would decide upon. Only calls that are known to read are made, so no command can act.
 */
import type { XmlElement } from '../../cib/index.ts'
import { type LocalClient, refuseWhoMayNot } from '../../rpc/index.ts'
import { type Call, type Command, done, type Flag, type Outcome, Refusal } from '../call/command.ts'
import { consequences } from '../change/change.ts'
import { type LeftStopped, printLeftStopped } from '../change/left-stopped.ts'
import { type PlannedAction, printPlannedActions } from '../change/planned-actions.ts'
import { rolloutPlan } from '../commands/rollout/plan.ts'
import { foresights } from './foresights.ts'
import type { Foreseen } from './scene.ts'

export const foreseeFlag: Flag = { name: 'preview', summary: 'Show what the command would do, without doing it' }

/** The commands that act by a call of the daemon and are shown so. Those that change the configuration show it by themselves. */
const foreseen: ReadonlySet<string> = new Set([
  ...['cluster token withdraw', 'console client remove', 'fleet remove', 'token revoke', 'pki rotate'],
  ...['cluster start', 'cluster stop', 'cluster enable', 'cluster disable', 'cluster certificates renew'],
  ...['cluster node add', 'cluster node remove', 'cluster link add', 'cluster link update', 'cluster link remove'],
  ...['resource cleanup', 'resource refresh', 'node undrain', 'hold release', 'config confirm', 'alert test'],
  ...['stonith fence', 'stonith confirm', 'stonith history cleanup'],
  ...['ticket grant', 'ticket revoke', 'ticket standby', 'ticket unstandby', 'ticket cleanup'],
  ...['quorum unblock', 'quorum device add', 'quorum device remove', 'quorum device update'],
  ...['job cancel', 'lock acquire', 'lock release', 'play cancel'],
  ...['rollout start', 'rollout pause', 'rollout resume', 'rollout abort', 'rollout confirm'],
])

/** The same command, with `--preview` where it is one of those; whichever has it does nothing with it. */
export function foreseeing(command: Command): Command {
  const { flags = [], run } = command
  const isForeseen = foreseen.has(command.path.join(' '))
  if (!isForeseen && !flags.some(({ name }) => name === foreseeFlag.name)) return command
  return {
    ...command,
    ...(isForeseen && { flags: [...flags, foreseeFlag] }),
    run: async (call) => {
      if (!call.flags.has('preview')) return await run(call)
      return isForeseen ? asItIs(await foresee(call, command)) : await foresee(call, command)
    },
  }
}

type Asking = Exclude<keyof LocalClient, 'close'>

/** Thrown in the place of the call. */
class AskedForError extends Error {
  override readonly name = 'AskedForError'
  readonly what: keyof LocalClient
  readonly request: unknown
  constructor(what: keyof LocalClient, request: unknown) {
    super(`it asked for '${what}'`)
    this.what = what
    this.request = request
  }
}

/** What a rollout would do is its plan. */
const planned: ReadonlyMap<string, Command['run']> = new Map([['rollout start', rolloutPlan.run]])

async function foresee(call: Call, command: Command): Promise<Outcome> {
  const plan = planned.get(command.path.join(' '))
  if (plan !== undefined) return await plan(call)
  const { live } = call.cluster
  if (live === undefined) return await command.run(call)
  try {
    return await command.run(trying(call, live))
  } catch (error) {
    if (!(error instanceof AskedForError)) throw error
    const foresight = foresights[error.what]
    if (foresight === undefined) throw cannotShow(call)
    await refuseWhoMayNot(live, error.what as Asking, error.request as never)
    const { cib } = await call.cluster.readCib()
    return told(call, cib, await foresight(error.request as never, { call, live, cib, now: call.terminal.now() }))
  }
}

function trying(call: Call, live: LocalClient): Call {
  return {
    ...call,
    cluster: { ...call.cluster, live: withoutActs(live), push: async () => await Promise.reject(cannotShow(call)) },
    // Nothing is confirmed by it.
    terminal: { ...call.terminal, confirm: async () => await Promise.resolve(true) },
  }
}

const cannotShow = ({ command }: Call): Refusal =>
  new Refusal(`'${command.path.join(' ')}' cannot show what it would do with these words. Nothing was done.`)

/** It has nothing to do. */
function asItIs(outcome: Outcome): Outcome {
  if (outcome.kind === 'refused' || isPreview(outcome.json)) return outcome
  const facts = typeof outcome.json === 'object' && outcome.json !== null ? outcome.json : {}
  return done(`Preview: nothing was changed. The command would say: ${outcome.text.trimEnd()}\n`, {
    preview: true,
    message: outcome.text.trimEnd(),
    actions: [],
    leftStopped: [],
    ...facts,
  })
}

const isPreview = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && ('preview' in json || 'waves' in json || 'clusters' in json)

function told(call: Call, cib: XmlElement, { sentence, after, facts }: Foreseen): Outcome {
  const none = { actions: [], leftStopped: [] }
  const { actions, leftStopped }: Effects = after === undefined ? none : consequences(cib, after, call.terminal.now())
  const acts =
    after === undefined
      ? ''
      : actions.length === 0
        ? 'No resource would be touched.\n'
        : `The cluster would:\n${printPlannedActions(actions)}`
  const stopped = leftStopped.length === 0 ? '' : `This would not run:\n${printLeftStopped(leftStopped)}`
  return done(`Preview: nothing was changed. ${sentence}\n${acts}${stopped}`, {
    preview: true,
    message: sentence,
    // The message of other commands is what they would say afterwards.
    would: sentence,
    actions,
    leftStopped,
    ...facts,
  })
}

interface Effects {
  readonly actions: readonly PlannedAction[]
  readonly leftStopped: readonly LeftStopped[]
}

/** The same client, whose calls that are not known to read only are not made. */
function withoutActs(live: LocalClient): LocalClient {
  return new Proxy(live, {
    get: (target, property) => {
      const name = property as keyof LocalClient
      if (reads.test(String(property)) || name === 'close') return target[name]
      return async (request: unknown, ...rest: readonly unknown[]) => {
        if (onlyAsks(name, request))
          return await (target[name] as (...given: readonly unknown[]) => Promise<unknown>)(request, ...rest)
        throw new AskedForError(name, request)
      }
    },
  })
}

const reads = /^(?:get|list|watch|read)[A-Z]|^(?:whoAmI|planFleetRollout)$/

const onlyAsks = (name: keyof LocalClient, request: unknown): boolean =>
  name === 'unblockQuorum' && (request as { readonly onlyAsk?: boolean }).onlyAsk === true
