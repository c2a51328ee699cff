import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resourceId } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { type ClusterView, emptyView } from '../../src/controller/index.ts'
import { pathsBelow } from '../../src/daemon/host/paths.ts'
import type { WithAuthority } from '../../src/daemon/pki/authority.ts'
import { writeIdentity } from '../../src/daemon/pki/identity.ts'
import { bundleContainers } from '../../src/daemon/remote/bundle-containers.ts'
import type { AgentCall, AgentRunner } from '../../src/resource-agents/index.ts'
import { createAuthority, createNodeCertificate } from '../../src/rpc/index.ts'
import { connectedNodeNames } from '../../src/status/index.ts'
import { createStore } from '../../src/store/index.ts'

const document = parseXml(`<cib><configuration><crm_config/><nodes/><resources>
  <bundle id="web"><podman image="i" replicas="2"/><primitive id="httpd" class="ocf" provider="heartbeat" type="apache"/></bundle>
  <bundle id="plain"><podman image="i"/></bundle>
  <primitive id="east" class="ocf" provider="pacemaker" type="remote"/>
  <primitive id="vm" class="ocf" provider="heartbeat" type="VirtualDomain"><meta_attributes id="m"><nvpair id="n" name="remote-node" value="guest"/></meta_attributes></primitive>
</resources><constraints/></configuration><status/></cib>`)
if (!document.ok) throw new Error('the CIB is not well-formed')
const configuration = readConfiguration(document.value)
const view: ClusterView = { ...emptyView, configuration: { version: 1, cib: document.value, typed: configuration } }

const root = mkdtempSync(join(tmpdir(), 'systole-bundles-'))
const paths = pathsBelow(root)

const authority = createAuthority('testing')

beforeAll(async () => {
  const founder = await authority
  writeIdentity(paths.pki, founder, await createNodeCertificate(founder, { name: 'n1', addresses: [] }))
})

afterAll(() => rmSync(root, { recursive: true }))

test('remote nodes, guest nodes and the replicas of bundles that hold a resource are connected nodes', () => {
  expect(connectedNodeNames(configuration)).toEqual(['east', 'guest', 'web-0', 'web-1'])
})

describe('a container', () => {
  const calls: AgentCall[] = []
  const agents: AgentRunner = {
    run(call) {
      calls.push(call)
      const outcome = { status: 'done', exitCode: 0, output: '', execTimeMs: 1 } as const
      return { finished: Promise.resolve(outcome), kill: () => undefined }
    },
  }
  const store = createStore({ kind: 'embedded', directory: join(root, 'store') })
  afterAll(async () => await store.close())
  const ports = { paths, view: () => view, store: () => store }
  const none: WithAuthority = () => Promise.reject(new Error('too few members answer'))
  const runner = bundleContainers(agents, { ...ports, withAuthority: async (use) => await use(await authority) })
  const options = ' -e PCMK_remote_port=3121 -v /etc/pacemaker/authkey:/etc/pacemaker/authkey -v /a:/b '
  const callOf = (resource: string, operation: string): AgentCall => {
    const attributes = { image: 'i', run_opts: options, run_cmd: '/usr/sbin/pacemaker-remoted' }
    const agent = { class: 'ocf', provider: 'heartbeat', type: 'podman' } as const
    return { agent, resource: resourceId(resource), operation, attributes, timeoutMs: 1000 }
  }
  const perform = async (resource: string, operation: string) => {
    calls.length = 0
    await runner.run(callOf(resource, operation)).finished
    return calls[0]?.attributes
  }
  const folder = join(paths.data, 'bundles/web-1')
  const certificate = () => readFileSync(join(folder, 'node.crt'), 'utf8')

  test('of a bundle that holds a resource starts with a certificate of its node, and our daemon', async () => {
    expect(await perform('web-podman-1', 'start')).toEqual({
      image: 'i',
      run_opts: ` -e PCMK_remote_port=3121 -v ${folder}:/etc/systole/pki -v /a:/b `,
      run_cmd: 'systoled --remote',
    })
    const { subject, keyUsage } = new X509Certificate(certificate())
    expect(subject).toBe('CN=web-1')
    expect(keyUsage, 'it is good for serving only').toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(statSync(join(folder, 'node.key')).mode & 0o777).toBe(0o600)
    expect(() => statSync(join(folder, 'authority.key')), 'the key of the authority stays outside').toThrow('ENOENT')
  })

  test('gets a new certificate at its next start, and none while it runs', async () => {
    const before = certificate()
    await perform('web-podman-1', 'monitor')
    expect(certificate()).toBe(before)
    await perform('web-podman-1', 'start')
    expect(certificate()).not.toBe(before)
  })

  test('whose certificate nobody can sign now starts with its last one', async () => {
    await perform('web-podman-1', 'start')
    const before = certificate()
    const elsewhere = {
      ...ports,
      paths: { ...pathsBelow(join(root, 'elsewhere')), pki: paths.pki },
      withAuthority: none,
    }
    await bundleContainers(agents, elsewhere).run(callOf('web-podman-1', 'start')).finished
    expect(readFileSync(join(root, 'elsewhere/var/lib/systole/bundles/web-1/node.crt'), 'utf8')).toBe(before)
  })

  test('that is not wanted any more before it has its certificate is not started', async () => {
    calls.length = 0
    const running = runner.run(callOf('web-podman-1', 'start'))
    running.kill()
    expect(await running.finished).toMatchObject({ status: 'cancelled', exitReason: 'start was interrupted' })
    expect(calls).toEqual([])
  })

  test('whose certificate cannot be made fails to start, and says why', async () => {
    calls.length = 0
    const without = bundleContainers(agents, { ...ports, withAuthority: none })
    const outcome = await without.run(callOf('web-podman-0', 'start')).finished
    expect(outcome).toMatchObject({ status: 'error', exitCode: 1 })
    expect(outcome.exitReason).toContain('its daemon has no certificate')
    expect(calls).toEqual([])
  })

  test('of a bundle without a resource, and everything else, is left as it is', async () => {
    for (const resource of ['plain-podman-0', 'vm'])
      expect(await perform(resource, 'start')).toMatchObject({
        run_opts: options,
        run_cmd: '/usr/sbin/pacemaker-remoted',
      })
  })
})
