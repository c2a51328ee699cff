/** `-f FILE`: a CIB in a file stands for the cluster. What needs a running one is refused by name. */

import { existsSync } from 'node:fs'
import { reasonOf } from '../../base/index.ts'
import { parseXmlPieces, printXml, type XmlElement } from '../../cib/index.ts'
import { versionOf, withVersion, writeCallersFile } from '../../tools/index.ts'
import type { ClusterAccess } from '../call/access.ts'
import { Refusal } from '../call/command.ts'
import { xmlPieces } from './xml-pieces.ts'

export function fileAccess(path: string, makesFile = false): ClusterAccess {
  if (makesFile) makeCibFile(path)
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

/** As pcs does: a file that is not there begins as an empty CIB. */
function makeCibFile(path: string): void {
  if (existsSync(path)) return
  try {
    writeCallersFile(path, emptyCib)
  } catch (error) {
    const own = `The CIB file ${path} cannot be written: ${reasonOf(error)}.`
    const errors = [`Unable to write to file: '${path}': '[Errno 2] No such file or directory: '${path}''`]
    throw new Refusal({ own, ...(isMissing(error) ? { about: { code: 'said-by-pcs', errors } } : {}) })
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Of the schema that pcs begins with; what is written raises it. */
const emptyCib = `<cib admin_epoch="0" epoch="1" num_updates="1" validate-with="pacemaker-3.1">
  <configuration>
    <crm_config/>
    <nodes/>
    <resources/>
    <constraints/>
  </configuration>
  <status/>
</cib>
`

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
    throw new Refusal(`The CIB file ${path} cannot be read: ${reasonOf(error)}.`)
  }
}
