/** A fence device that is asked before it is needed: whether its agent reaches it with these parameters, from this host. */
import { type IsSecret, isSecretName, textWithoutSecrets } from '../../cib/index.ts'
import { agentName, supports } from '../../resource-agents/index.ts'
import { type Call, done, type Outcome, Refusal } from '../call/command.ts'
import { askFenceAgent } from './agent-validation.ts'
import { type InstalledAgent, privateParameters } from './agents.ts'

export const deviceTestFlag = {
  name: 'test',
  summary: 'First run the agent’s monitor from this host, and create nothing if the device does not answer',
}

export const noDeviceTestFlag = {
  name: 'no-test',
  summary:
    'Do not ask the device whether it answers (by default it is asked once it is created, and a failure is a warning)',
}

/** One sentence that can be forced, or none. The monitor of a fence agent logs in and asks for the state; it switches nothing. */
export async function deviceObjections(
  installed: InstalledAgent,
  parameters: Readonly<Record<string, string>>,
  longestMs?: number,
): Promise<readonly string[]> {
  const action = parameters.pcmk_monitor_action ?? 'monitor'
  const { exitCode, why, unansweredMs } = await askFenceAgent(installed, parameters, { action, longestMs })
  if (exitCode === 0) return []
  if (unansweredMs !== undefined)
    return [
      `${agentName(installed.agent)} had no answer from the device within ${unansweredMs / 1000} s. Check its address.`,
    ]
  const isPrivate = privateParameters(installed)
  const isSecret: IsSecret = (word) => isSecretName(word) || isPrivate(word)
  const values = Object.entries(parameters).flatMap(([word, value]) => (isSecret(word) ? [value] : []))
  const said = textWithoutSecrets(why, isSecret, values)
  return [
    `${agentName(installed.agent)} does not reach the device with these parameters (exit code ${exitCode})${said === '' ? '' : `: ${said}`}. Check address, user and password.`,
  ]
}

/** A slow controller does not hold up the command for longer. */
const longestTestMs = 15_000
const patienceMs = 2000

interface NewDevice {
  readonly id: string
  readonly installed: InstalledAgent
  readonly parameters: Readonly<Record<string, string>>
}

export function refuseBothTests({ flags }: Call): void {
  if (flags.has('test') && flags.has('no-test'))
    throw new Refusal('--test and --no-test exclude each other. Specify one of them, or neither.')
}

/**
 * Whoever registers a device learns at once whether its address, user and password are right, and not when a node has to be fenced. It is
 * created all the same, as with pcs: what is wrong from this host may be right where the device will run. pcs itself asks nothing.
 */
export async function testCreated(
  call: Call,
  { id, installed, parameters }: NewDevice,
  made: Outcome,
): Promise<Outcome> {
  const { flags, terminal, cluster, speech } = call
  const isAsked = !['test', 'no-test', 'preview'].some((flag) => flags.has(flag))
  if (made.kind !== 'done' || speech.program !== 'systole' || !isAsked) return made
  // A copy on which commands are tried tells nobody anything.
  if (cluster.isScratch === true) return made
  const later = `Run 'systole stonith test ${id}' on a node`
  const untested =
    cluster.live === undefined
      ? `${id} was not tested, as it is in no cluster yet. ${later} once it is.`
      : terminal.runsAgents === false
        ? `${id} was not tested, as the API runs no agents. ${later}.`
        : undefined
  if (untested !== undefined) {
    terminal.progress(untested)
    return made
  }
  if (!supports(installed.metadata, 'monitor')) return made
  const slow = setTimeout(() => {
    terminal.progress(`Asking whether ${id} answers, for at most ${longestTestMs / 1000} s (--no-test omits this) …`)
  }, patienceMs)
  const objections = await deviceObjections(installed, parameters, longestTestMs).finally(() => clearTimeout(slow))
  for (const objection of objections)
    terminal.progress(
      `Warning: ${objection} ${id} is created. Correct it with 'systole stonith update ${id} …', then run 'systole stonith test ${id}'.`,
    )
  const test = { answers: objections.length === 0, objections }
  return done(made.text, { ...(made.json as object), test }, made.exitCode)
}
