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
  /** Why the CIB in the file breaks the schema that it names. */
  readonly complaintOf: (file: string) => Promise<string | undefined>
  readonly close: () => void
}

/** `scripts/install.sh pcs` unpacks pcs 0.12 with its Pacemaker here, and this Debian's pcs 0.11, which works with the Pacemaker that is installed. */
export const unpacked = { '0.12': '/var/cache/systole/pcs', '0.11': '/var/cache/systole/pcs-0.11' } as const

/** Undefined where no pcs can be imported. The folder is the root of the system that has it. */
export async function findReference(folder: string = unpacked['0.12']): Promise<Reference | undefined> {
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
  const ask = async (asked: unknown): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(asked)}\n`)
    const given = await answer()
    if (given === undefined) throw new Error(`pcs ended during ${JSON.stringify(asked)}.`)
    return given
  }
  return {
    version: first.version,
    run: async (line) => (await ask(line)) as Answer,
    complaintOf: async (file) =>
      ((await ask({ validate: file })) as { complaint: string | null }).complaint ?? undefined,
    close: () => end(child),
  }
}

function end(child: ChildProcess): void {
  child.stdin?.end()
}
