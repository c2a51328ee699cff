/**
 * `npm run boundaries -- [--nodes 5] [--done FILE] [--logs FOLDER] [--from n2/releasing] [-t PATTERN]`: rollouts that lose somebody at every boundary between their steps, in parts.
 * Cases that have passed are noted in FILE with what they took, and left out the next time; FOLDER gets the logs of the daemons where one fails. All with five nodes are 600 of a minute each.
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
    t: { type: 'string', short: 't' },
  },
})
if (values.nodes !== '3' && values.nodes !== '5') throw new Error('--nodes is 3 or 5.')
const env = {
  ...process.env,
  BOUNDARY_NODES: values.nodes,
  BOUNDARY_FROM: values.from,
  BOUNDARY_DONE: values.done === '' ? '' : resolve(values.done),
  BOUNDARY_LOGS: values.logs === '' ? '' : resolve(values.logs),
}
const pattern = values.t === undefined ? [] : ['-t', values.t]
const words = ['vitest', 'run', '--project', 'rollout', 'test/rollouts-e2e/boundaries.test.ts', ...pattern]
const child = spawn('npx', words, { env, stdio: 'inherit' })
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})
