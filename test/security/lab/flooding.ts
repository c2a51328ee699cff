/** A stranger who opens connections as fast as it can, from outside of the cluster. */
import { join } from 'node:path'
import type { Lab } from '../../nodes/lab/lab.ts'
import { run } from '../../nodes/lab/network.ts'

const flooders = 3

/** How many connections the stranger has begun in a second. */
export async function flood(
  lab: Lab,
  at: { readonly node: string; readonly port: number; readonly atOnce: number; readonly seconds: number },
): Promise<number> {
  const program = [
    'python3',
    join(import.meta.dirname, '..', 'flooder.py'),
    lab.network.address(at.node),
    String(at.port),
    String(at.seconds),
    String(at.atOnce),
  ]
  const one = (): Promise<string> => run('ip', 'netns', 'exec', lab.network.clientSpace, ...program)
  const made = await Promise.all(Array.from({ length: flooders }, one))
  return Math.round(made.reduce((sum, text) => sum + Number(text), 0) / at.seconds)
}
