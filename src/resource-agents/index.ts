/**
 * The contract with agents: finds OCF agents, LSB scripts and systemd units, knows their metadata, gives them their environment and runs
 * them in a process group with a time limit. Fence agents share the metadata and the process group.
 */

export { keptOutputBytes, OutputTail, plainLine } from './captured-output.ts'
export { type AgentCall, type AgentHost, baseEnvironment } from './environment.ts'
export { fileNameOf, isFileNameCut } from './file-name.ts'
export { agentName, findAgent, listAgents, listFenceAgents, listProviders, listScripts, runsAsUnit } from './find.ts'
export {
  type AgentAction,
  type AgentMetadata,
  describeAgentMetadataReport,
  parseAgentMetadata,
  restartParameters,
  supports,
} from './metadata.ts'
export { type AgentOutcome, notRun, ocfExitCodes } from './outcome.ts'
export {
  describeStartFailure,
  type ProgramEnd,
  type ProgramRun,
  processStart,
  runProgram,
  signalGroup,
} from './process-group.ts'
export { metadataReader, type ReadMetadata } from './read-metadata.ts'
export { type AgentRunner, childProcessRunner, type RunningAgent } from './run-agent.ts'
export { findLeftAgents, type LeftAgent, machineMs, waitForLeftAgent } from './running-agents.ts'
export { UnitRunner } from './systemd/run-unit.ts'
export { listServices } from './unit-files.ts'
