/**
 * Between a command and its result nothing is lost: whatever throws there (a name that no file system takes, a full disk, a mistake of ours) becomes
 * the result. A node that takes a command and never tells its result would be fenced for it.
 */
import { timerMs } from '../base/index.ts'
import { type AgentOutcome, type AgentRunner, notRun, type RunningAgent } from '../resource-agents/index.ts'
import type { ExecutorLog } from './operation-log.ts'

/** An agent is asked to end, killed, and waited for; one that hangs in the kernel all the same has no result, and its operation must. */
const hangsAfterMs = 10_000

/** For `exit-reason`: one line. */
export function whyFailed(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return `this node could not carry it out: ${text.replace(/\s+/g, ' ').slice(0, 300)}`
}

export const couldNotRun = (error: unknown): AgentOutcome => notRun('error', whyFailed(error))

/** Its result comes, whatever the runner does. */
export function runForSure(runner: AgentRunner, call: Parameters<AgentRunner['run']>[0]): RunningAgent {
  const running = begun(runner, call)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<AgentOutcome>((resolve) => {
    const give = (): void => {
      running.kill()
      const exitReason = `${call.operation} exceeded its timeout and could not be killed`
      resolve({ ...notRun('error', exitReason), status: 'timeout' })
    }
    timer = setTimeout(give, timerMs(call.timeoutMs + hangsAfterMs))
  })
  const ended = running.finished.catch(couldNotRun)
  return { finished: Promise.race([ended, late]).finally(() => clearTimeout(timer)), kill: running.kill }
}

function begun(runner: AgentRunner, call: Parameters<AgentRunner['run']>[0]): RunningAgent {
  try {
    const running = runner.run(call)
    return { finished: running.finished, kill: () => attempt(() => running.kill()) }
  } catch (error) {
    return { finished: Promise.resolve(couldNotRun(error)), kill: () => undefined }
  }
}

/** What the result does not depend on; undefined where it failed. */
export function attempt<T>(act: () => T, log?: ExecutorLog, what = ''): T | undefined {
  try {
    return act()
  } catch (error) {
    try {
      log?.warn('a step beside an operation failed', { what, error })
    } catch {
      // A log that fails as well has nobody to tell it.
    }
    return undefined
  }
}
