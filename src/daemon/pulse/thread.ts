/**
 * The pulse thread begins: its door loads at the same time as what the thread itself needs. A daemon that was killed is fenced unless it is heard
 * within the restart grace, on a busy host as well.
 */
import { workerData } from 'node:worker_threads'
import { Door } from './door.ts'
import type { PulseSetup } from './messages.ts'

const setup = workerData as PulseSetup
const door = new Door({ identity: setup.identity })
const { runPulse } = await import('./pulse-thread.ts')
runPulse(setup, door)
