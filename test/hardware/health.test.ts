import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/base/index.ts'
import { type HealthReading, type HealthState, healthStep, recordedHealth } from '../../src/hardware/index.ts'
import {
  conditionsOfSensors,
  diskCondition,
  filesystemCondition,
  linkCondition,
  memoryCondition,
  mountedFilesystems,
} from '../../src/hardware/sensors.ts'

/** Readings of the temperature, ten seconds apart: what is shown after each. `-`: it could not be read. */
function shown(readings: string, start: HealthState = recordedHealth(new Map())): string {
  const colours = { g: 'green', y: 'yellow', r: 'red' } as const
  let state = start
  return [...readings]
    .map((letter, index) => {
      const colour = colours[letter as 'g' | 'y' | 'r']
      const reading: HealthReading =
        colour === undefined ? {} : { temperature: { colour, reasons: colour === 'green' ? [] : ['hot'] } }
      state = healthStep(state, { reading, recoveryMs: 30_000 }, monotonicMs(index * 10_000)).state
      return state.get('temperature')?.shown.colour[0] ?? '-'
    })
    .join('')
}

test.each([
  ['what is well is shown at once', 'ggg', 'ggg'],
  ['one bad reading moves nothing', 'grgrgr', 'gggggg'],
  ['two in a row do, and no further than both say', 'gyrrr', 'ggyrr'],
  ['a red that follows a yellow is yellow first', 'gyr', 'ggy'],
  ['a machine that is hot from the beginning', 'rrr', 'grr'],
  ['it is better when it was better for the recovery time', 'rrggggg', 'grrrrgg'],
  ['a bad reading in between begins the time again', 'rrgggrgggg', 'grrrrrrrrg'],
  ['after the time it is as bad as the worst of that time', 'rrgyggg', 'grrrryy'],
  ['then it recovers further', 'rrgygggggg', 'grrrryyyyg'],
  ['what cannot be read changes nothing', 'rr------', 'grrrrrrr'],
  ['and does not count for the recovery', 'rrgg-gggg', 'grrrrrrrg'],
  ['what was never read is not known', '---', '---'],
])('%s', (_, readings, expected) => {
  expect(shown(readings)).toBe(expected)
})

test('a daemon that restarts goes on with what is recorded', () => {
  const recorded = recordedHealth(
    new Map([
      ['#health-hardware-temperature', 'red'],
      ['hardware-trouble-temperature', 'CPU Temp'],
    ]),
  )
  expect(recorded.get('temperature')?.shown.reasons).toEqual(['CPU Temp'])
  expect(shown('ggggg', recorded)).toBe('rrrgg')
  expect(recordedHealth(new Map([['#health-hardware-temperature', 'purple']])).size).toBe(0)
})

test('what changes is told once, with its reason', () => {
  const read = { temperature: { colour: 'red', reasons: ['hot'] } } as const
  const first = healthStep(recordedHealth(new Map()), { reading: read, recoveryMs: 0 }, monotonicMs(0))
  const second = healthStep(first.state, { reading: read, recoveryMs: 0 }, monotonicMs(1))
  const third = healthStep(second.state, { reading: read, recoveryMs: 0 }, monotonicMs(2))
  expect(first.effects.map(({ condition }) => condition.colour)).toEqual(['green'])
  expect(second.effects).toEqual([{ kind: 'show', aspect: 'temperature', condition: read.temperature }])
  expect(third.effects).toEqual([])
})

/** As ipmitool 1.8.19 prints them. */
const sensor = (name: string, status: string, text: string): string =>
  `${name.padEnd(16)} | 01h | ${status.padEnd(3)} |  7.1 | ${text}\n`

test.each([
  ['CPU Temp', 'ok', '40 degrees C', { temperature: { colour: 'green', reasons: [] } }],
  [
    'CPU Temp',
    'unc',
    '85 degrees C',
    { temperature: { colour: 'yellow', reasons: ['CPU Temp is above its threshold'] } },
  ],
  ['CPU Temp', 'ucr', '95 degrees C', { temperature: { colour: 'red', reasons: ['CPU Temp is above its threshold'] } }],
  ['CPU Temp', 'lnr', '0 degrees C', { temperature: { colour: 'red', reasons: ['CPU Temp is below its threshold'] } }],
  ['CPU Temp', 'cr', '95 degrees C', { temperature: { colour: 'red', reasons: ['CPU Temp is beyond its threshold'] } }],
  ['CPU Temp', 'ns', 'Disabled', {}],
  ['Fan 1', 'lnr', '0 RPM', { fans: { colour: 'red', reasons: ['Fan 1 runs too slowly'] } }],
  ['PS1 Status', 'ok', 'Presence detected', { power: { colour: 'green', reasons: [] } }],
  [
    'PS1 Status',
    'ok',
    'Presence detected, Failure detected',
    { power: { colour: 'red', reasons: ['PS1 Status has failed'] } },
  ],
  ['Chassis', 'ok', 'General Chassis intrusion', {}],
])('the sensor %s that says %s, %s', (name, status, text, expected) => {
  expect(conditionsOfSensors(sensor(name, status, text))).toEqual(expected)
})

test('one of several fans or power supplies is spare, two are not', () => {
  const fans = (...speeds: readonly string[]) =>
    conditionsOfSensors(
      speeds.map((speed, index) => sensor(`Fan ${index}`, speed === '0' ? 'lcr' : 'ok', `${speed} RPM`)).join(''),
    ).fans?.colour
  expect([fans('100', '100', '100'), fans('0', '100', '100'), fans('0', '0', '100')]).toEqual([
    'green',
    'yellow',
    'red',
  ])
  const lost = sensor('PS1 Status', 'ok', 'Presence detected, Power Supply AC lost')
  expect(conditionsOfSensors(lost + sensor('PS2 Status', 'ok', 'Presence detected')).power?.colour).toBe('yellow')
})

test('memory errors of the event log', () => {
  const event = (text: string, how = 'Asserted') =>
    `   1 | 11/20/2026 | 12:00:00 UTC | Memory #0x53 | ${text} | ${how}\n`
  expect(memoryCondition('').colour).toBe('green')
  expect(memoryCondition(event('Uncorrectable ECC')).colour).toBe('red')
  expect(memoryCondition(event('Uncorrectable ECC', 'Deasserted')).colour).toBe('green')
  expect(memoryCondition(event('Correctable ECC').repeat(9)).colour).toBe('green')
  expect(memoryCondition(event('Correctable ECC').repeat(10)).colour).toBe('yellow')
  expect(memoryCondition(event('Correctable ECC logging limit reached')).colour).toBe('yellow')
  expect(
    memoryCondition('   1 | 11/20/2026 | 12:00:00 UTC | Processor #0x1 | Uncorrectable machine check | Asserted\n')
      .colour,
  ).toBe('green')
})

test('a file system that was written to and is read-only now has failed; one that always was has not', () => {
  const mounts = mountedFilesystems(
    '/dev/sda1 / ext4 ro,relatime,errors=remount-ro 0 0\n/dev/sr0 /cd iso9660 ro 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/sdb1 /data xfs ro 0 0\n/dev/sdc1 /ro xfs ro 0 0\n/dev/sdc1 /rw xfs rw 0 0\n',
  )
  expect(mounts).toHaveLength(4)
  expect(filesystemCondition(mounts, new Set())).toEqual({ colour: 'green', reasons: [] })
  expect(filesystemCondition(mounts, new Set(['/dev/sda1', '/dev/sdc1']))).toEqual({
    colour: 'red',
    reasons: ['/dev/sda1 on / has become read-only'],
  })
})

test('errors of a link count by their share of its packets', () => {
  const colour = (packets: number, errors: number) =>
    linkCondition(
      new Map([['eth0', { packets: 1000, errors: 5 }]]),
      new Map([
        ['eth0', { packets: 1000 + packets, errors: 5 + errors }],
        ['eth1', { packets: 0, errors: 1000 }],
      ]),
    ).colour
  expect([colour(100, 0), colour(100, 9), colour(100, 10), colour(100_000, 10), colour(-1000, 20)]).toEqual([
    'green',
    'green',
    'yellow',
    'green',
    'yellow',
  ])
})

test('a disk whose SMART status is bad is failing', () => {
  expect(
    diskCondition(
      new Map([
        ['/dev/sda', true],
        ['/dev/sdb', false],
      ]),
    ),
  ).toEqual({ colour: 'red', reasons: ['SMART says that /dev/sdb is failing'] })
})

test('whatever a BMC prints, nothing is thrown', () => {
  for (const text of [
    '|||||',
    'x | | | |',
    '\u0000|\u0000|\u0000|\u0000|\u0000',
    'a|b|ucr|d|degrees C\n'.repeat(100_000),
  ]) {
    conditionsOfSensors(text)
    memoryCondition(text)
    mountedFilesystems(text)
  }
})
