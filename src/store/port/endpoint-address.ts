/** `host:port`, and the name that the certificate there must be made out to where that is not the host. */
export type EndpointAddress = string | { readonly address: string; readonly serverName: string }
