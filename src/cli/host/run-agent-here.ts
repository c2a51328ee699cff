/** An agent run on this host by a command; the cluster is not told. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentCall, type AgentOutcome, childProcessRunner } from '../../resource-agents/index.ts'
import { agentHost } from './agents.ts'

export async function runAgentHere(call: AgentCall): Promise<AgentOutcome> {
  const runFolder = await mkdtemp(join(tmpdir(), 'systole-agent-'))
  try {
    return await childProcessRunner({ ...agentHost(), runFolder }).run(call).finished
  } finally {
    await rm(runFolder, { recursive: true, force: true })
  }
}
