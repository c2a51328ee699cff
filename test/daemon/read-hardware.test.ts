import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bmcAddressIn } from '../../src/daemon/hardware/bmc-address.ts'
import { parseReading, readHardware } from '../../src/daemon/hardware/read-hardware.ts'
import { factsOf } from '../../src/hardware/index.ts'

/** The daemon's handle on the process that reads the hardware: whatever that process does, the daemon has an answer or a failure in time. */
const folder = mkdtempSync(join(tmpdir(), 'systole-facts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const program = (name: string, text: string): readonly string[] => {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return [file]
}

test('this machine has processors and memory', { timeout: 60_000 }, async () => {
  const facts = factsOf(await readHardware(50_000, [join(process.cwd(), 'dist/facts.mjs')]).result)
  expect(Number(facts.get('#facts-cpus'))).toBeGreaterThan(0)
  expect(Number(facts.get('#facts-memory-mib'))).toBeGreaterThan(100)
  expect(facts.get('#facts-kernel')).toBe(readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim())
})

test('a reading that hangs is killed when its time is over, with what it has started', async () => {
  const pid = join(folder, 'pid')
  const hangs = program(
    'hangs',
    `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs'
     writeFileSync(${JSON.stringify(pid)}, String(spawn('sleep', ['1000'], { stdio: 'inherit' }).pid)); setInterval(() => undefined, 1000)`,
  )
  const reading = readHardware(60_000, hangs)
  const failed = expect(reading.result).rejects.toThrow('is not JSON')
  await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8') !== '').toBe(true)
  reading.end()
  await failed
  await expect.poll(() => isRunning(Number(readFileSync(pid, 'utf8')))).toBe(false)
  const begun = performance.now()
  await expect(readHardware(200, hangs).result).rejects.toThrow('is not JSON')
  expect(performance.now() - begun).toBeLessThan(20_000)
})

test('a reading that says too much is ended', async () => {
  const floods = program(
    'floods',
    `const line = 'x'.repeat(65536); const more = () => process.stdout.write(line, more); more()`,
  )
  await expect(readHardware(60_000, floods).result).rejects.toThrow('is not JSON')
})

test('a program that is not there is a failure and nothing worse', async () => {
  await expect(readHardware(60_000, [join(folder, 'nosuch.mjs')]).result).rejects.toThrow('is not JSON')
})

test.each([
  '',
  'null',
  '7',
  '{"cpus":"8"}',
  '{"cpus":-1}',
  '{"cpus":1e999}',
  '{"diskBytes":[1,"2"]}',
  `{"diskBytes":[${'1,'.repeat(20_000)}1]}`,
  `{"vendor":"${'x'.repeat(5000)}"}`,
  '{"vendor":{"toString":1}}',
])('%.40s is no reading', (text) => {
  expect(() => parseReading(text)).toThrow(/^The reading of the hardware (is not JSON|has the wrong form)/)
})

test('what is unknown in a reading is passed over', () => {
  expect(parseReading('{"cpus":8,"surprise":[1],"__proto__":{"memoryBytes":5}}')).toEqual({ cpus: 8 })
})

test('the address of a BMC is what ipmitool says, unless it has none', () => {
  const printed = (address: string) =>
    `Set in Progress         : Set Complete\nIP Address Source       : Static Address\nIP Address              : ${address}\nSubnet Mask             : 255.255.255.0\n`
  expect(bmcAddressIn(printed('10.0.0.5'))).toBe('10.0.0.5')
  expect(bmcAddressIn(printed('0.0.0.0'))).toBeUndefined()
  expect(bmcAddressIn(printed('$(reboot)'))).toBeUndefined()
  expect(bmcAddressIn('')).toBeUndefined()
})

/** A zombie has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
