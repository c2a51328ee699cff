/** What a command answers. */
import type { XmlElement } from '../cib/index.ts'
import { describeExit, exitCodes } from './exit-codes.ts'

export interface ToolReply {
  readonly exitCode: number
  readonly output: string
  readonly errors: string
  /** What stands in the result for `--output-as=xml`, besides its status. */
  readonly xml?: readonly XmlElement[]
  /** The errors one by one for the XML, where one has several lines. */
  readonly said?: readonly string[]
  /** The CIB that was refused, for whoever must ask first whether it may be wanted. */
  readonly instead?: XmlElement
  /** Nothing is said about how it ended, not even as XML: another program has spoken to the caller. */
  readonly isBare?: true
  /** What must not reach a terminal is taken out already; the rest has colours. */
  readonly isColoured?: true
  /** The caller's own process shall run it: it needs the caller's files, input or terminal. */
  readonly runHere?: true
}

export function printed(output: string, xml?: readonly XmlElement[]): ToolReply {
  return { exitCode: exitCodes.ok, output, errors: '', ...(xml === undefined ? {} : { xml }) }
}

/** In the words that Pacemaker's tools have for a code: `crm_resource: Error performing operation: No such object`. */
export function failedWith(tool: string, exitCode: number): ToolReply {
  return refused(exitCode, `${tool}: Error performing operation: ${describeExit(exitCode)}`)
}

export function refused(exitCode: number, sentence: string): ToolReply {
  return { exitCode, output: '', errors: `${sentence}\n` }
}
