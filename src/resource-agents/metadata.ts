/**
 * What an agent says of itself: its parameters and its actions with the timing that it advises (OCF Resource Agent API
 * 1.1, "Metadata"; fence agents add a few attributes). The text is the agent's, so that everything optional may be missing.
 */
import { failed, ok, parseDurationMs, type Result } from '../base/index.ts'
import {
  childElement,
  childElements,
  isSecretName,
  type MalformedXmlReport,
  parseBoolean,
  parseRole,
  parseXml,
  type Role,
  type XmlElement,
} from '../cib/index.ts'

export interface AgentMetadata {
  readonly name: string
  readonly version?: string
  /** Of OCF's resource agent API that it was written for, as it says. */
  readonly apiVersion?: string
  readonly shortDescription: string
  readonly longDescription: string
  readonly parameters: readonly AgentParameter[]
  readonly actions: readonly AgentAction[]
}

export interface AgentParameter {
  readonly name: string
  /** `string`, `integer`, `boolean`, `second`, `select` …; as the agent writes it. */
  readonly type: string
  readonly default?: string
  /** For `select`. */
  readonly choices: readonly string[]
  readonly required: boolean
  /** No two resources of this agent may have the same value, alone or together with the others of the group. */
  readonly unique: boolean
  readonly uniqueGroup?: string
  /** Takes effect by `reload-agent`, without a restart. */
  readonly reloadable: boolean
  /** A secret: its value is never logged or shown. As the agent says; no agent in use does, so that their usual names say it. */
  readonly private: boolean
  readonly deprecated: boolean
  /** The old name that this one replaces. */
  readonly obsoletes?: string
  readonly shortDescription: string
  readonly longDescription: string
}

export interface AgentAction {
  readonly name: string
  readonly timeoutMs?: number
  readonly intervalMs?: number
  readonly startDelayMs?: number
  /** The interval and the timeout as the agent has written them. */
  readonly text?: { readonly interval?: string; readonly timeout?: string }
  readonly depth?: number
  readonly role?: Role
  /** Of a fence agent's `on`: a node that starts must unfence itself. */
  readonly automatic: boolean
  readonly onTarget: boolean
}

export interface AgentMetadataReport {
  readonly code: 'agent-metadata'
  readonly agent: string
  readonly message: string
}

export function describeAgentMetadataReport(report: AgentMetadataReport): string {
  return `The metadata of ${report.agent} cannot be used: ${report.message}`
}

export function parseAgentMetadata(agent: string, text: string): Result<AgentMetadata, AgentMetadataReport> {
  const start = text.indexOf('<')
  if (start === -1) return failed({ code: 'agent-metadata', agent, message: 'the agent printed none.' })
  const document = parseXml(text.slice(start))
  if (!document.ok) return failed({ code: 'agent-metadata', agent, message: describeMalformed(document.reports) })
  const root = document.value
  if (root.name !== 'resource-agent')
    return failed({ code: 'agent-metadata', agent, message: `it begins with <${root.name}>, not <resource-agent>.` })
  const parameters = childElement(root, 'parameters')
  const actions = childElement(root, 'actions')
  const apiVersion = descriptionIn(root, 'version')
  const version = root.attributes.version ?? apiVersion
  return ok({
    name: root.attributes.name ?? agent,
    ...(version === '' ? {} : { version }),
    ...(apiVersion === '' ? {} : { apiVersion }),
    shortDescription: descriptionIn(root, 'shortdesc') || (root.attributes.shortdesc ?? ''),
    longDescription: descriptionIn(root, 'longdesc'),
    parameters: parameters === undefined ? [] : childElements(parameters, 'parameter').flatMap(readParameter),
    actions: actions === undefined ? [] : childElements(actions, 'action').flatMap(readAction),
  })
}

/** Whether the agent has an action of that name. */
export function supports(metadata: AgentMetadata, action: string): boolean {
  return metadata.actions.some(({ name }) => name === action)
}

/**
 * The parameters whose change needs a restart, or undefined where every change does: agents with `reload-agent` mark those
 * that need none, older ones with `reload` mark as unique those that need one.
 */
export function restartParameters(metadata: AgentMetadata): readonly string[] | undefined {
  const names = (keep: (parameter: AgentParameter) => boolean) =>
    metadata.parameters.filter(keep).map(({ name }) => name)
  if (supports(metadata, 'reload-agent')) return names(({ reloadable }) => !reloadable)
  return supports(metadata, 'reload') ? names(({ unique }) => unique) : undefined
}

function describeMalformed(reports: readonly MalformedXmlReport[]): string {
  return reports.map(({ message, place }) => `line ${place.line}, column ${place.column}: ${message}`).join('; ')
}

function readParameter(written: XmlElement): readonly AgentParameter[] {
  const { name, unique, required, reloadable, private: secret, deprecated, obsoletes } = written.attributes
  if (name === undefined) return []
  const content = childElement(written, 'content')
  const group = written.attributes['unique-group']
  const value = content?.attributes.default
  return [
    {
      name,
      type: content?.attributes.type ?? 'string',
      ...(value === undefined ? {} : { default: value }),
      choices: content === undefined ? [] : childElements(content, 'option').flatMap(choice),
      required: parseBoolean(required) ?? false,
      unique: group !== undefined || (parseBoolean(unique) ?? false),
      ...(group === undefined ? {} : { uniqueGroup: group }),
      reloadable: parseBoolean(reloadable) ?? false,
      private: parseBoolean(secret) ?? isSecretName(name),
      deprecated: (parseBoolean(deprecated) ?? false) || childElement(written, 'deprecated') !== undefined,
      ...(obsoletes === undefined ? {} : { obsoletes }),
      shortDescription: descriptionIn(written, 'shortdesc'),
      longDescription: descriptionIn(written, 'longdesc'),
    },
  ]
}

function choice(option: XmlElement): readonly string[] {
  const { value } = option.attributes
  return value === undefined ? [] : [value]
}

function readAction(written: XmlElement): readonly AgentAction[] {
  const { name, timeout, interval, depth, role, automatic } = written.attributes
  if (name === undefined) return []
  const parsed = {
    timeoutMs: duration(timeout),
    intervalMs: duration(interval),
    startDelayMs: duration(written.attributes['start-delay']),
    depth: depth === undefined ? undefined : Number.parseInt(depth, 10),
    role: parseRole(role),
  }
  return [
    {
      name,
      ...(parsed.timeoutMs === undefined ? {} : { timeoutMs: parsed.timeoutMs }),
      ...(parsed.intervalMs === undefined ? {} : { intervalMs: parsed.intervalMs }),
      ...(parsed.startDelayMs === undefined ? {} : { startDelayMs: parsed.startDelayMs }),
      text: {
        ...(parsed.intervalMs === undefined || interval === undefined ? {} : { interval }),
        ...(parsed.timeoutMs === undefined || timeout === undefined ? {} : { timeout }),
      },
      ...(parsed.depth === undefined || Number.isNaN(parsed.depth) ? {} : { depth: parsed.depth }),
      ...(parsed.role === undefined ? {} : { role: parsed.role }),
      automatic: parseBoolean(automatic) ?? false,
      onTarget: parseBoolean(written.attributes.on_target) ?? false,
    },
  ]
}

function duration(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDurationMs(text)
}

/** The text of a child, its lines kept, without what indents the whole. */
function descriptionIn(parent: XmlElement, name: string): string {
  const found = childElement(parent, name)
  if (found === undefined) return ''
  return found.children
    .map((child) => (child.kind === 'text' ? child.text : ''))
    .join('')
    .trim()
}
