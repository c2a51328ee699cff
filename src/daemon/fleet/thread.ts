/** Asks other clusters: parsing what they answer holds up nothing else. */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { askCluster, certificatesAt, placeOf } from './ask-cluster.ts'
import { askPart, askPlan } from './ask-part.ts'
import type { FromFleet, ToFleet } from './thread-messages.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')

port.on('message', ({ id, ask }: ToFleet) => {
  void answer(ask).then((answered) => port.postMessage({ id, ...answered } satisfies FromFleet))
})

async function answer(ask: ToFleet['ask']): Promise<Omit<FromFleet, 'id'>> {
  if (ask.kind === 'status') return { told: await askCluster(ask.target) }
  if (ask.kind === 'part') return { part: await askPart(ask.target, ask.part) }
  if (ask.kind === 'plan') return { plan: await askPlan(ask.target, ask.file) }
  const place = placeOf(ask.address)
  if (place === undefined) return { error: 'the address cannot be read' }
  return await certificatesAt(place).then(
    (chain) => ({ chain }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  )
}
