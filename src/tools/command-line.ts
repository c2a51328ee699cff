/** The line of a call as the history of the configuration keeps it: what is secret is not in it. */
import { looksSecret } from '../resource-agents/index.ts'
import type { ParsedCall } from './tool.ts'

const valueOptions = new Set(['update', 'parameter-value', 'attr-value'])

export function commandLine({ tool, arguments: words, given }: ParsedCall): string {
  const isSecret = words.some((word) => looksSecret(word))
  const values = given.flatMap(({ name, value }) => (isSecret && valueOptions.has(name) && value ? [value] : []))
  return [tool, ...words.map((word) => maskedXml(masked(word, values)))].join(' ')
}

/** A value of its own, or behind its option: `--update=secret`, `-vsecret`. */
function masked(word: string, values: readonly string[]): string {
  const value = values.find((one) => word === one || (word.startsWith('-') && word.endsWith(one)))
  return value === undefined ? word : `${word.slice(0, word.length - value.length)}****`
}

function maskedXml(word: string): string {
  if (!word.includes('<')) return word
  return word.replace(/<nvpair\b[^>]*>/g, (pair) => {
    const name = /\bname=["']([^"']*)/.exec(pair)?.[1] ?? ''
    return looksSecret(name) ? pair.replace(/(\bvalue=)(?:"[^"]*"|'[^']*')/, '$1"****"') : pair
  })
}
