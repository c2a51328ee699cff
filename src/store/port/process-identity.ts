/** Which process an id means: ids are used again, the time at which a process started tells two of them apart. */
import { readFileSync } from 'node:fs'

/** As written into lock and pid files: `<pid> <start time>`. */
export function processIdentity(pid: number): string {
  return `${pid} ${startTime(pid) ?? ''}`
}

/** The process that was written down, while it lives. */
export function livingProcess(identity: string | undefined): number | undefined {
  const [id = '', started = ''] = (identity ?? '').trim().split(' ')
  const pid = Number(id)
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const now = startTime(pid)
  // Written by a process that ended before its time could be read.
  return now !== undefined && (started === '' || now === started) ? pid : undefined
}

/** Undefined where there is no such process, or only a zombie, which has ended whatever is still listed of it. */
function startTime(pid: number): string | undefined {
  // The command's name stands in brackets and may hold spaces and brackets itself; the state follows it, the start time is field 22.
  const stat = textIfThere(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.[0] === 'Z' ? undefined : fields?.[19]
}

/** Undefined where the file is not there, or its process ends while it is read. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH'))
      return undefined
    throw error
  }
}
