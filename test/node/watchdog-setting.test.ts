/** Which watchdog a node feeds, and which of SBD's disks it reads, as the configuration says. */
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { parseXml, readConfiguration } from '../../src/cib/index.ts'
import { watchdogSetting } from '../../src/node/index.ts'

const rows = [
  { name: 'watchdog-device=/dev/w', is: { device: '/dev/w' } },
  { name: 'watchdog-device=/dev/w watchdog-timeout=9s', is: { device: '/dev/w', timeoutMs: 9000 } },
  { name: 'watchdog-device=/dev/w sbd-devices=/dev/a;/dev/b', is: { device: '/dev/w', disks: ['/dev/a', '/dev/b'] } },
  { name: 'watchdog-device=/dev/w sbd-devices=none', is: { device: '/dev/w' } },
  { name: 'watchdog-device=none', is: undefined },
  { name: 'watchdog-timeout=9s', is: undefined },
] as const

test.each(rows)('$name', ({ name, is }) => {
  const pairs = name.split(' ').map((text, at) => {
    const [option = '', value = ''] = text.split('=')
    return `<nvpair id="w${at}" name="${option}" value="${value}"/>`
  })
  expect(settingOf(pairs.join(''))).toEqual(is)
})

function settingOf(pairs: string): ReturnType<typeof watchdogSetting> {
  const cib = parseXml(
    `<cib><configuration><crm_config><cluster_property_set id="o">${pairs}</cluster_property_set></crm_config><nodes><node id="1" uname="n1"/></nodes><resources/><constraints/></configuration><status/></cib>`,
  )
  if (!cib.ok) throw new Error('bad test')
  return watchdogSetting(readConfiguration(cib.value), nodeName('n1'))
}
