import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { deviceDigests } from '../../../src/scheduler/actions/draft/device-digests.ts'
import { settingOf } from '../../../src/scheduler/actions/draft/setting.ts'
import { meta, place } from '../assignment/small-cluster.ts'

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

const parameters = (pairs: Readonly<Record<string, string>>): string =>
  `<instance_attributes id="key-p">${Object.entries(pairs)
    .map(([name, value]) => `<nvpair id="key-p-${name}" name="${name}" value="${value}"/>`)
    .join('')}</instance_attributes>`

/** What a node is told of one device with these parameters, when it remembers these digests. */
function digests(pairs: Readonly<Record<string, string>>, remembered: Readonly<Record<string, string>> = {}) {
  const device = `<primitive id="key" class="stonith" type="fence_x">${parameters(pairs)}${meta('key', { provides: 'unfencing' })}</primitive>`
  const { status, assignment } = place({ nodes: ['n1'], resources: device, attributes: { n1: remembered } })
  const setting = settingOf({ status, assignment, md5, isSanitized: false })
  const [node] = setting.nodeList
  if (!node) throw new Error('the cluster of this test has a node')
  return deviceDigests(setting, node)
}

const today = digests({ port: '7', passwd: 'old' })

const cases: readonly {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
  readonly remembered: Readonly<Record<string, string>>
  readonly isOutdated: boolean
}[] = [
  {
    name: 'a node that remembers nothing is not unfenced again',
    parameters: { port: '8' },
    remembered: {},
    isOutdated: false,
  },
  {
    name: 'a device that is the same is no reason',
    parameters: { port: '7', passwd: 'old' },
    remembered: { '#digests-all': today.all },
    isOutdated: false,
  },
  {
    name: 'a device with another parameter is one',
    parameters: { port: '8', passwd: 'old' },
    remembered: { '#digests-all': today.all, '#digests-secure': today.secure },
    isOutdated: true,
  },
  {
    name: 'a new password is none',
    parameters: { port: '7', passwd: 'new' },
    remembered: { '#digests-all': today.all, '#digests-secure': today.secure },
    isOutdated: false,
  },
]

for (const { name, parameters: pairs, remembered, isOutdated } of cases) {
  test(name, () => expect(digests(pairs, remembered).isOutdated).toBe(isOutdated))
}

test('a digest names device and agent', () => expect(today.all).toMatch(/^key:fence_x:[0-9a-f]{32},$/))
