/**
 * `npm run sim -- --seeds N --seed S`: runs N simulations from seed S on. A failing seed is printed with its violations;
 * `--seeds 1 --log` replays one with everything that happened. `--changing true`: nodes are added, removed and replaced; `--boots true`: what a node does when it begins takes its time, and copies of the store fall behind; `--disks true`: nodes are fenced through disks of SBD; `--single-loss`: one
 * is, and one machine is lost meanwhile. `--faults power,leave`: only these happen. `--first-failure` ends with the first seed that fails.
 */
import { type SimulationOptions, simulate } from '../test/simulation/world.ts'
import { oneOf, readOptions, wholeNumber } from './arguments.ts'

const values = readOptions({
  seeds: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  log: { type: 'boolean', default: false },
  nodes: { type: 'string' },
  fencing: { type: 'string' },
  watchdogs: { type: 'string' },
  disks: { type: 'string' },
  rich: { type: 'string' },
  witness: { type: 'string' },
  changing: { type: 'string' },
  boots: { type: 'string' },
  'single-loss': { type: 'boolean', default: false },
  faults: { type: 'string' },
  'first-failure': { type: 'boolean', default: false },
})
/** Left to the seed where it is not given. */
const flag = (
  name: 'fencing' | 'watchdogs' | 'disks' | 'rich' | 'witness' | 'changing' | 'boots',
): Partial<SimulationOptions> => {
  const given = oneOf(name, values[name], ['true', 'false'])
  return given === undefined ? {} : { [name]: given === 'true' }
}
/** Nothing but the fence device is there to be relied on. */
const singleLoss = { singleLoss: true, fencing: true, watchdogs: false, rich: false } as const
const given: Omit<SimulationOptions, 'seed'> = {
  keepLog: values.log,
  ...(values.nodes === undefined ? {} : { nodes: wholeNumber('nodes', values.nodes) }),
  ...flag('fencing'),
  ...flag('watchdogs'),
  ...flag('disks'),
  ...flag('rich'),
  ...flag('witness'),
  ...flag('changing'),
  ...flag('boots'),
  ...(values['single-loss'] ? singleLoss : {}),
  ...(values.faults === undefined ? {} : { faults: values.faults.split(',') }),
}
const [first, count] = [wholeNumber('seed', values.seed), wholeNumber('seeds', values.seeds)]
const counted = [
  'faults',
  'starts',
  'promotions',
  'migrations',
  'fencings',
  'fencedByWatchdog',
  'fencedThroughDisks',
  'terms',
  'added',
  'removed',
  'cancelled',
] as const
const totals = Object.fromEntries(counted.map((name) => [name, 0])) as Record<(typeof counted)[number], number>
const failing: number[] = []
const began = performance.now()
let slowestMs = 0
for (let seed = first; seed < first + count; seed++) {
  const report = simulate({ ...given, seed })
  if (values.log) for (const line of report.log) console.log(line)
  for (const name of counted) totals[name] += report.counts[name]
  slowestMs = Math.max(slowestMs, report.settledAfterMs)
  if (report.violations.length === 0) continue
  failing.push(seed)
  for (const { invariant, at, details } of report.violations)
    console.log(`seed ${seed}, ${(at / 1000).toFixed(3)} s: not kept: ${invariant}: ${details}`)
  if (values['first-failure']) break
}
const seconds = ((performance.now() - began) / 1000).toFixed(1)
console.log(
  `${count} seeds in ${seconds} s: ${totals.faults} faults, ${totals.starts} starts, ${totals.promotions} promotions, ` +
    `${totals.migrations} migrations, ${totals.fencings} fencings, ${totals.fencedByWatchdog} by watchdogs, ${totals.fencedThroughDisks} through disks, ${totals.terms} DCs, ` +
    `${totals.added} nodes added, ${totals.removed} removed, ${totals.cancelled} kept; ` +
    `slowest to settle ${(slowestMs / 1000).toFixed(0)} s; failing: ${failing.length === 0 ? 'none' : failing.join(' ')}`,
)
if (failing.length > 0) {
  console.log(`Replay one: npm run sim -- --seeds 1 --seed ${failing[0]} --log`)
  process.exitCode = 1
}
