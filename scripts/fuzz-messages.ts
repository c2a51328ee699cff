/**
 * `npm run fuzz:messages -- --messages N --seed S`: what a hostile peer may send, to everything that reads messages of peers. It ends with the
 * seed where something threw that would have ended a daemon, and where more is kept after all messages than after the first tenth.
 */
import { growthOf, liveBytes, mostGrowth } from '../test/fuzz/messages/live-memory.ts'
import { protocols } from '../test/fuzz/messages/protocols.ts'
import { createRandom } from '../test/fuzz/random.ts'
import { readOptions, refuse, wholeNumber } from './arguments.ts'

const values = readOptions({
  messages: { type: 'string', default: '100000' },
  seed: { type: 'string', default: '1' },
  protocol: { type: 'string', default: '' },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run fuzz:messages -- [--messages N] [--seed S]   how many of each protocol, from which seed on
  --protocol TEXT   only those whose name contains it: ${protocols.map(({ name }) => name).join('; ')}`)
  process.exit(0)
}
const [messages, first] = [wholeNumber('messages', values.messages), wholeNumber('seed', values.seed)]
const chosen = protocols.filter(({ name }) => name.includes(values.protocol))
if (chosen.length === 0) refuse(`No protocol has '${values.protocol}' in its name.`)

/** From one seed: few enough to be sent again. */
const perSeed = 1000

// What a handler leaves behind is found as well.
process.on('unhandledRejection', (error) => {
  console.error('a promise failed and nobody heard of it', error)
  process.exit(1)
})

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)
/** What is compiled and kept from the first tenth on is there for good. */
const measuredAfter = [0.1, 0.2, 0.4, 0.6, 0.8, 1]

for (const { name, feed, begin } of chosen) {
  const begun = performance.now()
  const counts = { accepted: 0, refused: 0 }
  const measured: number[] = []
  for (let sent = 0, seed = first; sent < messages; seed++) {
    const random = createRandom(seed)
    begin?.()
    try {
      for (let at = 0; at < perSeed && sent < messages; at++, sent++) counts[feed(random)]++
    } catch (error) {
      console.error(`${name}: failed with --seed ${seed} --messages ${perSeed}`, error)
      process.exit(1)
    }
    await new Promise((resolve) => setImmediate(resolve))
    while (sent >= messages * (measuredAfter[measured.length] ?? Number.POSITIVE_INFINITY)) measured.push(liveBytes())
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  console.log(
    `${name}: ${messages} messages, ${counts.accepted} understood, ${counts.refused} refused, ${seconds} s; kept in MiB ${measured.map((bytes, at) => `${mebibytes(bytes)} at ${(measuredAfter[at] ?? 1) * 100} %`).join(', ')}`,
  )
  const growth = growthOf([measured[0] ?? 0, ...measured.slice(-3)])
  if (growth > mostGrowth) {
    console.error(`${name}: ${mebibytes(growth)} MiB more are kept after all messages than after the first tenth`)
    process.exit(1)
  }
}
process.exit(0)
