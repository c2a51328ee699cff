/** The values of a cluster file as YAML. Secrets are left to the environment, unless they are asked for. */
import { Document } from 'yaml'
import { isMap } from '../../base/index.ts'
import type { Fields } from './read-file.ts'

export interface WrittenFile {
  readonly text: string
  /** The environment variables that the file needs. */
  readonly secrets: readonly string[]
}

/** `secrets`: values that must not be in the file. */
export function writeClusterFile(values: Fields, secrets: ReadonlySet<string>): WrittenFile {
  const names = new Map([...secrets].map((secret, at) => [secret, `SECRET_${at + 1}`]))
  const used = new Set<string>()
  const referring = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutSecrets(value, names, used)
    if (Array.isArray(value)) return value.map(referring)
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, referring(one)]))
  }
  const body = referring(values) as Fields
  const needed = [...used].sort()
  const vars = Object.fromEntries(needed.map((name) => [name, { 'from-env': name }]))
  const whole = needed.length > 0 ? { vars, ...body } : body
  // Every scalar is read as the text that it is written as, so that no number needs quotes.
  const document = new Document(whole, { schema: 'failsafe', aliasDuplicateObjects: false })
  return {
    text: Object.keys(whole).length === 0 ? '{}\n' : `${document.toString({ lineWidth: 0 }).trimEnd()}\n`,
    secrets: needed,
  }
}

/** A value that is the secret, or XML that holds it as a value. */
function withoutSecrets(text: string, names: ReadonlyMap<string, string>, used: Set<string>): string {
  const own = names.get(text)
  if (own !== undefined) {
    used.add(own)
    return `\${${own}}`
  }
  const escaped = text.replaceAll('${', '$${')
  if (!text.startsWith('<')) return escaped
  return escaped.replaceAll(/ value="([^"]*)"/g, (all, value: string) => {
    const name = names.get(value)
    if (name === undefined) return all
    used.add(name)
    return ` value="\${${name}}"`
  })
}
