import { printable } from '../../base/index.ts'
import { type Invocation, runLine } from './run.ts'

/** Runs a command line, prints what it has said, and resolves to its exit code. */
export async function printLine(invocation: Invocation): Promise<number> {
  const printed = await runLine(invocation)
  process.stderr.write(printable(printed.standardError))
  process.stdout.write(printable(printed.standardOutput))
  return printed.exitCode
}
