/** In the metadata of calls from the process of the HTTPS API: what a client has shown, and from where. */
export const tokenKey = 'systole-token'
export const fromKey = 'systole-from'
