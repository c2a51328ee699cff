/** An IPMI 2.0 power controller on loopback: ipmi_sim, whose power is a file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeDatagramPort } from '../support/free-ports.ts'

export const bmcUser = 'admin'
export const bmcPassword = 'bmc-secret'

export class Bmc {
  readonly folder = mkdtempSync(join(tmpdir(), 'systole-bmc-'))
  #process: ChildProcess | undefined
  port = 0

  async start(): Promise<void> {
    this.port = await freeDatagramPort()
    this.power = 'on'
    mkdirSync(join(this.folder, 'state'))
    this.breakHook(false)
    writeFileSync(join(this.folder, 'lan.conf'), this.#configuration())
    writeFileSync(
      join(this.folder, 'bmc.emu'),
      'mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\nmc_enable 0x20\n',
    )
    const file = (name: string) => join(this.folder, name)
    this.#process = spawn('ipmi_sim', ['-n', '-c', file('lan.conf'), '-f', file('bmc.emu'), '-s', file('state')], {
      stdio: 'ignore',
    })
    await this.#answers()
  }

  get power(): 'on' | 'off' {
    return readFileSync(join(this.folder, 'power'), 'utf8').trim() === '1' ? 'on' : 'off'
  }

  set power(power: 'on' | 'off') {
    writeFileSync(join(this.folder, 'power'), power === 'on' ? '1' : '0')
  }

  /** A hook that fails is a controller that cannot switch the power: it answers with an error. */
  breakHook(broken: boolean | 'deaf'): void {
    const path = join(this.folder, 'hook')
    const power = join(this.folder, 'power')
    // Deaf: it says that it switched, and did not.
    const set = broken === 'deaf' ? ':' : `echo "$3" > ${power}`
    const script = `case "$1 $2" in 'get power') echo "power:$(cat ${power})";; 'set power') ${set};; *) ;; esac`
    writeFileSync(path, `#!/bin/sh\n${broken === true ? 'exit 1' : script}\nexit 0\n`)
    chmodSync(path, 0o755)
  }

  /** From now on it does not answer. */
  async die(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async close(): Promise<void> {
    await this.die()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async #answers(): Promise<void> {
    const { spawnSync } = await import('node:child_process')
    const status = [
      '-I',
      'lanplus',
      '-C',
      '3',
      '-H',
      '127.0.0.1',
      '-p',
      String(this.port),
      '-U',
      bmcUser,
      '-R',
      '1',
      '-N',
      '1',
      '-E',
    ]
    for (let attempt = 0; attempt < 50; attempt++) {
      const env = { ...process.env, IPMITOOL_PASSWORD: bmcPassword }
      if (spawnSync('ipmitool', [...status, 'chassis', 'power', 'status'], { env }).status === 0) return
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('ipmi_sim does not answer')
  }

  #configuration(): string {
    const levels = ['callback', 'user', 'operator', 'admin'].map((level) => `    allowed_auths_${level} md5`)
    return [
      'name "bmc"',
      'set_working_mc 0x20',
      '  startlan 1',
      `    addr 127.0.0.1 ${this.port}`,
      '    priv_limit admin',
      ...levels,
      '    guid a123456789abcdefa123456789abcdef',
      '  endlan',
      `  chassis_control "${join(this.folder, 'hook')}"`,
      '  user 1 true  ""       "test"   user  10 none md2 md5 straight',
      `  user 2 true  "${bmcUser}" "${bmcPassword}" admin 10 md5`,
      '',
    ].join('\n')
  }
}
