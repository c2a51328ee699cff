/** Debian's Firefox by WebDriver BiDi, which it speaks itself: opens each page of the console with a token, and prints what it has seen as JSON. Arguments: address, token, file of the picture. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [address, token, picture] = process.argv.slice(2)
const profile = mkdtempSync(join(tmpdir(), 'systole-firefox-'))
const words = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
const firefox = spawn('firefox-esr', words, {
  stdio: ['ignore', 'ignore', 'pipe'],
  env: { ...process.env, HOME: profile },
})

/** Asks until it is so, for at most half a minute. */
async function until(what, ask) {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await ask()
    if (answer) return answer
    await new Promise((go) => setTimeout(go, 100))
  }
  throw new Error(`${what} has not come`)
}

let said = ''
firefox.stderr.on('data', (part) => {
  said += part
})

async function open() {
  const [, place] = await until('the port of Firefox', () => /WebDriver BiDi listening on (ws:\S+)/.exec(said))
  const socket = new WebSocket(`${place}/session`)
  await new Promise((go, fail) => {
    socket.onopen = go
    socket.onerror = fail
  })
  return socket
}

const troubles = []
const waiting = new Map()
let last = 0

function hear({ data }) {
  const message = JSON.parse(data)
  if (message.method === 'log.entryAdded' && message.params.level === 'error') troubles.push(message.params.text)
  if (message.id !== undefined) waiting.get(message.id)?.(message)
}

async function look(socket) {
  const call = async (method, params) => {
    last += 1
    const answer = await new Promise((go) => {
      waiting.set(last, go)
      socket.send(JSON.stringify({ id: last, method, params }))
    })
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message}`)
    return answer.result
  }
  const { capabilities } = await call('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
  await call('session.subscribe', { events: ['log.entryAdded'] })
  const [{ context }] = (await call('browsingContext.getTree', {})).contexts
  await call('browsingContext.setViewport', { context, viewport: { width: 1440, height: 900 } })
  const evaluate = async (expression) =>
    (await call('script.evaluate', { expression, target: { context }, awaitPromise: true })).result?.value
  await call('browsingContext.navigate', { context, url: `${address}/`, wait: 'complete' })
  await evaluate(`sessionStorage.setItem('systole-token', ${JSON.stringify(token)})`)
  await call('browsingContext.reload', { context, wait: 'complete' })
  await until('the picture', async () => await evaluate(`document.querySelector('li.node') !== null`))
  const nodes = await evaluate(`document.querySelectorAll('li.node').length`)
  writeFileSync(picture, Buffer.from((await call('browsingContext.captureScreenshot', { context })).data, 'base64'))
  const headings = []
  for (const [page, heading] of [
    ['change', 'Change'],
    ['what-if', 'Afterwards'],
    ['then', 'Then'],
  ]) {
    await evaluate(`location.hash = '#/${page}'`)
    const all = `[...document.querySelectorAll('h2, h3')].map((one) => one.textContent)`
    await until(heading, async () => await evaluate(`${all}.includes('${heading}')`))
    headings.push(heading)
  }
  return { browser: capabilities.browserName, version: capabilities.browserVersion, nodes, headings, troubles }
}

let socket
try {
  socket = await open()
  socket.onmessage = hear
  process.stdout.write(`${JSON.stringify(await look(socket))}\n`)
} finally {
  socket?.close()
  const ended = new Promise((go) => firefox.once('exit', go))
  firefox.kill()
  await ended
  rmSync(profile, { recursive: true, force: true })
}
