/** Whom a daemon calls: the holder of a key that the list of nodes knows, once that list is the store's. */
import { afterEach, beforeAll, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { type ClusterFile, parseClusterFile } from '../../src/daemon/node-list/cluster-file.ts'
import { Peers } from '../../src/daemon/peers/peers.ts'
import {
  createAuthority,
  createNodeCertificate,
  keyOf,
  nodeService,
  serveTcp,
  type TlsIdentity,
} from '../../src/rpc/index.ts'

let alpha: TlsIdentity
let beta: TlsIdentity
const closing: (() => unknown)[] = []

beforeAll(async () => {
  const authority = await createAuthority('testing')
  const identityOf = async (name: string): Promise<TlsIdentity> => ({
    ...(await createNodeCertificate(authority, { name, addresses: ['127.0.0.1'] })),
    authority: authority.certificate,
  })
  alpha = await identityOf('alpha')
  beta = await identityOf('beta')
})

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function calls(keys: readonly string[] | undefined, isCurrent: boolean): Promise<string> {
  const server = await serveTcp(
    { host: '127.0.0.1', port: 0, identity: alpha, admit: async () => undefined },
    [{ service: nodeService, handlers: { getClusterFile: async () => ({ json: 'answered', quorate: true }) } }],
    () => undefined,
  )
  closing.push(server.close)
  const nodes = [
    { name: 'alpha', address: '127.0.0.1', ports: { peer: server.port }, ...(keys && { keys }) },
    { name: 'beta' },
  ]
  const parsed = parseClusterFile(JSON.stringify({ clusterName: 'prod', nodes }))
  if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join())
  const file: ClusterFile = parsed.value
  const peers = new Peers(file, {
    identity: () => beta,
    reach: ({ address }) => address,
    lifeOf: () => undefined,
    isCurrent: () => isCurrent,
  })
  closing.push(() => peers.close())
  return await peers
    .to(nodeName('alpha'))
    .getClusterFile({}, { timeoutMs: 1500 })
    .then(
      ({ json }) => json,
      () => 'refused',
    )
}

for (const { what, known, isCurrent, becomes } of [
  { what: 'its key', known: 'own', isCurrent: true, becomes: 'answered' },
  { what: 'another key', known: 'other', isCurrent: true, becomes: 'refused' },
  { what: 'no key, in a list of an older build', known: 'none', isCurrent: true, becomes: 'answered' },
  {
    what: 'another key, in a list that may be old, for this node was away',
    known: 'other',
    isCurrent: false,
    becomes: 'answered',
  },
] as const)
  test(`a peer that is known by ${what} is ${becomes === 'answered' ? 'called' : 'not called'}`, async () => {
    const keys = { own: [keyOf(alpha.certificate)], other: [keyOf(beta.certificate)], none: undefined }[known]
    expect(await calls(keys, isCurrent)).toBe(becomes)
  })
