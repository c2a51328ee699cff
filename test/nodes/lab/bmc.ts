/** One real IPMI 2.0 power controller for each node: `ipmi_sim`, whose hook switches the lab's power supply. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type LabSensor, sensorCommands, setSensor, setUsual } from './bmc-sensors.ts'
import type { LabNetwork } from './network.ts'

export const bmcUser = 'admin'
export const bmcPassword = 'lab-secret'

export class PowerControllers {
  readonly #folder: string
  readonly #network: LabNetwork
  readonly #powerSocket: string
  readonly #running = new Map<string, ChildProcess>()

  constructor(folder: string, network: LabNetwork, powerSocket: string) {
    this.#folder = folder
    this.#network = network
    this.#powerSocket = powerSocket
  }

  start(node: string): void {
    const folder = join(this.#folder, 'bmc', node)
    mkdirSync(join(folder, 'state'), { recursive: true })
    const hook = join(folder, 'hook')
    writeFileSync(hook, hookScript(node, this.#powerSocket))
    chmodSync(hook, 0o755)
    writeFileSync(join(folder, 'lan.conf'), lanConfiguration(node, this.#network.bmcAddress(node), hook))
    setUsual(folder)
    writeFileSync(join(folder, 'bmc.emu'), `${emulatorCommands}${sensorCommands(folder)}mc_enable 0x20\n`)
    const log = openSync(join(folder, 'log'), 'a')
    const simulator = [
      'ipmi_sim',
      '-n',
      '-c',
      join(folder, 'lan.conf'),
      '-f',
      join(folder, 'bmc.emu'),
      '-s',
      join(folder, 'state'),
    ]
    const child = spawn('ip', ['netns', 'exec', this.#network.switchSpace, ...simulator], {
      stdio: ['ignore', log, log],
    })
    this.#running.set(node, child)
  }

  /** What a sensor of the node's machine reads from now on. */
  setSensor(node: string, sensor: LabSensor, value: number): void {
    setSensor(join(this.#folder, 'bmc', node), sensor, value)
  }

  /** Ends the controller: the node's fence device does not answer any more. */
  async stop(node: string): Promise<void> {
    const child = this.#running.get(node)
    this.#running.delete(node)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async close(): Promise<void> {
    for (const node of [...this.#running.keys()]) await this.stop(node)
  }
}

/** Called as `hook get power` or `hook set power 0`; ipmi_sim runs it again when a client asks again, so it is quick and repeatable. */
function hookScript(node: string, socket: string): string {
  return `#!/bin/sh
ask() { printf '%s ${node}\\n' "$1" | nc -N -U -w 20 ${socket}; }
case "$1" in 0x*) shift;; esac
case "$1 $2 $3" in
  'get power '*) case "$(ask status)" in 'OK on') echo power:1;; 'OK off') echo power:0;; *) exit 1;; esac;;
  'get boot '*) echo boot:default;;
  'set power 0'|'set shutdown '*) answer=$(ask off);;
  'set power 1') answer=$(ask on);;
  'set reset '*) answer=$(ask reset);;
  'set boot '*|'check '*) ;;
  *) exit 1;;
esac
case "$answer" in ERR*) exit 1;; esac
exit 0
`
}

function lanConfiguration(node: string, address: string, hook: string): string {
  const levels = ['callback', 'user', 'operator', 'admin'].map((level) => `    allowed_auths_${level} md5`)
  return [
    `name "bmc-${node}"`,
    'set_working_mc 0x20',
    '  startlan 1',
    `    addr ${address} 623`,
    '    priv_limit admin',
    ...levels,
    '    guid a123456789abcdefa123456789abcdef',
    '  endlan',
    `  chassis_control "${hook}"`,
    '  user 1 true  ""       "test"   user  10 none md2 md5 straight',
    `  user 2 true  "${bmcUser}" "${bmcPassword}" admin 10 md5`,
    '',
  ].join('\n')
}

const emulatorCommands = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
`
