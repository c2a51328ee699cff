import { expect, test } from 'vitest'
import { factNamed } from '../../src/hardware/facts.ts'
import {
  differencesBetween,
  factChanges,
  factsOf,
  knownFacts,
  printFact,
  usualValue,
} from '../../src/hardware/index.ts'

const gib = 1024 ** 3

test('what was read becomes node attributes, and what was not read is not there', () => {
  const facts = factsOf({
    cpus: 8,
    cpuModel: 'EPYC 7',
    memoryBytes: 62.5 * gib,
    diskBytes: [500e9, 500e9],
    nicSpeeds: [0, 10_000],
  })
  expect(Object.fromEntries(facts)).toEqual({
    '#facts-cpus': '8',
    '#facts-cpu-model': 'EPYC 7',
    '#facts-memory-mib': '64000',
    '#facts-disks': '2',
    '#facts-disk-gib': '931',
    '#facts-nics': '2',
    '#facts-network-mbit': '10000',
  })
})

test('the memory is that of the modules, unless they are of another machine', () => {
  const memory = (moduleBytes: number | undefined) =>
    factsOf({ memoryBytes: 62.5 * gib, moduleBytes }).get('#facts-memory-mib')
  expect(memory(64 * gib)).toBe('65536')
  expect(memory(256 * gib)).toBe('64000')
  expect(memory(0)).toBe('64000')
  expect(memory(undefined)).toBe('64000')
})

test('a text of the firmware is short, on one line and without what a shell or XML would take for its own', () => {
  const text = (vendor: string) => factsOf({ vendor }).get('#facts-vendor')
  expect(text('  Dell\u0000\n\tInc.\u001b[31m ')).toBe('Dell Inc. [31m')
  expect(text('<a href="x">$(reboot)`id`</a>')).toBe('a href=x(reboot)id/a')
  expect(text('x'.repeat(5000))).toHaveLength(100)
  expect(text('Überfirma 株式会社')).toBe('berfirma')
  expect(text('\u202e')).toBeUndefined()
  expect(text('-')).toBeUndefined()
})

test('a number that is none is not written, and none is endless', () => {
  for (const cpus of [Number.NaN, -1, Number.POSITIVE_INFINITY]) expect(factsOf({ cpus }).size).toBe(0)
  expect(factsOf({ cpus: 1e300 }).get('#facts-cpus')).toBe('1000000000')
})

test('only what differs is written, and only facts are deleted', () => {
  const recorded = new Map([
    ['#facts-cpus', '8'],
    ['#facts-disks', '2'],
    ['#facts-vendor', 'Dell'],
    ['#facts-of-another', 'x'],
    ['rack', 'a'],
  ])
  const facts = factsOf({ cpus: 8, diskBytes: [gib] })
  expect(factChanges(recorded, facts)).toEqual([
    { attribute: '#facts-disks', value: '1' },
    { attribute: '#facts-disk-gib', value: '1' },
    { attribute: '#facts-vendor' },
  ])
  expect(factChanges(facts, facts)).toEqual([])
})

test('a fact is shown in the unit that suits it', () => {
  const shown = (name: string, value: string) => {
    const fact = factNamed(name)
    return fact && printFact(fact, value)
  }
  expect(shown('memory', '65536')).toBe('64 GiB')
  expect(shown('memory', '512')).toBe('512 MiB')
  expect(shown('memory', '1572864')).toBe('1.5 TiB')
  expect(shown('network', '25000')).toBe('25 Gbit/s')
  expect(shown('cpus', '8')).toBe('8')
  expect(shown('vendor', 'Dell')).toBe('Dell')
})

test('nodes differ in what is not the same on all of them, and the odd one is found', () => {
  const node = (kernel: string, bmc: string) =>
    knownFacts([
      ['#facts-kernel', kernel],
      ['#facts-bmc-address', bmc],
      ['#facts-cpus', '8'],
    ])
  const found = differencesBetween(
    new Map([
      ['n1', node('6.1', '10.0.0.1')],
      ['n2', node('6.1', '10.0.0.2')],
      ['n3', node('5.10', '10.0.0.3')],
      ['n4', knownFacts([])],
    ]),
  )
  expect(found.map(({ fact }) => fact.name)).toEqual(['cpus', 'kernel'])
  expect(found.map(usualValue)).toEqual(['8', '6.1'])
  expect(found[1]?.values.get('n4')).toBeUndefined()
})
