/** The line of a call as the history of the configuration keeps it: what is secret is not in it. */
import { hiddenValue, type IsSecret, isSecretName, wordsWithoutSecrets } from '../cib/index.ts'
import type { ParsedCall } from './tool.ts'

const valueOptions = new Set(['update', 'parameter-value', 'attr-value'])

export function commandLine({ tool, arguments: words, given }: ParsedCall, isSecret: IsSecret = isSecretName): string {
  const namesSecret = [...words, ...given.flatMap(({ value }) => value ?? [])].some((word) => isSecret(word))
  const values = given.flatMap(({ name, value }) => (namesSecret && valueOptions.has(name) && value ? [value] : []))
  return [tool, ...wordsWithoutSecrets(words, isSecret).map((word) => hidden(word, values))].join(' ')
}

/** A value of its own, or behind its option: `--update=secret`, `-vsecret`. */
function hidden(word: string, values: readonly string[]): string {
  const value = values.find((one) => word === one || (word.startsWith('-') && word.endsWith(one)))
  return value === undefined ? word : `${word.slice(0, word.length - value.length)}${hiddenValue}`
}
