/**
 * `npm run bench:console [-- --seconds N]`: what the console transfers, how soon its first picture is there and a change is seen, in Debian's Chromium on three nodes; and whether 200
 * open streams and 500 requests a second make heartbeats late, beside the same nodes when nobody asks. Fails where a figure that is required is not reached.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { readOptions, wholeNumber } from '../scripts/arguments.ts'
import { openBrowser, openPage, signIn } from '../test/console-e2e/lab/browser.ts'
import { Lab } from '../test/nodes/lab/lab.ts'
import { run } from '../test/nodes/lab/network.ts'

const seconds = wholeNumber('seconds', readOptions({ seconds: { type: 'string', default: '20' } }).seconds)
const nodes = ['n1', 'n2', 'n3']
const runs = 9
const streams = 200
const rate = 500
const required = { transferKb: 300, firstMs: 1000, updateMs: 200 }
/** A server takes some connections of each address only. */
const clients = Array.from({ length: 8 }, (_, at) => `10.83.0.${230 + at}`)
const lab = new Lab(nodes)

const sorted = (of: readonly number[]): readonly number[] => of.toSorted((a, b) => a - b)
const at = (of: readonly number[], part: number): number => sorted(of)[Math.floor(of.length * part)] ?? Number.NaN

interface Opened {
  readonly bytes: number
  readonly firstMs: number
}

/** As in a browser that was never here: bytes of all that is asked for until the first picture, as they come through the network, and the time since the beginning by the browser's own clock. */
async function openedAnew(browser: Browser, token: string): Promise<Opened> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1440, height: 900 } })
  await context.addInitScript((kept) => sessionStorage.setItem('systole-token', kept), token)
  const page = await context.newPage()
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    // The stream of events goes on.
    if (new URL(response.url()).pathname === '/api/v1/events') return
    sizes.push(
      response
        .finished()
        .then(async () => await response.request().sizes())
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
    )
  })
  await page.goto(`${address()}/`, { waitUntil: 'commit' })
  const firstMs = await page.evaluate(
    async () =>
      await new Promise<number>((seen) => {
        const look = (): void => {
          if (document.querySelector('li.node') === null) requestAnimationFrame(look)
          else seen(performance.now())
        }
        look()
      }),
  )
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await context.close()
  return { bytes, firstMs }
}

const address = (): string => `https://${lab.network.address('n1')}:7705`

/** From the moment that the version of the configuration has, to the frame in which the page shows it. */
async function update(page: Page, command: 'maintenance' | 'unmaintenance'): Promise<number> {
  const seen = page.evaluate(
    async (mark) =>
      await new Promise<number>((done) => {
        const look = (): void => {
          const card = [...document.querySelectorAll('li.node')].find((one) => one.textContent?.includes('n3') === true)
          if (card?.classList.contains(mark) === true) done(Date.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
    command === 'maintenance' ? 'is-unmanaged' : 'is-started',
  )
  await lab.systole('n2', 'node', command, 'n3')
  const shownAt = await seen
  const versions = JSON.parse(await lab.systole('n2', 'config', 'history', '--json')) as readonly {
    readonly time: string
  }[]
  return shownAt - Date.parse(versions.at(-1)?.time ?? '')
}

/** The gaps between heartbeats of n1, whose API is asked, as they come to n2: milliseconds. */
async function heartbeats(forSeconds: number): Promise<readonly number[]> {
  const filter = `tcp and src host ${lab.network.address('n1')} and port 7701 and tcp[tcpflags] & tcp-push != 0`
  const words = [
    'netns',
    'exec',
    lab.network.nodeSpace('n2'),
    'tcpdump',
    '-i',
    'any',
    '-nn',
    '-tt',
    '-l',
    '-Q',
    'in',
    filter,
  ]
  const dump = spawn('ip', words, { stdio: ['ignore', 'pipe', 'ignore'] })
  const times: number[] = []
  createInterface({ input: dump.stdout }).on('line', (line) => {
    const time = Number.parseFloat(line)
    if (Number.isFinite(time)) times.push(time * 1000)
  })
  await new Promise((over) => setTimeout(over, forSeconds * 1000))
  dump.kill('SIGTERM')
  await once(dump, 'close')
  // What belongs to one heartbeat comes in several packets.
  const beats = times.filter((time, index) => index === 0 || time - (times[index - 1] ?? 0) > 20)
  return beats.slice(1).map((time, index) => time - (beats[index] ?? 0))
}

interface Load {
  readonly streams: number
  readonly sent: number
  readonly good: number
  readonly busy: number
  readonly other: number
  readonly medianMs: number | null
}

async function underLoad(
  tokens: readonly string[],
): Promise<{ readonly gaps: readonly number[]; readonly load: Load }> {
  const words = [address(), tokens.join(','), streams, rate, seconds + 2, clients.join(',')].map(String)
  const program = [process.execPath, join(import.meta.dirname, 'console-load.mjs'), ...words]
  const child = spawn('ip', ['netns', 'exec', lab.network.clientSpace, ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  const gaps = await heartbeats(seconds)
  const { value } = (await lines.next()) as { readonly value: string }
  return { gaps, load: JSON.parse(value) as Load }
}

const gapsRow = (gaps: readonly number[]): string =>
  `${[0.5, 0.99, 1].map((part) => `${Math.round(part === 1 ? Math.max(...gaps) : at(gaps, part))}`).join(' / ')} ms of ${gaps.length}`

try {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
  await lab.systole('n1', 'console', 'enable')
  const tokens: string[] = []
  for (const name of ['one', 'two', 'three', 'four']) {
    const made = await lab.systole('n1', 'token', 'create', name, '--administrator', '--json')
    tokens.push((JSON.parse(made) as { readonly token: string }).token)
  }
  for (const client of clients)
    await run('ip', '-n', lab.network.clientSpace, 'addr', 'add', `${client}/24`, 'dev', 'eth0')
  const browser = await openBrowser(lab.network.clientSpace)
  try {
    const { page } = await openPage(browser.browser, address())
    await signIn(page, tokens[0] ?? '')
    const opened: Opened[] = []
    const updates: number[] = []
    for (let turn = 0; turn < runs; turn += 1) opened.push(await openedAnew(browser.browser, tokens[0] ?? ''))
    const first = opened.map(({ firstMs }) => firstMs)
    const bytes = Math.max(...opened.map((one) => one.bytes))
    for (let turn = 0; turn < runs; turn += 1)
      updates.push(await update(page, turn % 2 === 0 ? 'maintenance' : 'unmaintenance'))
    const loads = loadavg().map((value) => value.toFixed(1))
    await browser.close()
    const idle = await heartbeats(seconds)
    const { gaps, load } = await underLoad(tokens)
    const { nodes: now, fencing } = await lab.status('n2')
    const isWhole = fencing.length === 0 && now.every(({ online, unclean }) => online && !unclean)
    const rows = [
      [
        'transfer until the first picture, packed, with its answers of the API',
        `${(bytes / 1000).toFixed(1)} kB`,
        `${required.transferKb} kB`,
      ],
      [
        'first picture, median / longest',
        `${Math.round(at(first, 0.5))} / ${Math.round(Math.max(...first))} ms`,
        `${required.firstMs} ms`,
      ],
      [
        'a change of the configuration until it is shown, median / longest',
        `${Math.round(at(updates, 0.5))} / ${Math.round(Math.max(...updates))} ms`,
        `${required.updateMs} ms`,
      ],
      ['gaps between heartbeats, nobody asks: median / 99 % / longest', gapsRow(idle), ''],
      [
        `the same, ${load.streams} open streams and ${Math.round(load.sent / (seconds + 2))} requests a second`,
        gapsRow(gaps),
        'below the token, 1000 ms',
      ],
      [
        'requests that were answered / put off (429, 503) / not answered in time',
        `${load.good} / ${load.busy} / ${load.sent - load.good - load.busy}`,
        '',
      ],
      ['nodes that were suspected or fenced meanwhile', isWhole ? 'none' : 'SOME', 'none'],
    ]
    console.log(`${cpus().length} processors, load ${loads.join(', ')}\n\n| | | required |\n| --- | --- | --- |`)
    for (const row of rows) console.log(`| ${row.join(' | ')} |`)
    const isReached =
      bytes / 1000 < required.transferKb &&
      at(first, 0.5) < required.firstMs &&
      at(updates, 0.5) < required.updateMs &&
      load.streams === streams &&
      Math.max(...gaps) < 1000 &&
      isWhole
    if (!isReached) process.exitCode = 1
  } finally {
    await browser.close()
  }
} finally {
  await lab.close()
}
