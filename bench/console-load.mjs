/** Outside of the cluster: streams that stay open, and requests at a rate, whether or not they are answered. Prints what became of them. */
import { Agent, request } from 'node:https'

const [address, tokens, streams, rate, seconds, from] = process.argv.slice(2)
const keys = tokens.split(',')
// A server takes some connections of each address only.
const hosts = from.split(',')
const agents = hosts.map(
  (localAddress) => new Agent({ keepAlive: true, maxSockets: 8, localAddress, rejectUnauthorized: false }),
)
const counts = { streams: 0, events: 0, sent: 0, good: 0, busy: 0, other: 0 }
const times = []

/** Again where it is put off: what counts is how many are open. */
const open = (key, localAddress) => {
  const again = () => setTimeout(() => open(key, localAddress), 250)
  request(
    `${address}/api/v1/events`,
    { agent: false, localAddress, rejectUnauthorized: false, headers: { authorization: `Bearer ${key}` } },
    (response) => {
      if (response.statusCode !== 200) {
        response.resume()
        again()
        return
      }
      counts.streams += 1
      response.on('data', () => (counts.events += 1))
      response.on('close', () => (counts.streams -= 1))
    },
  )
    .on('error', again)
    .end()
}

const ask = () => {
  const begun = performance.now()
  const { length } = keys
  counts.sent += 1
  request(
    `${address}/api/v1/status`,
    { agent: agents[counts.sent % agents.length], headers: { authorization: `Bearer ${keys[counts.sent % length]}` } },
    (response) => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode === 200) {
          counts.good += 1
          times.push(performance.now() - begun)
        } else if (response.statusCode === 429 || response.statusCode === 503) counts.busy += 1
        else counts.other += 1
      })
    },
  )
    .on('error', () => (counts.other += 1))
    .end()
}

for (let at = 0; at < Number(streams); at += 1) open(keys[at % keys.length], hosts[at % hosts.length])
const deadline = performance.now() + 90_000
while (counts.streams < Number(streams) && performance.now() < deadline) await new Promise((go) => setTimeout(go, 20))
process.stdout.write('ready\n')
const start = performance.now()
while (performance.now() - start < Number(seconds) * 1000) {
  const due = Math.floor(((performance.now() - start) * Number(rate)) / 1000)
  // A client that falls behind asks no more at once than the server takes.
  for (let burst = 0; counts.sent < due && burst < 64; burst += 1) ask()
  await new Promise((go) => setTimeout(go, 2))
}
times.sort((a, b) => a - b)
process.stdout.write(`${JSON.stringify({ ...counts, medianMs: times[Math.floor(times.length / 2)] ?? null })}\n`)
process.exit(0)
