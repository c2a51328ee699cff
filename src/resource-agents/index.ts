/**
 * The contract with agents: finds OCF agents and LSB scripts, knows their metadata, gives them their environment and runs
 * them in a process group with a time limit. Fence agents share the metadata and the process group.
 */
export { exitReasonIn, keptOutputBytes, OutputTail } from './captured-output.ts'
export { type AgentCall, type AgentHost, agentEnvironment, baseEnvironment } from './environment.ts'
export { agentName, type FoundAgent, findAgent, listAgents, listFenceAgents, listProviders } from './find.ts'
export {
  type AgentAction,
  type AgentMetadata,
  type AgentMetadataReport,
  type AgentParameter,
  describeAgentMetadataReport,
  looksSecret,
  parseAgentMetadata,
  restartParameters,
  supports,
} from './metadata.ts'
export { type AgentOutcome, notRun, ocfExitCodes } from './outcome.ts'
export {
  killGraceMs,
  type ProgramEnd,
  type ProgramRun,
  processStart,
  runProgram,
  signalGroup,
} from './process-group.ts'
export { metadataReader, type ReadMetadata } from './read-metadata.ts'
export { type AgentRunner, childProcessRunner, type RunningAgent } from './run-agent.ts'
export { findLeftAgents, type LeftAgent, machineMs, waitForLeftAgent } from './running-agents.ts'
