import type { Agent } from '../cib/index.ts'
import type { AgentOutcome } from '../resource-agents/index.ts'
import type { GivenOption, OptionSpec } from './options.ts'
import type { ToolReply } from './reply.ts'
import type { NodeReport } from './report-analysis.ts'
import type { ToolWorld } from './world.ts'

export interface Tool {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  readonly options: readonly OptionSpec[]
  /** It prints XML for `--output-as=xml`. */
  readonly printsXml?: true
  /** Elements that a later version of Pacemaker's XML than {@link apiVersion} has brought, each with that version. */
  readonly xmlVersions?: Readonly<Record<string, string>>
  /** What goes wrong is told on standard error in every form: the XML has the code alone. */
  readonly tellsErrorsBeside?: true
  /** It takes `--output-as=html` too: its text as a page. */
  readonly takesHtml?: true
  /** Works on files and a CIB alone, so that it runs in the caller's process, and without a cluster where it gets a file. */
  readonly runsHere?: true
  /** Not even a CIB is needed, ever or for such a call. */
  readonly needsNoCib?: true | ((given: readonly GivenOption[]) => boolean)
  /** A call that {@link needsTerminal} names, and that whoever knows the installed agents can answer all the same. */
  readonly asksWhatIsInstalled?: (given: readonly GivenOption[]) => boolean
  /** Why a call cannot be run by the daemon, beyond options that name files: a terminal to keep, standard input. */
  readonly needsTerminal?: (given: readonly GivenOption[]) => boolean
  /** Where Pacemaker's own has other exit codes than most of its tools: for a wrong call, and for a file that cannot be read. */
  readonly exits?: {
    readonly usage?: number
    readonly noInput?: number
    readonly noOutput?: number
    readonly format?: number
  }
  readonly run: (call: ParsedCall, world: ToolWorld) => Promise<ToolReply> | ToolReply
}

export interface ToolCall {
  /** `crm_attribute`. */
  readonly tool: string
  readonly arguments: readonly string[]
  /** OCF_RESOURCE_INSTANCE of the agent that calls. */
  readonly resource?: string
  /** The node that the agent works for, where that is another than the one that runs it. */
  readonly onNode?: string
  /** CIB_user: root and hacluster act with the rights of this user; of anybody else it is no word. */
  readonly user?: string
  /** Calls cibadmin in the caller's place, for crm_shadow. */
  readonly cibadmin?: (...words: readonly string[]) => Promise<ToolReply>
  /** What is installed on the host where the call is answered: a daemon's own, which its callers share. */
  readonly installed?: InstalledAgents
  /** The caller's files; the daemon, which must not read files for others, has none. */
  readonly files?: CallerFiles
}

/** How a file is written. */
export interface Writing {
  /** Of a file that is not there yet: without it, 0600. */
  readonly anybodyMayRead?: boolean
  /** The file is another one afterwards, so that whoever reads it meanwhile has the old or the new text, never a half. */
  readonly replaces?: boolean
  /** Also one that is there is its writer's alone afterwards, whoever could read it or owned it. */
  readonly writerOnly?: boolean
}

/** Pages of crm_mon are there for others, and whoever loads one gets the old or the new. */
export const statusPage: Writing = { anybodyMayRead: true, replaces: true }

export interface CallerFiles {
  /** Parameters of an agent as it would get them: `OCF_RESKEY_ip`. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly agents: HostAgents
  /** What is printed is read by a person. */
  readonly isTerminal?: boolean
  /** The newest of Pacemaker's schemas that are installed there: `pacemaker-3.9`. */
  newestSchema?(): string | undefined
  read(path: string): string
  /** The XML files in a folder, by their paths. */
  listXml(folder: string): readonly string[]
  input(): string
  write(path: string, text: string, how?: Writing): void
  /** The copies of a CIB that crm_shadow keeps, and the one that the caller works on. */
  readonly shadows: Shadows
  /** An archive of these texts, of the daemon's log and of what other nodes collect; answers its path. */
  archive(report: Report): ArchivedReport
}

export interface Shadows {
  /** `CIB_shadow`; empty where the caller works on the cluster. */
  readonly active: string
  path(name: string): string
  exists(name: string): boolean
  remove(name: string): void
  /** Whether there can be one of that name. */
  canHold(name: string): boolean
  /** The caller's $EDITOR on a file; why that could not be. */
  edit(path: string): { readonly exitCode: number; readonly text: string } | undefined
  /** A shell with `CIB_shadow` set; false where the caller has no terminal to speak to one. */
  shell(name: string): boolean
}

/** Which agents there are: folders are read, nothing is run. */
export interface InstalledAgents {
  /** `ocf:heartbeat`, `systemd`: the types of these. */
  list(spec: string): readonly string[]
  /** Those that have an agent of a type, or all. */
  providers(type?: string): readonly string[]
}

/** The agents that are installed where the caller runs. */
export interface HostAgents extends InstalledAgents {
  /** Of `ocf:heartbeat:IPaddr2`; undefined where there is no such agent or it has none. */
  metadata(spec: string): string | undefined
  /** A fence agent is asked outside the cluster; undefined where there is none of that name. */
  askFenceAgent(
    type: string,
    action: string,
    parameters: Readonly<Record<string, string>>,
  ): FenceAgentAnswer | undefined
  /** Runs one outside the cluster. */
  run(asked: AgentRun): Promise<AgentOutcome>
}

export interface FenceAgentAnswer {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
}

export interface AgentRun {
  readonly agent: Agent
  readonly resource: string
  readonly operation: string
  readonly parameters: Readonly<Record<string, string>>
  readonly checkLevel?: string
  /** As it was written: `30s`. */
  readonly timeout?: string
}

export interface Report {
  /** Its path without the ending. */
  readonly dest: string
  /** Leave it as a folder. */
  readonly asFolder: boolean
  /** Who makes the report. */
  readonly node: string
  readonly texts: Readonly<Record<string, string>>
  /** What stands out in what all nodes have reported. */
  readonly analysis: (reports: readonly NodeReport[]) => string
  /** Lines that begin with their time, in any order. */
  readonly events: (reports: readonly NodeReport[]) => Iterable<string>
  readonly log: LogExcerpt
  readonly others: OtherNodes
}

/** Nodes that are asked for a report of their own, by a command like ssh. */
export interface OtherNodes {
  readonly names: readonly string[]
  /** `ssh -T`, and for whom: `root`. */
  readonly shell: string
  readonly user: string
  /** What they run. */
  readonly arguments: readonly string[]
}

export interface ArchivedReport {
  readonly path: string
  /** A sentence for each node that did not answer, and for an analysis that could not be made. */
  readonly missing: readonly string[]
}

export interface LogExcerpt {
  /** Seconds since the epoch. */
  readonly from?: number
  readonly to?: number
  /** Paths of log files that the caller named. */
  readonly files: readonly string[]
  readonly mask: (line: string) => string
}

export interface ParsedCall extends ToolCall {
  readonly given: readonly GivenOption[]
}
