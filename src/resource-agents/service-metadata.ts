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
  const operations = [action('start', 15), action('stop', 15), action('status', 15), action('monitor', 15, 15)]
  return metadata(name, short, long, operations)
}

function metadata(
  name: string,
  shortDescription: string,
  longDescription: string,
  actions: readonly AgentAction[],
): AgentMetadata {
  return { name, shortDescription, longDescription, parameters: [], actions }
}

function action(name: string, timeoutSeconds: number, intervalSeconds?: number): AgentAction {
  const recurring = intervalSeconds === undefined ? {} : { intervalMs: intervalSeconds * 1000 }
  return { name, timeoutMs: timeoutSeconds * 1000, ...recurring, automatic: false, onTarget: false }
}
