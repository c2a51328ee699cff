/**
 * What is secret: the one definition, by which the configuration is shown, its history and the log are written and reports are made.
 * Secret is the value of a name that says so (`passwd`, `apikey`, `community` …), of one that the agent's metadata marked as private (the
 * history of operations remembers those in `op-secure-params`), and of one that the cluster option `secret-names` adds.
 * A name that says where a secret lies (`passwd_script`, `identity_file`) is not secret itself.
 */
import { childElements, parseXml, printXml, type XmlElement } from './document.ts'

export type IsSecret = (name: string) => boolean

export const hiddenValue = '******'

/** Its last word: where a secret lies, how it is asked for, or how long it holds. */
const harmlessEnd = /(script|file|path|dir|folder|prompt|prot|protocol|timeout|ms|length|id|hash|names?)$/
const secretWord =
  /(passwd|password|passphrase|passcode|pass|pwd|secrets?|tokens?|credentials?|privkey|apikey)$|^(community|bearer|jwt|psk|otp|pin|keys?)$|^(access|secret|private|auth|encryption|shared)key$/
const harmlessWord = /^(bypass|compass)$/
/** A key that anybody may have. */
const publicKey = /^(public|pub|host|primary|sort|partition)$/

/** By its name alone. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  if (harmlessEnd.test(words.at(-1) ?? '')) return false
  const isPublic = words.some((word) => publicKey.test(word))
  return words.some((word, at) => {
    if (harmlessWord.test(word) || !secretWord.test(word.replace(/\d+$/, ''))) return false
    // A key at the end of a name is one; at its beginning it says whose something else is (`key_value`).
    return /^keys?$/.test(word) ? at === words.length - 1 && !isPublic : true
  })
}

/** With the names that a cluster adds: by its option, and by what the agents' metadata said when their resources were started. */
export function secretNames(...roots: readonly XmlElement[]): IsSecret {
  return secretNamesOf({ options: roots.flatMap(optionTexts), noted: roots.flatMap(notedNames) })
}

/** `options`: values of `secret-names`. `noted`: names that agents have marked. */
export function secretNamesOf(from: {
  readonly options?: readonly string[]
  readonly noted?: readonly string[]
}): IsSecret {
  const noted = new Set(from.noted ?? [])
  const patterns = (from.options ?? []).flatMap(splitNames).map(wildcard)
  return (name) => isSecretName(name) || noted.has(name) || patterns.some((pattern) => pattern(name))
}

/** `op-secure-params=" passwd  pin "` of every operation. */
function notedNames(root: XmlElement): readonly string[] {
  const own = splitNames(root.attributes['op-secure-params'] ?? '')
  return [...own, ...childElements(root).flatMap(notedNames)]
}

function optionTexts(root: XmlElement): readonly string[] {
  const configuration = root.name === 'configuration' ? root : childElements(root, 'configuration')[0]
  return (configuration === undefined ? [] : childElements(configuration, 'crm_config'))
    .flatMap((part) => childElements(part, 'cluster_property_set'))
    .flatMap((set) => childElements(set, 'nvpair'))
    .filter(({ attributes }) => attributes.name === secretNamesOption)
    .map(({ attributes }) => attributes.value ?? '')
}

const secretNamesOption = 'secret-names'

const splitNames = (text: string): readonly string[] => text.split(/[\s,]+/).filter((name) => name !== '')

/** `*` stands for any letters. Without a regular expression: the text is a user's. */
function wildcard(pattern: string): IsSecret {
  const parts = pattern.toLowerCase().split('*')
  const [first = '', ...rest] = parts
  return (name) => {
    const word = name.toLowerCase()
    if (rest.length === 0) return word === first
    const last = rest.at(-1) ?? ''
    if (!word.startsWith(first) || !word.endsWith(last) || word.length < first.length + last.length) return false
    let at = first.length
    for (const part of rest.slice(0, -1)) {
      const found = word.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= word.length - last.length
  }
}

/** The element with stars for the value of every name/value pair that is secret, and of every change of one in a patch. */
export function withoutSecrets(root: XmlElement, isSecret: IsSecret): XmlElement {
  const { name, value, path } = root.attributes
  const isPair = name !== undefined && value !== undefined && isSecret(name)
  const inside = path !== undefined && isSecretPlace(path, isSecret) ? hideValues(root) : root
  return {
    ...inside,
    attributes: isPair ? { ...root.attributes, value: hiddenValue } : root.attributes,
    children: inside.children.map((child) => (child.kind === 'element' ? withoutSecrets(child, isSecret) : child)),
  }
}

/** The id of a pair ends with its name: `fence-n1-instance_attributes-passwd`. */
function isSecretPlace(path: string, isSecret: IsSecret): boolean {
  const id = /@id='([^']*)'\]$/.exec(path)?.[1] ?? ''
  return isSecret(id.slice(id.lastIndexOf('-') + 1)) || isSecret(id)
}

function hideValues(root: XmlElement): XmlElement {
  const { name, value } = root.attributes
  return {
    ...root,
    attributes: {
      ...root.attributes,
      ...(value === undefined || (root.name === 'change-attr' && name !== 'value') ? {} : { value: hiddenValue }),
    },
    children: root.children.map((child) => (child.kind === 'element' ? hideValues(child) : child)),
  }
}

/** The values that are secret in a CIB. Words that stand for yes and no are none: they stand everywhere. */
export function secretValues(root: XmlElement, isSecret: IsSecret): readonly string[] {
  const { name, value } = root.attributes
  const own = name !== undefined && value !== undefined && isSecret(name) && !isAnswer(value) ? [value] : []
  return [...new Set([...own, ...childElements(root).flatMap((child) => secretValues(child, isSecret))])]
}

const isAnswer = (value: string): boolean => /^(true|false|yes|no|on|off|[01yn]|)$/i.test(value)

/**
 * Text in which secret values may stand: those that are known, and those that stand behind a secret name (`passwd=x`, `"passwd": "x"`,
 * `name="passwd" value="x"`, `https://user:x@host`).
 */
export function textWithoutSecrets(text: string, isSecret: IsSecret, values: readonly string[] = []): string {
  const longestFirst = values.toSorted((a, b) => b.length - a.length)
  return longestFirst
    .reduce(withoutValue, text)
    .replace(/<[a-z_]+ [^<>]*>/gi, (element) => elementWithoutSecret(element, isSecret))
    .replace(
      /(?<![\w.-])([\w.-]{1,64})(\\?["']?\s{0,3}[:=]\s{0,3})(\\?"[^"]*"|\\?'[^']*'|[^\s"',}<>]+)/g,
      (all, name: string, sign: string, value: string) => (isSecret(name) ? `${name}${sign}${keptQuotes(value)}` : all),
    )
    .replace(/(\w:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${hiddenValue}@`)
}

function elementWithoutSecret(element: string, isSecret: IsSecret): string {
  const name = /\bname=\\?["']([^"'\\]*)/.exec(element)?.[1] ?? ''
  return isSecret(name)
    ? element.replace(/(\bvalue=)(\\?"[^"]*"|\\?'[^']*')/, (_, sign: string, value: string) => sign + keptQuotes(value))
    : element
}

function keptQuotes(value: string): string {
  const quote = /^\\?["']/.exec(value)?.[0] ?? ''
  return `${quote}${hiddenValue}${quote}`
}

/** As it stands in text, in XML and in JSON. The letters of a short one stand in other words as well: of it only whole words go. */
export function withoutValue(text: string, secret: string): string {
  if (secret === '') return text
  const json = JSON.stringify(secret).slice(1, -1)
  const xml = printXml({ kind: 'element', name: 'a', attributes: { a: secret }, children: [] })
    .replace(/^[^"]*"/, '')
    .replace(/"[^"]*$/, '')
  if (secret.length >= shortSecret)
    return [...new Set([secret, json, xml])].reduce((rest, form) => rest.replaceAll(form, hiddenValue), text)
  return text
    .split(/\b/)
    .map((word) => (word === secret ? hiddenValue : word))
    .join('')
}

/** Characters. */
const shortSecret = 4

/** The words of a command line: `passwd=x`, `--token x`, and XML in which pairs stand. */
export function wordsWithoutSecrets(words: readonly string[], isSecret: IsSecret): readonly string[] {
  return words.map((word, index) => {
    if (word.includes('<')) return xmlWithoutSecrets(word, isSecret)
    const at = word.indexOf('=')
    if (at > 0 && isSecret(word.slice(0, at))) return `${word.slice(0, at)}=${hiddenValue}`
    const before = words[index - 1] ?? ''
    return before.startsWith('--') && !before.includes('=') && isSecret(before.slice(2)) && !word.startsWith('-')
      ? hiddenValue
      : textWithoutSecrets(word, isSecret)
  })
}

function xmlWithoutSecrets(word: string, isSecret: IsSecret): string {
  const at = word.indexOf('<')
  const parsed = parseXml(word.slice(at))
  if (!parsed.ok) return textWithoutSecrets(word, isSecret)
  const shown = withoutSecrets(parsed.value, isSecret)
  return JSON.stringify(shown) === JSON.stringify(parsed.value) ? word : word.slice(0, at) + printXml(shown).trim()
}
