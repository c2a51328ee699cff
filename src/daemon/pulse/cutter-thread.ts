/** Runs `ss` for the pulse thread, which must never wait for a disk. */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { CutConnections, type DeadEnd } from './cut-connections.ts'
import type { FromCutter } from './cutter.ts'
import { whyConnectionsStay } from './why-connections-stay.ts'

const port = defined(parentPort ?? undefined, 'the port to the pulse thread')
const tell = (message: FromCutter): void => port.postMessage(message)
const cuts = new CutConnections((error) => tell({ kind: 'connections-kept', error }))
port.on('message', (ends: readonly DeadEnd[]) => cuts.set(ends))
// A kernel may have been changed since the link was added.
const why = await whyConnectionsStay()
if (why !== undefined) tell({ kind: 'connections-stay', why })
