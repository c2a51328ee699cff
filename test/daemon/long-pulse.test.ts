import { afterEach, expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { Links } from '../../src/daemon/pulse/links.ts'
import { createAuthority, createNodeCertificate, servePulses, type TlsIdentity } from '../../src/rpc/index.ts'

const [alpha, beta] = [nodeName('alpha'), nodeName('beta')]
const ignore = (): void => undefined
const opened: { readonly close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

async function identities(): Promise<readonly [TlsIdentity, TlsIdentity]> {
  const authority = await createAuthority('testing')
  const identityOf = async (name: string): Promise<TlsIdentity> => {
    const { certificate, key } = await createNodeCertificate(authority, { name, addresses: ['127.0.0.1'] })
    return { certificate, key, authority: authority.certificate }
  }
  return [await identityOf(alpha), await identityOf(beta)]
}

test('the first pulse of each connection is a long one, so that a link which only short packets pass is never heard', async () => {
  const [ofAlpha, ofBeta] = await identities()
  const heard: number[] = []
  const listen = async (port: number) => {
    const listener = {
      isPeer: () => true,
      onPulse: ({ padding }: { padding: string }) => heard.push(padding.length),
      onBroken: ignore,
      onBadMessage: ignore,
    }
    const server = await servePulses({ host: '127.0.0.1', port, identity: ofAlpha }, listener)
    opened.push(server)
    return server
  }
  const links = new Links(
    beta,
    ofBeta,
    {
      onPulse: ignore,
      onNotListening: ignore,
      onConnectionFailed: ignore,
      onBadMessage: ignore,
    },
    () => true,
  )
  opened.push(links)
  const beatUntilHeard = async (pulses: number): Promise<void> => {
    await expect
      .poll(() => {
        links.send([alpha], { node: beta, incarnation: 1, sequence: 1, silent: [] }, [])
        return heard.length
      })
      .toBeGreaterThanOrEqual(pulses)
  }
  const first = await listen(0)
  links.connect([{ node: alpha, link: 0, host: '127.0.0.1', port: first.port, from: '127.0.0.1', connections: [] }])
  await beatUntilHeard(3)
  expect(heard[0]).toBe(9000)
  expect(heard).toContain(0)
  heard.length = 0
  await first.close()
  await listen(first.port)
  await beatUntilHeard(2)
  expect(heard[0]).toBe(9000)
})
