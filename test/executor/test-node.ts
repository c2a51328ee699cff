/** An executor with real agents and results in memory, and orders for it in few words. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeName, resourceId } from '../../src/base/index.ts'
import { type Agent, formatTransitionKey, type OperationRecord } from '../../src/cib/index.ts'
import { type Answer, Executor } from '../../src/executor/index.ts'
import {
  type AgentHost,
  type AgentRunner,
  childProcessRunner,
  metadataReader,
} from '../../src/resource-agents/index.ts'
import { runTool, serveTools, type ToolServer } from '../../src/tools/index.ts'
import { type AgentFolder, agentFolder } from '../resource-agents/agent-folder.ts'
import { TestWorld } from '../tools/tool-world.ts'

const shims = join(dirname(fileURLToPath(import.meta.url)), '../../shims')

export interface Order {
  readonly intervalMs?: number
  readonly timeoutMs?: number
  readonly attributes?: Readonly<Record<string, string>>
  readonly expected?: number
  readonly term?: number
}

export class TestNode {
  readonly folder: AgentFolder
  readonly host: AgentHost
  readonly world = new TestWorld()
  readonly executor: Executor
  /** By record id. */
  readonly records = new Map<string, OperationRecord>()
  /** `web start done 0`, in the order in which they were written. */
  readonly written: string[] = []
  readonly warnings: string[] = []
  /** What was told for information, with its fields. */
  readonly told: (readonly [message: string, fields?: object])[] = []
  reachable = true
  #tools: ToolServer | undefined
  #actions = 0

  constructor(
    folder = agentFolder(),
    firstCallId = 1,
    runner?: (executor: () => Executor) => AgentRunner,
    earlier: readonly OperationRecord[] = [],
  ) {
    this.folder = folder
    this.host = { ...this.folder.host, toolsFolder: shims }
    mkdirSync(this.host.runFolder, { recursive: true })
    this.executor = new Executor({
      node: nodeName('alpha'),
      runner: runner?.(() => this.executor) ?? childProcessRunner(this.host),
      metadata: metadataReader(this.host),
      store: {
        announce: async (records) => {
          this.#put(records)
          return 'written'
        },
        record: async (records) => {
          this.#put(records)
          return 1
        },
        forget: async (resource, recordId) => {
          for (const [id, record] of this.records)
            if (record.resource === resource && (recordId === undefined || id === recordId)) this.records.delete(id)
        },
      },
      log: {
        debug: () => undefined,
        info: (...said) => this.told.push(said),
        warn: (message) => this.warnings.push(message),
        error: (message) => this.warnings.push(message),
      },
      runFolder: this.host.runFolder,
      firstCallId,
      earlier,
    })
  }

  async serveTools(): Promise<void> {
    this.#tools = await serveTools(this.host.toolsSocket, {
      handle: (call) => runTool(call, this.world),
      callerOf: () => undefined,
    })
  }

  /** Begins an operation and answers whether it was taken. */
  async order(agent: Agent, resource: string, operation: string, order: Order = {}): Promise<Answer> {
    const { intervalMs = 0, timeoutMs = 20_000, attributes = {}, expected = 0, term = 1 } = order
    const action = ++this.#actions
    const key = { action, transition: 1, expectedExitCode: expected, uuid: '00000000-0000-4000-8000-000000000001' }
    return await this.executor.perform({
      term,
      plannedFrom: 1,
      transitionKey: formatTransitionKey(key),
      timeoutMs,
      action: {
        kind: 'resource',
        id: action,
        inputs: [],
        attributes: { CRM_meta_on_node: 'alpha', CRM_meta_interval: String(intervalMs), ...attributes },
        priority: 0,
        resource: resourceId(resource),
        operation,
        intervalMs,
        key: `${resource}_${operation}_${intervalMs}`,
        agent,
        node: nodeName('alpha'),
        nodeId: '1',
        downed: [],
      },
    })
  }

  /** Does it, and answers with the attributes of its record. */
  async run(
    agent: Agent,
    resource: string,
    operation: string,
    order: Order = {},
  ): Promise<Readonly<Record<string, string>>> {
    const from = this.written.length
    await this.order(agent, resource, operation, order)
    for (;;) {
      const done = this.written
        .slice(from)
        .findIndex((line) => line.startsWith(`${resource} ${operation} `) && !line.includes(' -1 '))
      if (done !== -1) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const record = [...this.records.values()].findLast(
      ({ attributes }) =>
        attributes.operation === operation && attributes.on_node === 'alpha' && attributes['op-status'] !== '-1',
    )
    if (!record) throw new Error('there is no record')
    return record.attributes
  }

  async close(): Promise<void> {
    await this.executor.close()
    await this.#tools?.close()
    this.folder.remove()
  }

  #put(records: readonly OperationRecord[]): void {
    if (!this.reachable) throw new Error('the store does not answer')
    for (const record of records) {
      // The newest comes last.
      this.records.delete(record.recordId)
      this.records.set(record.recordId, record)
    }
    const [first] = records
    if (!first) return
    const { operation, 'op-status': status, 'rc-code': code } = first.attributes
    this.written.push(`${first.resource} ${operation} ${status} ${code}`)
  }
}
