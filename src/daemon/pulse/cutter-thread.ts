/** Runs `ss` for the pulse thread, which must never wait for a disk. */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { CutConnections, type DeadEnd } from './cut-connections.ts'

const port = defined(parentPort ?? undefined, 'the port to the pulse thread')
const cuts = new CutConnections((error) => port.postMessage(error))
port.on('message', (ends: readonly DeadEnd[]) => cuts.set(ends))
