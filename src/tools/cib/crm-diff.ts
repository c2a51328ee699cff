/** crm_diff: the difference of two CIBs, as cibadmin --patch takes it, and its application (crm_diff(8)). 1 where they differ. */
import { element, parseXml, printXml, type XmlElement } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, type GivenOption, hasOption, optionValue, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Tool } from '../tool.ts'
import type { ToolWorld } from '../world.ts'
import { versionedText } from './digest-text.ts'
import { makePatch } from './make-patch.ts'
import { applyPatch, describePatchFailure } from './patch.ts'

export const crmDiff: Tool = {
  name: 'crm_diff',
  summary: 'Compare two CIBs, or apply such a difference',
  options: [
    { ...valued('original,o', 'FILE', 'The first CIB, in a file; - is standard input'), file: 'read' },
    valued('original-string,O', 'XML', 'The first CIB, as text'),
    { ...valued('new,n', 'FILE', 'The second CIB, in a file'), file: 'read' },
    valued('new-string,N', 'XML', 'The second CIB, as text'),
    { ...valued('patch,p', 'FILE', 'Apply this difference to the first CIB and print the result'), file: 'read' },
    flag('no-version,u', 'Leave the versions out'),
    flag(
      'cib,c',
      'As CIBs: a difference gets the digest of the second one, and is applied to the version alone that it is for',
    ),
    flag('stdin,s', 'The first CIB comes from standard input'),
  ],
  printsXml: true,
  xmlVersions: { patchset: '2.39', updated: '2.39' },
  runsHere: true,
  needsNoCib: true,
  run,
}

function run(call: ParsedCall, world: ToolWorld): ToolReply {
  const { given } = call
  const asCib = hasOption(given, 'cib')
  if (asCib && hasOption(given, 'no-version'))
    return refused(exitCodes.usage, 'crm_diff: -u/--no-version incompatible with -c/--cib')
  const patch = optionValue(given, 'patch')
  const first = read(call, 'original', 'original-string')
  if (first === undefined) return refused(exitCodes.dataError, 'Could not parse the first XML fragment')
  const second = patch === undefined ? read(call, 'new', 'new-string') : readFile(call, patch)
  if (second === undefined) return refused(exitCodes.dataError, 'Could not parse the second XML fragment')
  if (patch !== undefined) return patched(first, second, asCib)
  // Of two different things there is no difference to tell.
  if (first.name !== second.name || first.attributes.id !== second.attributes.id) return printed('', [])
  const difference = makePatch(first, second, { withVersions: !hasOption(given, 'no-version'), ordered: !asCib })
  if (difference === undefined) return printed('', [])
  const digest = asCib ? { digest: world.md5(versionedText(second)) } : {}
  const told = { ...difference, attributes: { ...difference.attributes, ...digest } }
  const output = printXml(told)
  return { exitCode: exitCodes.error, output, errors: '', xml: [documentIn('patchset', output)] }
}

const documentIn = (name: string, text: string): XmlElement =>
  element(name, {}, [{ kind: 'text', text, asCdata: true }])

function patched(document: XmlElement, patch: XmlElement, asCib: boolean): ToolReply {
  const outcome = applyPatch(document, patch, { ofAnyVersion: !asCib })
  if (outcome.kind === 'applied') {
    const output = printXml(outcome.document)
    return printed(output, [documentIn('updated', output)])
  }
  const [exitCode, why] = describePatchFailure(outcome)
  return refused(exitCode, `Could not apply patch: ${why}`)
}

function read(call: ParsedCall, file: string, text: string): XmlElement | undefined {
  const given: readonly GivenOption[] = call.given
  const written = optionValue(given, text)
  if (written !== undefined) return parsed(written)
  const path = optionValue(given, file)
  if (path !== undefined && path !== '-') return readFile(call, path)
  return path === '-' || hasOption(given, 'stdin') ? parsed(call.files?.input() ?? '') : undefined
}

/** A file that cannot be read holds no XML: that is what the command says of it. */
function readFile(call: ParsedCall, path: string): XmlElement | undefined {
  try {
    return parsed(call.files?.read(path) ?? '')
  } catch {
    return undefined
  }
}

function parsed(text: string): XmlElement | undefined {
  const result = parseXml(text)
  return result.ok ? result.value : undefined
}
