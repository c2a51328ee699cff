/**
 * The commands of Pacemaker that agents and deployment tools call, under their own names: crm_attribute, cibadmin, crm_mon …
 * Each is one function from arguments, environment and CIB to output, exit code and edits. The daemon runs it for a call over
 * the tools socket; with `CIB_file` the same function runs in a process of its own (`file/`).
 */

export { compareVersions, versionOf, withVersion } from './cib/version.ts'
export { elementPath, selectXpath } from './cib/xpath.ts'
export { allTools } from './command/all-tools.ts'
export { givenOptions, goesOnAtCaller, runHere, runTool } from './command/run-tool.ts'
export { exitCodes } from './exit-codes.ts'
export { fencingEvent } from './fencing-event.ts'
export { mostOfCib, mostOfFile, readUpTo, TooLongError, textOfStream, textUpTo } from './file/bounded-read.ts'
export { installedAgents } from './file/host-agents.ts'
export { isGzip, readTextFile } from './file/read-text.ts'
export { callDaemon } from './file/socket-client.ts'
export { writeCallersFile } from './file/write-file.ts'
export { optionsOf, writtenNames } from './help.ts'
export { namedIn } from './monitor/narrowed.ts'
export { crmMonSections } from './monitor/shown-elsewhere.ts'
export { printText, type TextSection } from './monitor/text.ts'
export type { GivenOption } from './options.ts'
export { refused, type ToolReply } from './reply.ts'
export { serveTools, type ToolServer } from './socket.ts'
export type { Tool, ToolCall, Writing } from './tool.ts'
export { pacemakerVersion } from './version.ts'
export type { CibChange, FenceRequest, FencingEvent, ToolLink, ToolNode, ToolWitness, ToolWorld } from './world.ts'
