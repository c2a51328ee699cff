/** crm_mon --external-agent: a program of the caller is run for every operation that a node records (crm_mon(8), ClusterMon). */
import { spawn } from 'node:child_process'
import { parseXml } from '../../cib/index.ts'
import { type KnownOperations, newsIn, type OperationNews } from '../monitor/operation-news.ts'

export interface ExternalAgent {
  readonly program: string
  readonly recipient: string
}

/** Looks at the CIB each time that it is called, and runs the agent for what is new since the last time. */
export function operationWatch(agent: ExternalAgent): (cibText: string) => Promise<void> {
  let known: KnownOperations | undefined
  return async (cibText) => {
    const cib = parseXml(cibText)
    if (!cib.ok) return
    const found = newsIn(cib.value, known)
    known = found.known
    for (const one of found.news) await tell(agent, one)
  }
}

/** One after the other, so that the agent sees them in order. Its trouble is told and is nobody else's. */
async function tell({ program, recipient }: ExternalAgent, news: OperationNews): Promise<void> {
  const environment = {
    CRM_notify_recipient: recipient,
    CRM_notify_node: news.node,
    CRM_notify_rsc: news.resource,
    CRM_notify_task: news.task,
    CRM_notify_interval: String(news.intervalMs),
    CRM_notify_desc: news.description,
    CRM_notify_rc: String(news.exitCode),
    CRM_notify_target_rc: String(news.expectedCode),
    CRM_notify_status: String(news.status),
  }
  await new Promise<void>((resolve) => {
    const child = spawn(program, [], { stdio: 'ignore', env: { ...process.env, ...environment } })
    child.once('error', (error) => {
      process.stderr.write(`crm_mon: the external agent ${program} cannot be run: ${error.message}\n`)
      resolve()
    })
    child.once('close', () => resolve())
  })
}
