/** Refuses packed messages before they are unpacked. */
import { ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'

/**
 * Nobody of ours packs a message, and one of a few kilobytes may hold 64 MB. gRPC unpacks before it asks anybody; what it was told of that is with the
 * call alone (`incomingEncoding`, which test/rpc/local.test.ts looks after).
 */
export const uncompressed: ServerInterceptor = (_method, call) =>
  new ServerInterceptingCall(call, {
    start: (next) =>
      next({
        onReceiveMetadata: (metadata, listen) => {
          if (Reflect.get(call, 'incomingEncoding') === 'identity') listen(metadata)
          else call.sendStatus({ code: status.UNIMPLEMENTED, details: 'Compressed messages are not read here.' })
        },
      }),
  })
