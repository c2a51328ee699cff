// The discovery thread in a process of its own, so that its processor time can be read: what `bench/services.ts` tells it goes to the thread.
import { Worker } from 'node:worker_threads'

const worker = new Worker(new URL('../dist/discovery.mjs', import.meta.url))
worker.on('error', (error) => {
  throw error
})
process.on('message', (message) => {
  if (message.kind !== 'cpu') {
    worker.postMessage(message)
    return
  }
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000, rssMiB: Math.round(process.memoryUsage.rss() / 1024 / 1024) })
})
process.on('disconnect', () => process.exit(0))
