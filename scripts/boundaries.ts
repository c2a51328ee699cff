/**
 * `npm run boundaries -- [--nodes 5] [--done FILE] [--logs FOLDER] [--from n2/releasing] [--minutes 10] [--single] [-t PATTERN]`: rollouts that lose somebody at every boundary between their steps, in parts.
 * Cases that have passed are noted in FILE with what they took, and left out the next time; FOLDER gets the logs of the daemons where one fails. After `--minutes` nothing more begins.
 * With five nodes a rollout is struck as often as it can be, but for the cases whose rollout one strike ends (`abort`) or that wait in the middle of a command; `--single`: once each.
 */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    done: { type: 'string', default: '' },
    logs: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
    minutes: { type: 'string' },
    single: { type: 'boolean', default: false },
    t: { type: 'string', short: 't' },
  },
})
if (values.nodes !== '3' && values.nodes !== '5') throw new Error('--nodes is 3 or 5.')
const minutes = Number(values.minutes ?? Number.POSITIVE_INFINITY)
if (!(minutes > 0)) throw new Error('--minutes is a number above 0.')
const env = {
  ...process.env,
  BOUNDARY_NODES: values.nodes,
  BOUNDARY_FROM: values.from,
  BOUNDARY_SINGLE: values.single ? 'yes' : '',
  BOUNDARY_UNTIL: Number.isFinite(minutes) ? String(Date.now() + minutes * 60_000) : '',
  BOUNDARY_DONE: values.done === '' ? '' : resolve(values.done),
  BOUNDARY_LOGS: values.logs === '' ? '' : resolve(values.logs),
}
const pattern = values.t === undefined ? [] : ['-t', values.t]
const words = ['vitest', 'run', '--project', 'rollout', 'test/rollouts-e2e/boundaries.test.ts', ...pattern]
const child = spawn('npx', words, { env, stdio: 'inherit' })
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
