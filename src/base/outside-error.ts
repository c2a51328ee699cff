/** A failure of the world outside. Its message is a sentence for people, so that its name need not stand before it. */
export class OutsideError extends Error {}

/** Why something failed. Of the system's own errors the reason alone: whoever reads it has the file before them, and `ENOENT … open` is for programmers. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const system = 'syscall' in error ? /^[A-Z0-9]+: (.+?), \w+(?: '.*)?$/s.exec(error.message) : null
  return system?.[1] ?? error.message
}
