/** Command lines as a shell reads them: quoting for what is printed, splitting for what is read. */
import { Refusal } from './command.ts'

export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Splits as a shell does, without expanding anything: single and double quotes and backslashes count. */
export function splitShellLine(line: string): readonly string[] {
  const words: string[] = []
  const token = /\s+|((?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)|(.)/gsy
  for (let match = token.exec(line); match; match = token.exec(line)) {
    if (match[2] !== undefined) throw new Refusal(`A quote in '${line}' is not closed.`)
    if (match[1] !== undefined) words.push(unquoted(match[1]))
  }
  return words
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_all, single: string | undefined, double: string | undefined, escaped: string | undefined) =>
      single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? '',
  )
}
