/**
 * crm_mon --external-agent: a program of the caller is run for every operation that a node records, and with --watch-fencing for
 * every node that is fenced (crm_mon(8), ClusterMon).
 */
import { spawn } from 'node:child_process'
import { parseXml } from '../../cib/index.ts'
import { type FencingNews, fencingNewsIn, type KnownFencing } from '../monitor/fencing-news.ts'
import { type KnownOperations, newsIn, type OperationNews } from '../monitor/operation-news.ts'

export interface ExternalAgent {
  readonly program: string
  readonly recipient: string
}

/** What is looked at each time. */
export interface Sources {
  readonly cib: () => Promise<string>
  /** `stonith_admin --history '*' --output-as=xml`; left out, fencing is not watched. */
  readonly fencing?: () => Promise<string>
}

/** Each call looks again, and runs the agent for what is new since the last one. What cannot be read is read the next time. */
export function eventWatch(agent: ExternalAgent, sources: Sources): () => Promise<void> {
  let operations: KnownOperations | undefined
  let fencing: KnownFencing | undefined
  return async () => {
    const cib = await documentFrom(sources.cib)
    if (cib !== undefined) {
      const found = newsIn(cib, operations)
      operations = found.known
      for (const one of found.news) await tell(agent, ofOperation(one))
    }
    const history = sources.fencing && (await documentFrom(sources.fencing))
    if (history !== undefined) {
      const found = fencingNewsIn(history, fencing)
      fencing = found.known
      for (const one of found.news) await tell(agent, ofFencing(one))
    }
  }
}

async function documentFrom(source: () => Promise<string>) {
  const text = await source().catch(() => '')
  const parsed = parseXml(text)
  return parsed.ok ? parsed.value : undefined
}

type Told = Readonly<Record<string, string>>

function ofOperation(news: OperationNews): Told {
  return {
    node: news.node,
    rsc: news.resource,
    task: news.task,
    interval: String(news.intervalMs),
    desc: news.description,
    rc: String(news.exitCode),
    target_rc: String(news.expectedCode),
    status: String(news.status),
  }
}

/** The task is the name that Pacemaker has for such news. */
function ofFencing({ target, succeeded, description }: FencingNews): Told {
  return {
    node: target,
    rsc: '',
    task: 'st_notify_fence',
    desc: description,
    rc: succeeded ? '0' : '1',
    target_rc: '0',
    status: '0',
  }
}

/** One after the other, so that the agent sees them in order. Its trouble is told and is nobody else's. */
async function tell({ program, recipient }: ExternalAgent, told: Told): Promise<void> {
  const environment = Object.fromEntries(
    Object.entries({ recipient, ...told }).map(([name, value]) => [`CRM_notify_${name}`, value]),
  )
  await new Promise<void>((resolve) => {
    const child = spawn(program, [], { stdio: 'ignore', env: { ...process.env, ...environment } })
    child.once('error', (error) => {
      process.stderr.write(`crm_mon: the external agent ${program} cannot be run: ${error.message}\n`)
      resolve()
    })
    child.once('close', () => resolve())
  })
}
