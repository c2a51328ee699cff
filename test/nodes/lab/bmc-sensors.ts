/**
 * Sensors of the lab's power controllers: a temperature, a fan and a power supply, whose readings are files that a test writes, and an event log. Their
 * records are made as the IPMI specification 2.0 has them (sections 43.1 and 43.2), since ipmi_sim takes bytes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type LabSensor = 'temperature' | 'fan' | 'supply'

interface Sensor {
  readonly number: number
  readonly name: string
  readonly type: number
  /** 1: thresholds; 0x6f: states of its own. */
  readonly reading: number
  readonly unit: number
  /** From the lower non-critical to the upper non-recoverable. */
  readonly thresholds?: readonly number[]
  readonly usual: number
}

const sensors: Readonly<Record<LabSensor, Sensor>> = {
  temperature: {
    number: 1,
    name: 'CPU Temp',
    type: 1,
    reading: 1,
    unit: 1,
    thresholds: [5, 3, 1, 80, 90, 100],
    usual: 40,
  },
  fan: { number: 2, name: 'Fan 1', type: 4, reading: 1, unit: 18, thresholds: [40, 20, 10, 250, 252, 254], usual: 120 },
  supply: { number: 3, name: 'PS1 Status', type: 8, reading: 0x6f, unit: 0, usual: 1 },
}

export function setSensor(folder: string, sensor: LabSensor, value: number): void {
  writeFileSync(join(folder, sensor), `${value}\n`)
}

export function setUsual(folder: string): void {
  for (const [name, { usual }] of Object.entries(sensors)) setSensor(folder, name as LabSensor, usual)
}

/** Commands of ipmi_sim. */
export function sensorCommands(folder: string): string {
  const lines = Object.entries(sensors).flatMap(([name, sensor]) => {
    const { number, type, reading, thresholds } = sensor
    return [
      `sensor_add 0x20 0 ${number} ${type} ${reading} poll 300 file "${join(folder, name)}"`,
      ...(thresholds
        ? [`sensor_set_threshold 0x20 0 ${number} settable 111111 ${thresholds.toReversed().join(' ')}`]
        : []),
      `sensor_set_event_support 0x20 0 ${number} enable scanning per-state ${Array(4)
        .fill(thresholds ? '000111111111111' : '000000000001110')
        .join(' ')}`,
      `main_sdr_add 0x20 ${(thresholds ? fullRecord(sensor, thresholds) : compactRecord(sensor)).map(hex).join(' ')}`,
    ]
  })
  return ['sel_enable 0x20 1000 0x0a', ...lines, ''].join('\n')
}

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`

function fullRecord({ number, name, type, reading, unit }: Sensor, thresholds: readonly number[]): readonly number[] {
  const body = [
    ...[0x20, 0, number, 7, 1, 0x7f, 0x68, type, reading],
    ...[0, 0, 0, 0, 0x3f, 0x3f],
    ...[0, unit, 0, 0, 1, 0, 0, 0, 0, 0, 7],
    ...[0, 0, 0, 0xff, 0],
    // Upper non-recoverable, critical, non-critical, then the lower ones.
    ...[5, 4, 3, 2, 1, 0].map((index) => thresholds[index] ?? 0),
    ...[0, 0, 0, 0, 0],
    ...idOf(name),
  ]
  return [...header(number, 1, body.length), ...body]
}

function compactRecord({ number, name, type, reading }: Sensor): readonly number[] {
  const states = [0x3f, 0]
  const body = [
    ...[0x20, 0, number, 10, 1, 0x67, 0x40, type, reading],
    ...[...states, ...states, ...states],
    ...[0xc0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    ...idOf(name),
  ]
  return [...header(number, 2, body.length), ...body]
}

const header = (id: number, type: number, length: number): readonly number[] => [id, 0, 0x51, type, length]
const idOf = (name: string): readonly number[] => [0xc0 | name.length, ...Buffer.from(name)]
