/** The reference beside which the command line is held: an installed pcs of any version, with `-f FILE`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Answer {
  readonly exitCode: number
  readonly standardOutput: string
  readonly standardError: string
}

export interface Reference {
  readonly version: string
  readonly run: (line: readonly string[]) => Promise<Answer>
  readonly close: () => void
}

/** `scripts/install.sh pcs` unpacks pcs 0.12 and its Pacemaker here: this Debian's are older. */
const unpacked = '/var/cache/systole/pcs'

/** Undefined where no pcs can be imported. The folder is the root of the system that has it. */
export async function findReference(folder = unpacked): Promise<Reference | undefined> {
  const child = spawn('/usr/bin/python3', [join(import.meta.dirname, 'reference.py'), folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, LC_ALL: 'C.UTF-8', COLUMNS: '120' },
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<unknown> => {
    const { done, value } = await lines.next()
    return done === true ? undefined : JSON.parse(value)
  }
  const first = (await answer()) as { readonly version: string } | undefined
  if (first === undefined) return undefined
  return {
    version: first.version,
    run: async (line) => {
      child.stdin.write(`${JSON.stringify(line)}\n`)
      const given = (await answer()) as Answer | undefined
      if (given === undefined) throw new Error(`pcs ended during '${line.join(' ')}'.`)
      return given
    },
    close: () => end(child),
  }
}

function end(child: ChildProcess): void {
  child.stdin?.end()
  child.kill()
}
