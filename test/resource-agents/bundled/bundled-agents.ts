/** The bundled agents in a folder of a test's own, run as the executor runs them and as Debian's `ocf-tester` does. */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type AgentHost, type AgentOutcome, childProcessRunner } from '../../../src/resource-agents/index.ts'
import { type AgentFolder, agentFolder } from '../agent-folder.ts'

type Attributes = Readonly<Record<string, string>>

export class BundledAgents {
  readonly folder: AgentFolder = agentFolder()
  readonly host: AgentHost

  constructor() {
    // Services and ocf-tester read it as other users.
    chmodSync(this.folder.path, 0o755)
    cpSync(resolve(import.meta.dirname, '../../../agents'), this.path('agents'), { recursive: true })
    this.host = { ...this.folder.host, moreAgentFolders: [this.path('agents/ocf')], ocfRoot: '/nonexistent' }
  }

  path(name: string): string {
    return join(this.folder.path, name)
  }

  async run(type: string, operation: string, attributes: Attributes): Promise<AgentOutcome> {
    const agent = { class: 'ocf', provider: 'systole', type }
    const call = this.folder.call(type, { agent, operation, attributes: { CRM_meta_on_node: 'alpha', ...attributes } })
    return await childProcessRunner(this.host).run(call).finished
  }

  /** What `ocf-tester` says, and whether it is content. */
  async ocfTester(type: string, parameters: Attributes): Promise<{ readonly passed: boolean; readonly said: string }> {
    const options = Object.entries(parameters).flatMap(([name, value]) => ['-o', `${name}=${value}`])
    const child = spawn('ocf-tester', ['-n', `${type}-tested`, ...options, this.path(`agents/ocf/systole/${type}`)], {
      env: { ...process.env, SYSTOLE_TOOLS_SOCKET: this.host.toolsSocket, SYSTOLE_NODE: process.execPath },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const code = await new Promise<number | null>((done, failed) => child.once('close', done).once('error', failed))
    return { passed: code === 0, said }
  }

  remove(): void {
    this.folder.remove()
  }
}
