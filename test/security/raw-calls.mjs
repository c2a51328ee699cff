// Calls methods of the local API by their paths, with empty or given messages, as any program may: prints what came of each as JSON.
// Arguments: the folder of packages, the socket, then each path with its message in base64 behind an equals sign.
import { createRequire } from 'node:module'

const [packages, socket, ...calls] = process.argv.slice(2)
const { Client, credentials } = createRequire(`${packages}/x.js`)('@grpc/grpc-js')
const client = new Client(`unix:${socket}`, credentials.createInsecure())
const plain = (bytes) => bytes

for (const call of calls) {
  const [path, message = ''] = call.split('=', 2)
  const outcome = await new Promise((resolve) => {
    const end = (value) => resolve(value)
    if (path.endsWith('/WatchState')) {
      const stream = client.makeServerStreamRequest(path, plain, plain, Buffer.from(message, 'base64'))
      stream.on('data', (bytes) => {
        end({ answer: bytes.toString('latin1') })
        stream.cancel()
      })
      stream.on('error', ({ code, details }) => end({ code, details }))
      return
    }
    client.makeUnaryRequest(path, plain, plain, Buffer.from(message, 'base64'), (error, bytes) =>
      end(error ? { code: error.code, details: error.details } : { answer: bytes.toString('latin1') }),
    )
  })
  console.log(JSON.stringify({ path, ...outcome }))
}
client.close()
