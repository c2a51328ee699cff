/** In the metadata of calls from the process of the HTTPS API: what a client has shown, and from where. */
export const tokenKey = 'systole-token'
export const fromKey = 'systole-from'

/** What is spoken inside TLS (ALPN) where a witness passes on calls of its HTTPS API: gRPC, of the local API. Its questions of its own are `h2`. */
export const relayProtocol = 'systole-relay'
