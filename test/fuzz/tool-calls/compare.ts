/** What is of the call rather than of a version, a moment or a way to write XML. */
import { childElements, element, parseXml, printXml, type XmlElement } from '../../../src/cib/index.ts'
import type { ToolAnswer } from './run.ts'
import { inWordsOfThree } from './words-of-three.ts'

export const aspects = ['exit code', 'files', 'output', 'errors'] as const
export type Aspect = (typeof aspects)[number]

export interface AnswerDifference {
  readonly aspect: Aspect
  readonly onlyTheirs: readonly string[]
  readonly onlyOurs: readonly string[]
}

/** The gravest first. */
export function compareToolAnswers(theirs: ToolAnswer, ours: ToolAnswer): readonly AnswerDifference[] {
  const texts = (answer: ToolAnswer): Readonly<Record<Aspect, string>> => ({
    'exit code': String(answer.code),
    files: Object.entries(answer.files)
      .map(([name, text]) => `${name}:\n${canonicalXml(text)}`)
      .join('\n'),
    output: comparableOutput(answer.output),
    errors: withoutLog(comparableOutput(answer.errors)),
  })
  const [left, right] = [texts(theirs), texts(ours)]
  return aspects.flatMap((aspect) =>
    left[aspect] === right[aspect] ? [] : [{ aspect, ...lineDifference(left[aspect], right[aspect]) }],
  )
}

/** Of a version, a moment, or the order of an XML writer's quotes. */
export function comparableOutput(text: string): string {
  return inWordsOfThree(text.replace(/<!DOCTYPE html>.*$/s, comparablePage))
    .replaceAll('&apos;', "'")
    .replaceAll('&quot;', '"')
    .replace(/ removed="(?:true|false)"/g, '')
    .replace(/(<(?:resource|group|clone|bundle) [^>]*?) maintenance="(?:true|false)"/g, '$1')
    .replace(/version="(?:2\.1\.5|2\.\d\d|3\.0\.2)"/g, 'version="V"')
    .replace(/crm_feature_set="[^"]*"/g, 'crm_feature_set="V"')
    .replace(/(Last updated: |Current date\/time: |take effect until: ).*/g, '$1')
    .replace(/(last_update time="|request="|last-granted="|execution-date="|cib-last-written=")[^"]*/g, '$1')
    .replace(/(<date_expression [^>]*?end=")[^"]*(" id="cli-)/g, '$1$2')
    .replace(/(name="last-failure-[^"]*" value=")\d+/g, '$1')
    .replace(/ update-(?:origin|client|user)="[^"]*"/g, '')
    .replace(/^( {2}\* (?:Start|Stop|Restart|Move|Promote|Demote|Recover|Reload|Migrate|Fence|Leave)\b.*)$/gm, (line) =>
      line.replace(/ +/g, ' '),
    )
}

/** A page has one element a line. */
const comparablePage = (page: string): string =>
  page
    .replace(/>\n+</g, '><')
    .replaceAll('><', '>\n<')
    .replace(/(>Last updated: <\/span>\n<span>)[^<]*/, '$1')
    .replace(/(<title>)\S*\/(?=\w+ )/, '$1')

/** Debian's programs print parts of their log to standard error. */
const withoutLog = (text: string): string => text.replace(/^.*\b(?:error|warning|notice|crit): .*\n/gm, '')

/** Text that is not XML stays as it is. */
function canonicalXml(text: string): string {
  const parsed = parseXml(text)
  if (!parsed.ok) return text
  return comparableOutput(printXml(elementsOnly(parsed.value)))
    .replace(/ (?=\/>)/g, '')
    .replace(/last-granted="\d+"/g, '')
    .replace(
      /(last-rc-change="|name="last-failure-[^"]*" value=")(\d{10})(?=")/g,
      (all, name: string, seconds: string) => (Number(seconds) > Date.now() / 1000 - 86_400 ? `${name}NOW` : all),
    )
}

function elementsOnly(each: XmlElement): XmlElement {
  const names = Object.keys(each.attributes).filter((name) => !unimportant.includes(name))
  return element(
    each.name,
    Object.fromEntries(names.sort().map((name) => [name, each.attributes[name] ?? ''])),
    childElements(each).map(elementsOnly),
  )
}

const unimportant: readonly string[] = [
  'crm_feature_set',
  'cib-last-written',
  'update-origin',
  'update-client',
  'update-user',
]

/** Lines by how often each side has them; where those agree, the first one that is elsewhere. */
function lineDifference(theirs: string, ours: string): Omit<AnswerDifference, 'aspect'> {
  const [left, right] = [theirs.split('\n'), ours.split('\n')]
  const onlyTheirs = without(left, right)
  const onlyOurs = without(right, left)
  if (onlyTheirs.length + onlyOurs.length > 0) return { onlyTheirs, onlyOurs }
  const at = left.findIndex((line, index) => line !== right[index])
  return { onlyTheirs: [`at ${at}: ${left[at] ?? ''}`], onlyOurs: [`at ${at}: ${right[at] ?? ''}`] }
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  return lines.filter((line) => {
    const count = left.get(line) ?? 0
    left.set(line, count - 1)
    return count <= 0
  })
}
