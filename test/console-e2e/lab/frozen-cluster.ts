/** The real HTTPS server and commands on a cluster that stands still: a CIB, and what a daemon says beside it. For pictures of more nodes than a lab has. */
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import type { JournalEvent } from '../../../src/journal/index.ts'
import {
  type ClusterState,
  createAuthority,
  createNodeCertificate,
  type LocalClient,
  refuse,
} from '../../../src/rpc/index.ts'
import { readPages } from '../../../src/web/console-pages.ts'
import { Web } from '../../../src/web/listen.ts'

export const frozenToken = 'systole_frozen'

export interface FrozenCluster {
  readonly address: string
  readonly close: () => Promise<void>
}

export async function serveFrozen(
  xml: string,
  state: Partial<ClusterState> & Pick<ClusterState, 'members'>,
  journal: readonly JournalEvent[] = [],
  clients?: { readonly authorities: readonly string[]; readonly open: LocalClient['openCertificate'] },
): Promise<FrozenCluster> {
  const votes = state.members.length
  const whole: ClusterState = {
    configured: true,
    started: true,
    clusterName: 'frozen',
    localNode: state.members[0]?.node ?? '',
    quorate: true,
    votes: { present: votes, expected: votes, needed: Math.floor(votes / 2) + 1 },
    transition: { state: 'idle', number: 1, computedVersion: 1, pending: [], blockedBy: [], blockedResources: [] },
    fencing: [],
    store: { kind: 'etcd', healthy: true },
    configVersion: 1,
    revision: 1,
    notes: [],
    enabled: true,
    ...state,
  }
  const entry = {
    version: 1,
    time: '2026-11-27T02:00:00.000Z',
    node: 'node-01',
    user: 'root',
    command: 'cluster setup',
  }
  const daemon = {
    whoAmI: async () => await Promise.resolve({ user: 'token:frozen', limited: false }),
    getCib: async () => await Promise.resolve({ xml, version: 1 }),
    getState: async () => await Promise.resolve(whole),
    readJournal: async () =>
      await Promise.resolve({ lines: journal.map((event) => JSON.stringify(event)).join('\n'), missing: [] }),
    listConfigVersions: async () => await Promise.resolve({ versions: [entry] }),
    getConfigVersion: async () => await Promise.resolve({ found: true, entry, xml }),
    watchState: async (_: unknown, __: unknown, { signal }: { readonly signal: AbortSignal }) =>
      await new Promise<void>((end) => signal.addEventListener('abort', () => end())),
    close: () => undefined,
  } as unknown as LocalClient
  const authority = await createAuthority('frozen')
  const host = '127.0.0.1'
  const own = await createNodeCertificate(authority, { name: 'frozen', addresses: [host] })
  const port = await freePort(host)
  const pages = readPages(join(resolve(import.meta.dirname, '../../..'), 'dist/console'))
  return await new Promise((begun) => {
    const web = new Web(
      ({ token }) => {
        if (token === '' && clients) return { ...daemon, openCertificate: clients.open }
        if (token !== frozenToken) throw refuse('unknown-token', 'This token is not known or has expired.')
        return daemon
      },
      () => undefined,
      { tell: () => begun({ address: `https://${host}:${port}`, close: async () => await web.close() }), pages },
    )
    const clientAuthorities = clients && { clientAuthorities: clients.authorities }
    web.obey({ port, addresses: [host], identity: { ...own, authority: authority.certificate }, ...clientAuthorities })
  })
}

async function freePort(host: string): Promise<number> {
  const server = createServer()
  return await new Promise((found) => {
    server.listen(0, host, () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => found(port))
    })
  })
}
