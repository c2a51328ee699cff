import { expect, test } from 'vitest'
import { parseDnsSetting, parseIp, printDnsSetting } from '../../src/services/index.ts'
import { parseNetwork } from '../../src/services/ip.ts'

test('DNS is off where nothing is written, and on with its defaults', () => {
  for (const off of ['', ' ', 'off']) expect(parseDnsSetting(off)).toEqual({ ok: true, value: undefined })
  expect(parseDnsSetting('on')).toEqual({
    ok: true,
    value: {
      port: 53,
      listen: ['local', 'node'],
      domain: 'systole',
      ttlSeconds: 5,
      withoutQuorum: 'refuse',
      forward: [],
      clusters: new Map(),
    },
  })
})

const kept = [
  'on',
  'domain=cluster.internal',
  'port=5353 listen=local,10.0.0.100,fd00::1 clients=10.0.0.0/8,fd00::/8',
  'ttl=60s without-quorum=mark forward=10.0.0.53,fd00::53',
  'cluster.east=10.1.0.1,10.1.0.2 cluster.west=10.2.0.1',
]
test.each(kept)('%s is written as it was read', (text) => {
  const parsed = parseDnsSetting(text)
  if (!parsed.ok || parsed.value === undefined) throw new Error(JSON.stringify(parsed))
  expect(printDnsSetting(parsed.value)).toBe(text)
})

const wrong: readonly (readonly [string, string])[] = [
  ['colour=red', "There is no option 'colour'."],
  ['domain', 'The option domain has no value.'],
  ['domain=', 'The option domain has no value.'],
  ['port=53 port=54', 'The option port is given twice.'],
  ['port=0', "The port '0' is not a number from 1 to 65535."],
  ['port=65536', "The port '65536'"],
  ['port=1e3', "The port '1e3'"],
  ['domain=-x', "'-x' is not a domain."],
  ['domain=a..b', "'a..b' is not a domain."],
  [`domain=${'a.'.repeat(61)}b`, 'is not a domain.'],
  ['ttl=1500ms', "The ttl '1500ms'"],
  ['ttl=2h', "The ttl '2h'"],
  ['ttl=soon', "The ttl 'soon'"],
  ['listen=eth0', "'eth0' is not local, node or an IP address"],
  ['listen=10.0.0.256', "'10.0.0.256' is not local"],
  ['clients=10.0.0.0/33', "'10.0.0.0/33' is not a network"],
  ['clients=all', "'all' is not a network"],
  [`clients=${Array.from({ length: 17 }, (_, index) => `10.0.0.${index}`).join(',')}`, 'at most 16 networks'],
  ['forward=dns.example', "'dns.example' is not an IP address."],
  ['without-quorum=answer', 'must be refuse or mark'],
  ['cluster.=10.0.0.1', "'' cannot be a cluster in DNS"],
  ['cluster.East=10.0.0.1', "'East' cannot be a cluster in DNS"],
  ['cluster.east=east.example', "'east.example' is not an IP address."],
]
test.each(wrong)('%s is refused', (text, why) => {
  const parsed = parseDnsSetting(text)
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? '' : parsed.reports.join(' ')).toContain(why)
})

test('addresses and networks are read as the kernel reads them, and nothing else is', () => {
  expect(parseIp('10.0.0.1')).toEqual([10, 0, 0, 1])
  expect(parseIp('fd00::1')).toEqual([0xfd, ...Array(14).fill(0), 1])
  expect(parseIp('::')).toEqual(Array(16).fill(0))
  expect(parseIp('::ffff:10.0.0.1')?.slice(10)).toEqual([255, 255, 10, 0, 0, 1])
  expect(parseIp('1:2:3:4:5:6:7:8')).toHaveLength(16)
  for (const odd of [
    '',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.4.5',
    '::1::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'g::',
    '::1%eth0',
    '1.2.3.4::',
    ':::',
  ])
    expect(parseIp(odd), odd).toBeUndefined()
  expect(parseNetwork('10.0.0.0/8')).toEqual({ bytes: [10, 0, 0, 0], prefix: 8 })
  for (const odd of ['10.0.0.0/', '10.0.0.0/-1', '10.0.0.0/8/8', '/8', 'fd00::/129'])
    expect(parseNetwork(odd), odd).toBeUndefined()
})
