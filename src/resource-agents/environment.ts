/**
 * The environment of an agent (OCF Resource Agent API 1.1; `CRM_meta_*` as Pacemaker passes them). It is complete and
 * starts from nothing: the daemon's own environment never reaches an agent, so that a service does not depend on how the
 * daemon was started. Agents find our tools (crm_attribute …) first in PATH and by HA_SBIN_DIR.
 */
import type { ResourceId } from '../base/index.ts'
import { type Agent, featureSet } from '../cib/index.ts'

export interface AgentHost {
  /** `/usr/lib/ocf`: agents load their shell functions from below it. */
  readonly ocfRoot: string
  /** More folders with a folder for each provider, such as the bundled agents; searched before those of OCF_ROOT. */
  readonly moreAgentFolders: readonly string[]
  /** The folder of crm_attribute and the other tools that agents call. */
  readonly toolsFolder: string
  /** Where those tools reach the daemon. */
  readonly toolsSocket: string
  /** The folder for run-time state of the running agents; ARCHITECTURE names it. */
  readonly runFolder: string
}

export interface AgentCall {
  readonly agent: Agent
  /** The instance: `web`, `ping:1`. */
  readonly resource: ResourceId
  readonly operation: string
  /** As the graph's `attributes` element has them: agent parameters and `CRM_meta_*`. */
  readonly attributes: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

export function agentEnvironment(call: AgentCall, host: AgentHost): Readonly<Record<string, string>> {
  return {
    ...baseEnvironment(host),
    OCF_ROOT: host.ocfRoot,
    OCF_RA_VERSION_MAJOR: '1',
    OCF_RA_VERSION_MINOR: '1',
    OCF_EXIT_REASON_PREFIX: 'ocf-exit-reason:',
    OCF_RESOURCE_INSTANCE: call.resource,
    OCF_RESOURCE_TYPE: call.agent.type,
    ...(call.agent.provider === undefined ? {} : { OCF_RESOURCE_PROVIDER: call.agent.provider }),
    OCF_RESKEY_crm_feature_set: featureSet,
    OCF_RESKEY_CRM_meta_timeout: String(call.timeoutMs),
    ...parameterVariables(call.attributes),
  }
}

/** What every program that we start gets. SHELL is bash because agents' functions use its process substitution. */
export function baseEnvironment(
  host: Pick<AgentHost, 'toolsFolder' | 'toolsSocket'>,
): Readonly<Record<string, string>> {
  return {
    PATH: `${host.toolsFolder}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    SHELL: '/bin/bash',
    HOME: '/root',
    LC_ALL: 'C',
    HA_SBIN_DIR: host.toolsFolder,
    SYSTOLE_TOOLS_SOCKET: host.toolsSocket,
    // For bundled agents: the daemon's own Node.js need not be in any of these folders.
    SYSTOLE_NODE: process.execPath,
    // Agents then log to their standard error, which is ours.
    HA_LOGFACILITY: 'none',
    HA_logfacility: 'none',
    HA_debug: '0',
  }
}

/** Dashes of meta-attributes become underscores (`CRM_meta_clone-max`); parameters keep their names. */
function parameterVariables(attributes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'OCF_CHECK_LEVEL') variables.OCF_CHECK_LEVEL = value
    variables[`OCF_RESKEY_${name.startsWith('CRM_meta_') ? name.replaceAll('-', '_') : name}`] = value
  }
  return variables
}
