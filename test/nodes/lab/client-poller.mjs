// The client outside: asks the virtual address again and again and prints a line of JSON for each answer or failure.
// Arguments: URL, milliseconds between questions, milliseconds until an answer counts as missing. Ends with its standard input.
import http from 'node:http'

const [url, intervalMs, patienceMs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
process.stdin.on('end', () => process.exit(0)).resume()

function ask() {
  const asked = Date.now()
  const report = (facts) => process.stdout.write(`${JSON.stringify({ asked, answered: Date.now(), ...facts })}\n`)
  const request = http.get(url, { agent: false, timeout: patienceMs }, (response) => {
    let body = ''
    response.setEncoding('utf8')
    response.on('data', (data) => {
      body += data
    })
    response.on('end', () => report({ ok: response.statusCode === 200, body: body.trim() }))
    response.on('error', (error) => report({ ok: false, error: error.message }))
  })
  request.on('timeout', () => request.destroy(new Error('timeout')))
  request.on('error', (error) => report({ ok: false, error: error.message }))
}

setInterval(ask, intervalMs)
