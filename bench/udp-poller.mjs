// The bench's client: asks the virtual address by UDP every 10 ms and prints each answer as `MILLISECONDS NODE`.
// Arguments: address, port. Ends with its standard input.
import { createSocket } from 'node:dgram'

const [address, port] = [process.argv[2], Number(process.argv[3])]
const socket = createSocket('udp4')
// While nobody holds the address the kernel says so: that is what a gap looks like.
socket.on('error', () => undefined)
socket.on('message', (data) => {
  process.stdout.write(`${Date.now()} ${data.toString().split(' ')[1]}\n`)
})
let question = 0
setInterval(() => socket.send(String(question++), port, address, () => undefined), 10)
process.stdin.on('end', () => process.exit(0)).resume()
