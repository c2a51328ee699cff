/** The HTTPS API of this node: closed until it is enabled. */
import type { ConsoleStatus } from '../../../rpc/index.ts'
import { type Command, done, Refusal } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { expectWords } from '../../grammar/words.ts'

export const consoleEnable: Command = {
  path: ['console', 'enable'],
  usage: '[--port=<port>]',
  summary: 'Open the console and the HTTPS API of this node, for other hosts, too',
  details:
    'The console is a page for browsers; it and the API listen on the addresses of this node in the list of nodes, and show the certificate of this node. Clients need a token (`systole token create`), or log in as a member of the group haclient with the password of this host. /live, /ready and /resource/ID/active answer without one. On a witness both answer by a node, where they must be open as well.',
  examples: ['systole console enable', 'systole console enable --port=8443'],
  flags: [{ name: 'port', value: 'port', summary: 'The TCP port (default 7705)' }],
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'console enable [--port=<port>]' })
    const said = call.flags.get('port')
    const port = typeof said === 'string' ? Number(said) : undefined
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
      throw new Refusal(`'${String(said)}' is not a port. Specify a number from 1 to 65535.`)
    const status = await liveCluster(call).changeConsole({ enabled: true, ...(port === undefined ? {} : { port }) })
    if (!status.running)
      return done(`The HTTPS API is enabled, but does not run yet. ${status.trouble ?? ''}\n`, status, 1)
    const lines = [
      'The HTTPS API of this node is open to every host that can reach it:',
      ...urls(status).map((url) => `  ${url}`),
      ...(status.certificate === undefined
        ? ['Clients check its certificate with authority.crt of /etc/systole/pki.', ...shownLines(status)]
        : ['It shows a certificate of your own:', ...certificateLines(status)]),
      'Without a token it answers /live, /ready, /resource/ID/active and /api/openapi.json.',
      'Members of the group haclient, and users whom the ACLs name, log in with their passwords on this host.',
      'Create a token: systole token create <name> --role=<role>',
      ...(status.trouble === undefined ? [] : [`Warning: ${status.trouble}`]),
    ]
    return done(`${lines.join('\n')}\n`, status)
  },
}

export const consoleDisable: Command = {
  path: ['console', 'disable'],
  usage: '',
  summary: 'Close the HTTPS API of this node',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'console disable' })
    const live = liveCluster(call)
    const { enabled } = await live.getConsole({})
    if (!enabled)
      return done('Nothing to change: the HTTPS API of this node is not enabled.\n', await live.getConsole({}))
    const status = await live.changeConsole({ enabled: false })
    return done('The HTTPS API of this node is closed. Its tokens stay: `systole token list` lists them.\n', status)
  },
}

export const consoleStatus: Command = {
  path: ['console', 'status'],
  usage: '',
  summary: 'Show whether the HTTPS API of this node is open, and where',
  run: async (call) => {
    expectWords(call.words, { atLeast: 0, atMost: 0, usage: 'console status' })
    const status = await liveCluster(call).getConsole({})
    if (!status.enabled)
      return done('The HTTPS API of this node is closed. `systole console enable` opens it.\n', status)
    const state = status.running
      ? ['The HTTPS API of this node is open:', ...urls(status).map((url) => `  ${url}`)]
      : []
    const trouble = status.trouble === undefined ? [] : [status.trouble]
    const open = [...state, ...trouble]
    const lines = open.length === 0 ? ['The HTTPS API of this node is starting.'] : open
    return done(`${[...lines, ...shownLines(status)].join('\n')}\n`, status)
  },
}

/** By which of them clients trust it. */
function shownLines(status: ConsoleStatus): readonly string[] {
  if (status.certificate !== undefined) return ['It shows a certificate of your own:', ...certificateLines(status)]
  const warnings = status.warnings.map((warning) => `Warning: ${warning}`)
  if (status.authorityFingerprint === undefined) return warnings
  return [
    `It shows a certificate of the cluster’s authority; the authority’s SHA-256 is`,
    `  ${status.authorityFingerprint}`,
    ...warnings,
  ]
}

export const certificateLines = ({ certificate, fingerprint = '', warnings }: ConsoleStatus): readonly string[] =>
  certificate === undefined
    ? []
    : [
        `  ${certificate.subject}, signed by ${certificate.issuer}`,
        `  for ${certificate.names.join(', ')}, until ${certificate.validUntil}`,
        `  SHA-256 ${fingerprint}`,
        ...certificate.files.map((file) => `  ${file}`),
        ...warnings.map((warning) => `Warning: ${warning}`),
      ]

/** `::1:7705` has its address in brackets in a URL. */
const urls = ({ addresses }: ConsoleStatus): readonly string[] =>
  addresses.map((at) => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(at) ?? []
    return `https://${host.includes(':') ? `[${host}]` : host}:${port}/`
  })
