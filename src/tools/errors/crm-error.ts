/** crm_error: what a number means that a command or a library of Pacemaker answered (crm_error(8)). */
import { element } from '../../cib/index.ts'
import { flag, hasOption, plainWords } from '../options.ts'
import { printed, type ToolReply } from '../reply.ts'
import { type CodeKind, type ResultCode, resultCodes } from '../result-codes.ts'
import type { ParsedCall, Tool } from '../tool.ts'

export const crmError: Tool = {
  name: 'crm_error',
  summary: 'Show what an error code means; codes are the words of the call',
  options: [
    flag('name,n', 'Also its name'),
    flag('list,l', 'All codes, which is the default without a code'),
    flag('exit,X', 'It is the exit code of a command'),
    flag('rc,r', 'It is the return code of a function'),
  ],
  printsXml: true,
  runsHere: true,
  needsNoCib: true,
  run,
}

function run({ given }: ParsedCall): ToolReply {
  const kind = hasOption(given, 'rc') ? 'return' : hasOption(given, 'exit') ? 'exit' : 'legacy'
  const words = plainWords(given)
  const isList = hasOption(given, 'list') || words.length === 0
  const found = isList ? resultCodes(kind) : words.map((word) => describeCode(kind, word))
  const named = hasOption(given, 'name')
  const lines = found.map((code) => (isList ? listed(code, named) : single(code, named)))
  return printed(
    lines.map((line) => `${line}\n`).join(''),
    found.map(({ code, name, description }) =>
      element('result-code', { code: String(code), ...(named ? { name } : {}), description }),
    ),
  )
}

function listed({ code, name, description }: ResultCode, named: boolean): string {
  return `${String(code).padStart(5)}: ${named ? `${name.padEnd(26)}  ` : ''}${description}`
}

function single({ name, description }: ResultCode, named: boolean): string {
  return named ? `${name} - ${description}` : description
}

/** Older functions returned their codes negated. */
function describeCode(kind: CodeKind, word: string): ResultCode {
  const code = Number.parseInt(word, 10)
  if (Number.isNaN(code) && kind !== 'exit') return { code: -1, name: 'Unknown', description: 'Error' }
  const known = resultCodes(kind).find((one) => one.code === (kind === 'legacy' ? Math.abs(code) : code))
  if (known !== undefined) return known
  if (kind === 'exit') return { code, name: 'CRM_EX_UNKNOWN', description: 'Unknown exit status' }
  const description = kind === 'return' && code < 0 ? 'Error' : `Unknown error ${Math.abs(code)}`
  return { code, name: 'Unknown', description }
}
