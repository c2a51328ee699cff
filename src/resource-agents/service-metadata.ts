/**
 * What is known of agents that have no metadata of their own: systemd units and LSB scripts. They take no parameters; the times
 * are those that Pacemaker advises for them.
 */
import type { AgentAction, AgentMetadata } from './metadata.ts'

/** systemd's own limits of a unit are 90 s where the unit says nothing. */
export function unitMetadata(name: string, description: string): AgentMetadata {
  const operations = [action('start', 100), action('stop', 100), action('status', 100), action('monitor', 100, 60)]
  return metadata(name, description, '', operations)
}

/** `text`: the script, whose head describes it (Linux Standard Base, "Comment Conventions for Init Scripts"). */
export function scriptMetadata(name: string, text: string): AgentMetadata {
  const head = /^### BEGIN INIT INFO\n(.*?)^### END INIT INFO/ms.exec(text)?.[1] ?? ''
  const short = /^# *Short-Description:[ \t]*(.*)$/m.exec(head)?.[1] ?? ''
  // A description goes on over lines that begin with a tab or two spaces.
  const long = /^# *Description:[ \t]*(.*(?:\n#(?:\t| {2}).*)*)/m.exec(head)?.[1]?.replace(/\n#\s+/g, ' ') ?? ''
  // Without units, as Pacemaker's own metadata of scripts has them.
  const operations = [action('start', 15), action('stop', 15), action('status', 15), action('monitor', 15, 15)]
  return metadata(name, short, long, operations.map(withoutUnits))
}

function metadata(
  name: string,
  shortDescription: string,
  longDescription: string,
  actions: readonly AgentAction[],
): AgentMetadata {
  return { name, shortDescription, longDescription, parameters: [], actions }
}

function withoutUnits(one: AgentAction): AgentAction {
  const written = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : String(ms / 1000))
  const [interval, timeout] = [written(one.intervalMs), written(one.timeoutMs)]
  return {
    ...one,
    text: { ...(interval === undefined ? {} : { interval }), ...(timeout === undefined ? {} : { timeout }) },
  }
}

function action(name: string, timeoutSeconds: number, intervalSeconds?: number): AgentAction {
  const recurring = intervalSeconds === undefined ? {} : { intervalMs: intervalSeconds * 1000 }
  return { name, timeoutMs: timeoutSeconds * 1000, ...recurring, automatic: false, onTarget: false }
}
