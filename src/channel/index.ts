/**
 * gRPC channels that do not wait for ever. A host that was frozen and then lost its power has accepted a connection that nobody will answer:
 * grpc-js has no limit on how long TCP, TLS and HTTP/2 may take, and every call waits behind that one attempt.
 */
export { currentCredentials } from './current-credentials.ts'
export { FreshClient } from './fresh-client.ts'
