/**
 * An HTTP server for the tests of agents: stand-in.mjs PORT FILE. Every answer is what FILE, a JSON object, says for the path:
 * `{"/": {"code": 300}, "/v3/auth/tokens": {"code": 201, "token": "t"}, "/services": {"body": {…}}}`; a path that is not there is 404.
 * `"hang": true` leaves every question without an answer. It leaves a child behind when it ends.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, file] = process.argv.slice(2)
spawn('sleep', ['600'], { stdio: 'ignore' })
const server = createServer((request, response) => {
  const answers = JSON.parse(readFileSync(file, 'utf8'))
  if (answers.hang) return
  const { code = 200, token, body = {}, wants } = answers[request.url.split('?')[0]] ?? { code: 404 }
  const allowed = wants === undefined || request.headers['x-auth-token'] === wants
  response.writeHead(allowed ? code : 401, token === undefined ? {} : { 'X-Subject-Token': token })
  response.end(JSON.stringify(body, undefined, 1))
})
server.listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
