/** `-f FILE`: a CIB in a file stands for the cluster. What needs a running one is refused by name. */
import { parseXmlPieces, printXml, type XmlElement } from '../cib/index.ts'
import { versionOf, withVersion, writeCallersFile } from '../tools/index.ts'
import type { ClusterAccess } from './access.ts'
import { Refusal } from './command.ts'
import { xmlPieces } from './xml-pieces.ts'

export function fileAccess(path: string): ClusterAccess {
  return {
    live: undefined,
    close: () => undefined,
    // Asynchronous as that of a running cluster, so that a refusal is a rejection.
    readCib: async () => await Promise.resolve({ cib: readCibFile(path), version: 0 }),
    push: async ({ cib }) => {
      // A changed configuration is the next epoch, as Pacemaker counts it.
      writeCallersFile(path, printXml(withVersion(cib, { epoch: versionOf(cib).epoch + 1, numUpdates: 0 })))
      return await Promise.resolve({ kind: 'saved', version: 0 })
    },
  }
}

function readCibFile(path: string): XmlElement {
  const pieces = openedPieces(path)
  const parsed = parseXmlPieces(pieces)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  if (parsed.ok) throw new Refusal(`${path} holds <${parsed.value.name}>, not a CIB.`)
  const [report] = parsed.reports
  throw new Refusal(
    `${path} is not well-formed XML: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
  )
}

function openedPieces(path: string): () => Iterable<string> {
  try {
    return xmlPieces(path)
  } catch (error) {
    throw new Refusal(`The CIB file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}.`)
  }
}
