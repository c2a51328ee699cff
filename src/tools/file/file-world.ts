/** `CIB_file`: a CIB in a file stands for the cluster. A FIFO is read once; what is changed is written to the file. */
import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { expandValue } from '../../attributes/index.ts'
import { type NodeName, nodeName } from '../../base/index.ts'
import {
  childElement,
  childElements,
  configurationElement,
  parseXml,
  printXml,
  sameDocument,
  type XmlElement,
} from '../../cib/index.ts'
import { simulateCib } from '../../scheduler/index.ts'
import { deletePairs, findPairs, transientPairs, writePair } from '../attributes/pairs.ts'
import { schemaTrouble } from '../cib/conforming.ts'
import { sectionOf } from '../cib/tree.ts'
import { versionOf, withVersion } from '../cib/version.ts'
import { exitCodes } from '../exit-codes.ts'
import { refused, type ToolReply } from '../reply.ts'
import { statusOf } from '../status-of.ts'
import type { CibChange, EditWay, ToolNode, ToolWorld } from '../world.ts'
import { CibFileError } from './cib-file-error.ts'
import { readTextFile } from './read-text.ts'
import { cibOf, type UsersCib } from './users-cib.ts'
import { writeCallersFile } from './write-file.ts'

/** Read-only where there is no path: a CIB that came from a running cluster. */
export class FileWorld implements ToolWorld {
  readonly isCluster = false
  readonly localNode: NodeName
  readonly #path: string | undefined
  readonly #read: () => XmlElement
  readonly #user: string | undefined
  #cib: XmlElement | undefined
  #seen: UsersCib | undefined

  constructor(
    source:
      | { readonly path: string; readonly user?: string | undefined }
      | { readonly read: () => XmlElement; readonly localNode?: string },
  ) {
    this.#user = 'path' in source ? source.user : undefined
    this.localNode = nodeName(('localNode' in source ? source.localNode : undefined) ?? hostname())
    this.#path = 'path' in source ? source.path : undefined
    this.#read = 'path' in source ? () => readCib(source.path) : source.read
  }

  readonly md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

  now(): number {
    return Math.floor(Date.now() / 1000)
  }

  get quorate(): boolean {
    return this.cib().attributes['have-quorum'] === '1'
  }

  witness(): undefined {
    return undefined
  }

  nodes(): readonly ToolNode[] {
    const nodes = sectionOf(this.cib(), 'nodes')
    return (nodes === undefined ? [] : childElements(nodes, 'node')).flatMap(({ attributes: { id, uname, type } }) =>
      uname === undefined || type === 'remote'
        ? []
        : [{ name: nodeName(uname), id: id ?? '', state: 'member' as const }],
    )
  }

  cib(): XmlElement {
    return this.#view().cib
  }

  #whole(): XmlElement {
    this.#cib ??= this.#read()
    return this.#cib
  }

  #view(): UsersCib {
    this.#seen ??= cibOf(this.#whole(), this.#user)
    return this.#seen
  }

  /** `cibadmin --user`, and `CIB_user`: what the roles in the file permit. */
  async asUser(user: string): Promise<ToolWorld> {
    return await Promise.resolve(this.#path === undefined ? this : new FileWorld({ path: this.#path, user }))
  }

  configuration(): XmlElement {
    return this.cib()
  }

  transient(node: string): ReadonlyMap<string, string> {
    return transientPairs(this.cib(), nodeName(node))
  }

  live(node: string): ReadonlyMap<string, string> {
    return this.transient(node)
  }

  async setAttribute({ node, name, value }: Parameters<ToolWorld['setAttribute']>[0]): Promise<void> {
    const scope = { kind: 'status', node } as const
    const change = (cib: XmlElement): XmlElement =>
      value === undefined
        ? deletePairs(cib, { scope, name })
        : writePair(cib, { scope, name }, expandValue(findPairs(cib, { scope, name })[0]?.value, value))
    await this.edit(change)
  }

  async setDampening(): Promise<void> {
    await Promise.resolve()
  }

  async refreshAttributes(): Promise<void> {
    await Promise.resolve()
  }

  async edit(change: CibChange, { counts, steps }: Partial<EditWay> = {}): Promise<ToolReply | undefined> {
    const before = this.#whole()
    const view = this.#view()
    const made = change(view.cib)
    // Who may not make a change learns nothing else about it.
    const wanted = 'exitCode' in made ? made.instead : made
    const after = wanted === undefined ? undefined : view.changed(wanted)
    if (after !== undefined && 'exitCode' in after) return after
    if ('exitCode' in made) return made
    if (after === undefined) return undefined
    const isSame = sameDocument(before, after)
    if (isSame && (counts === undefined || counts === 'made')) return undefined
    if (this.#path === undefined) return refused(exitCodes.notConnected, 'This CIB can only be read.')
    if (counts === 'made') this.#cib = after
    else if (isSame && counts === 'epoch') this.#cib = nextEpoch(after, 1)
    else this.#cib = numbered(before, after, steps?.(before) ?? 1)
    this.#seen = undefined
    if (existsSync(this.#path) && statSync(this.#path).isFIFO())
      return refused(exitCodes.canNotCreate, `${this.#path} is a pipe: a changed CIB cannot be written there.`)
    writeCallersFile(this.#path, printXml(this.#cib))
    return undefined
  }

  /** Nothing is probed anew in a file. */
  async cleanUp(): Promise<void> {
    await Promise.resolve()
  }

  async fail(): Promise<boolean> {
    return await Promise.resolve(false)
  }

  /** A file does not change by waiting: whether anything would be done. */
  async settled(): Promise<boolean> {
    const texts = simulateCib({
      cib: this.cib(),
      now: this.now(),
      md5: this.md5,
      showScores: false,
      isSanitized: false,
      keepsResult: false,
      failures: [],
      whatIf: {},
      planOnly: true,
      show: { attributes: false, failCounts: false, utilization: false },
    })
    return await Promise.resolve(!texts.graph().includes('<synapse'))
  }

  dc(): { readonly name: NodeName; readonly id: string } | undefined {
    const dc = statusOf(this).nodes.find(({ isDc }) => isDc)
    return dc && { name: dc.name, id: dc.id }
  }

  controllerState(): string {
    return 'S_IDLE'
  }

  async fencingHistory(): Promise<readonly []> {
    return await Promise.resolve([])
  }

  fenceDevices(): readonly [] {
    return []
  }

  async askFenceDevice(): Promise<string> {
    return await this.fence()
  }

  async fence(): Promise<string> {
    return await Promise.resolve('This is a CIB in a file, not a cluster.')
  }

  async forgetFencing(): Promise<void> {
    await Promise.resolve()
  }
}

/** `-` is standard input. */
function readCib(path: string): XmlElement {
  let text: string
  try {
    text = readTextFile(path === '-' ? 0 : path)
  } catch (error) {
    throw new CibFileError(
      `Could not connect to the CIB: ${path} cannot be read: ${String(error)}`,
      exitCodes.noSuchObject,
    )
  }
  const parsed = parseXml(text)
  if (!parsed.ok) {
    const [report] = parsed.reports
    throw new CibFileError(
      `${path}: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
      exitCodes.configuration,
    )
  }
  if (parsed.value.name !== 'cib')
    throw new CibFileError(`${path} holds <${parsed.value.name}>, not a CIB.`, exitCodes.configuration)
  const trouble = missingSchema(parsed.value) ?? schemaTrouble(parsed.value)
  if (trouble !== undefined)
    throw new CibFileError(
      `Could not connect to the CIB: Update does not conform to the configured schema (${path}: ${trouble})`,
      exitCodes.configuration,
    )
  return parsed.value
}

/** Pacemaker's tools take no CIB for granted that does not say what it is, nor one from before 1.0. */
function missingSchema(cib: XmlElement): string | undefined {
  const { 'validate-with': schema } = cib.attributes
  if (schema === undefined || /-0\.\d$/.test(schema)) return `there is no schema '${schema ?? ''}'`
  return childElement(cib, 'configuration') === undefined && schema !== 'none'
    ? 'there is no <configuration>'
    : undefined
}

/** A changed configuration is the next epoch; a changed state alone, or a version that was counted up alone, is the next update of it. */
function numbered(before: XmlElement, after: XmlElement, steps: number): XmlElement {
  const { numUpdates } = versionOf(after)
  return sameDocument(configurationElement(before), configurationElement(after))
    ? withVersion(after, { numUpdates: numUpdates + steps })
    : nextEpoch(after, steps)
}

function nextEpoch(cib: XmlElement, steps: number): XmlElement {
  return withVersion(cib, { epoch: versionOf(cib).epoch + steps, numUpdates: 0 })
}
