/** A real systemd with units of a test's own, in namespaces; see box.sh. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export class SystemdBox {
  readonly #folder: string
  readonly #box: ChildProcess
  /** The first process of the box, as the host numbers it. */
  readonly init: number

  private constructor(folder: string, box: ChildProcess, init: number) {
    this.#folder = folder
    this.#box = box
    this.init = init
  }

  /** `units`: by name, the text of each. Resolves when the box's bus answers. */
  static async start(units: Readonly<Record<string, string>>): Promise<SystemdBox> {
    const folder = mkdtempSync(join(tmpdir(), 'systole-systemd-'))
    mkdirSync(join(folder, 'units'))
    for (const [name, text] of Object.entries(units)) writeFileSync(join(folder, 'units', name), text)
    const box = spawn('bash', [join(import.meta.dirname, 'box.sh'), folder], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [box.stdout, box.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    for (;;) {
      if (box.exitCode !== null) {
        rmSync(folder, { recursive: true })
        throw new Error(`The box with systemd did not start (are systemd and dbus installed?): ${output}`)
      }
      const init = systemdBelow(box.pid ?? 0)
      if (init !== undefined && existsSync(`/proc/${init}/root/run/dbus/system_bus_socket`))
        return new SystemdBox(folder, box, init)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** A path of the box, as the host reaches it. */
  path(inside: string): string {
    return `/proc/${this.init}/root${inside}`
  }

  /** The host's ids of the box's processes whose command line holds the text. */
  processes(text: string): readonly number[] {
    return descendants(this.init).filter((pid) => commandLine(pid).includes(text))
  }

  /** A property of a unit, as the box's systemd has it. */
  property(unit: string, name: string): string {
    const into = ['-t', String(this.init), '-m', '-p', '-u', '-i', '-C']
    return execFileSync('nsenter', [...into, 'systemctl', 'show', '--value', '-p', name, unit], {
      encoding: 'utf8',
    }).trim()
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#box.once('exit', () => resolve()))
    process.kill(this.init, 'SIGKILL')
    await ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function systemdBelow(pid: number): number | undefined {
  return descendants(pid).find((each) => commandLine(each).startsWith('/lib/systemd/systemd\0--system'))
}

function descendants(pid: number): readonly number[] {
  const path = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(path) ? readIfThere(path).split(' ').filter(Boolean).map(Number) : []
  return children.flatMap((child) => [child, ...descendants(child)])
}

function commandLine(pid: number): string {
  return readIfThere(`/proc/${pid}/cmdline`)
}

/** A process may end while it is looked at. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
