/**
 * Answers of the reference, kept in a file: most of a comparison's time is Pacemaker's programs that pcs calls, and what pcs says to a line on a
 * CIB stays the same. A second comparison of the same lines costs our side alone.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Answer, Reference } from './reference.ts'

interface Recorded {
  readonly answer: Answer
  /** The CIB that the line left; undefined where it left it as it was. */
  readonly cib?: string
}

/** Where the path of the CIB stands in a line or an answer. */
const place = '{CIB}'

/** Of lines on a CIB, which begin with `-f FILE`. */
export function remembering(reference: Reference, file: string): Reference {
  const known = read(file)
  return {
    ...reference,
    run: async (line) => {
      const cib = line[0] === '-f' ? line[1] : undefined
      if (cib === undefined) return reference.run(line)
      const before = readFileSync(cib, 'utf8')
      const key = createHash('sha256')
        .update(JSON.stringify([reference.version, line.slice(2), before]))
        .digest('hex')
      const found = known.get(key)
      if (found !== undefined) return answerAgain(unpack(found), cib)
      const answer = await reference.run(line)
      const after = existsSync(cib) ? readFileSync(cib, 'utf8') : before
      const packed = pack({ answer: mapped(answer, cib, place), ...(after === before ? {} : { cib: after }) })
      known.set(key, packed)
      appendFileSync(file, `${key} ${packed}\n`)
      return answer
    },
  }
}

function answerAgain({ answer, cib }: Recorded, file: string): Answer {
  if (cib !== undefined) writeFileSync(file, cib)
  return mapped(answer, place, file)
}

const mapped = (answer: Answer, from: string, to: string): Answer => ({
  exitCode: answer.exitCode,
  standardOutput: answer.standardOutput.replaceAll(from, to),
  standardError: answer.standardError.replaceAll(from, to),
})

/** The last line may be torn where a run was ended. */
function read(file: string): Map<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return new Map(lines.map((line) => [line.slice(0, 64), line.slice(65)]))
}

const pack = (recorded: Recorded): string => gzipSync(JSON.stringify(recorded)).toString('base64')
const unpack = (packed: string): Recorded =>
  JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString('utf8')) as Recorded
