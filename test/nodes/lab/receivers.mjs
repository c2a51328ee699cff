/** A mail server and a receiver of webhooks outside of the cluster: opened and closed by lines of JSON on standard input, what comes is said on standard output. */
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

const [address, smtpPort, httpPort] = process.argv.slice(2)
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`)
let mail
let status = 200

const http = createServer(async (request, response) => {
  const body = await text(request)
  if (status === 200) say({ kind: 'hook', id: request.headers['webhook-id'], ...JSON.parse(body).data })
  response.writeHead(status).end('not now')
})
http.listen(Number(httpPort), address, () => say({ kind: 'ready' }))

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const asked = JSON.parse(line)
    if (asked.status !== undefined) status = asked.status
    if (asked.mail === true) {
      mail = new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS'],
        logger: false,
        onData: async (stream, _session, done) => {
          const content = await text(stream)
          say({ kind: 'mail', subject: /^Subject: (.*)\r$/m.exec(content)?.[1] ?? content })
          done()
        },
      })
      mail.listen(Number(smtpPort), address)
    }
    say({ kind: 'done' })
  })
  .on('close', () => process.exit(0))
