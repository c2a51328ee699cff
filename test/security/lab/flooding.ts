/** A stranger who opens connections as fast as it can, from outside of the cluster. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import type { Lab } from '../../nodes/lab/lab.ts'
import { run } from '../../nodes/lab/network.ts'

/** Each takes a processor of this machine, on which the nodes run as well. */
const flooders = Number(process.env.SYSTOLE_FLOODERS ?? 2)

/** How many connections the stranger has begun in a second. */
export async function flood(
  lab: Lab,
  at: { readonly node: string; readonly port: number; readonly atOnce: number; readonly seconds: number },
): Promise<number> {
  const flooder = join(lab.folder, 'flooder')
  if (!existsSync(flooder)) await run('gcc', '-O2', '-o', flooder, join(import.meta.dirname, '..', 'flooder.c'))
  const hello = await clientHello()
  const words = [lab.network.address(at.node), at.port, at.seconds, at.atOnce].map(String)
  const one = async (): Promise<string> => {
    const child = spawn('ip', ['netns', 'exec', lab.network.clientSpace, flooder, ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdin.end(hello)
    return await text(child.stdout)
  }
  const made = await Promise.all(Array.from({ length: flooders }, one))
  return Math.round(made.reduce((sum, count) => sum + Number(count), 0) / at.seconds)
}

/** What begins TLS. */
async function clientHello(): Promise<Buffer> {
  return await new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _, done) => {
        resolve(chunk)
        done()
      },
    })
    connect({ socket, servername: 'n1' }).on('error', () => undefined)
  })
}
