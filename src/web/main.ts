/**
 * The process of the HTTPS API. The daemon starts it, says on its standard input what it is to show and where to listen, and reads on its standard output
 * what became of that. Its way to the daemon is the open connection with the number 3; it has none besides, and no rights on the host once it has begun.
 */
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { loadLate } from '../cli/index.ts'
import { connectThrough } from '../rpc/index.ts'
import { readPages } from './console-pages.ts'
import { type Said, Web } from './listen.ts'

interface SaidAtFirst extends Said {
  readonly become?: { readonly uid: number; readonly gid: number }
}

/** Whoever is asked for the daemon's work comes after the daemon. */
const niceness = 5

const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/** It was root to be started; from here on it is nobody, and what it runs is too. */
function giveUpRights(become: NonNullable<SaidAtFirst['become']>): void {
  process.setgroups?.([])
  process.setgid?.(become.gid)
  process.setuid?.(become.uid)
  if (process.getuid?.() === 0 || process.getgroups?.().includes(0) === true)
    throw new Error('This process is still root.')
}

process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`)
  process.exit(1)
})
process.on('SIGTERM', () => process.exit(0))
setPriority(niceness)
// What is loaded later is loaded now: nobody may not be able to read it.
await loadLate()
const clients = await connectThrough(new Socket({ fd: 3, readable: true, writable: true }), () => process.exit(0))
const pages = readPages(join(import.meta.dirname, 'console'))
const web = new Web(clients, (refused) => say({ kind: 'refused', ...refused }), { tell: say, pages })
let hasBegun = false
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const said = JSON.parse(line) as SaidAtFirst
    if (!hasBegun && said.become !== undefined) giveUpRights(said.become)
    hasBegun = true
    web.obey(said)
  })
  // The daemon has gone.
  .on('close', () => process.exit(0))
