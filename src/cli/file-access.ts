/** `-f FILE`: a CIB in a file stands for the cluster. What needs a running one is refused by name. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseXml, printXml, type XmlElement } from '../cib/index.ts'
import type { ClusterAccess } from './access.ts'
import { Refusal } from './command.ts'

export function fileAccess(path: string): ClusterAccess {
  return {
    live: undefined,
    close: () => undefined,
    readCib: async () => ({ cib: await readCibFile(path), version: 0 }),
    push: async ({ cib }) => {
      // Written beside and renamed: whoever reads the file sees the old or the new one, never a half.
      await writeFile(`${path}.new`, printXml(cib))
      await rename(`${path}.new`, path)
      return { kind: 'saved', version: 0 }
    },
  }
}

async function readCibFile(path: string): Promise<XmlElement> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Refusal(`The CIB file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  })
  const parsed = parseXml(text)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  if (parsed.ok) throw new Refusal(`${path} holds <${parsed.value.name}>, not a CIB.`)
  const [report] = parsed.reports
  throw new Refusal(
    `${path} is not well-formed XML: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}
