/** Whether an error of the system says that a file system takes no change: it has no room, or is read-only. */
export function takesNoChange(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code)
}

const codes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS'])
