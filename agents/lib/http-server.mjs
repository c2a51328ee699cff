// The server of ocf:systole:http: answers every request with the name of its node.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { parseArgs } from 'node:util'

const option = { type: 'string', default: '' }
const { values } = parseArgs({ options: { state: option, port: option, address: option, node: option, text: option } })
let { text } = values

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text === '' ? '' : `${text} `}${values.node}\n`)
})
server.on('error', (error) => {
  console.error(error.message)
  process.exit(1)
})
server.listen(Number(values.port), values.address, () => {
  // In one step, so that nobody reads half a number.
  writeFileSync(`${values.state}.new`, `${process.pid}\n`)
  renameSync(`${values.state}.new`, values.state)
})

process.on('SIGHUP', () => {
  text = readFileSync(`${values.state}.text`, 'utf8')
  rmSync(`${values.state}.text`)
})
process.on('SIGTERM', () => process.exit(0))
