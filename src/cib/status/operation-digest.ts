/**
 * Digests of an operation's parameters: the scheduler compares the recorded one with that of the parameters as they are now
 * configured, and restarts or reloads the resource where they differ. They are Pacemaker's, so that a history made by it is
 * understood: the MD5 of one line of XML with sorted names. MD5 is the caller's, for this room has no cryptography.
 */
import type { OperationDigests } from './operation-history.ts'

/** The hexadecimal MD5 of a text in UTF-8. */
export type Md5 = (text: string) => string

export interface DigestInput {
  /** The agent's parameters with their values, without meta-attributes. */
  readonly parameters: Readonly<Record<string, string>>
  /** Recurring operations count their timeout as a parameter. */
  readonly recurringTimeoutMs?: number
  /** The parameters whose change needs a restart; absent where the agent cannot reload. */
  readonly restartNames?: readonly string[]
  /** The agent's secret parameters; absent where it has none. */
  readonly secretNames?: readonly string[]
}

export function operationDigests(input: DigestInput, md5: Md5): OperationDigests {
  const { restartNames, secretNames } = input
  const parameters = only(input.parameters, (name) => !notConfigured.has(name))
  const timed =
    input.recurringTimeoutMs === undefined
      ? parameters
      : { ...parameters, CRM_meta_timeout: String(input.recurringTimeoutMs) }
  const restart = restartNames && {
    names: restartNames,
    digest: parametersDigest(
      only(parameters, (name) => restartNames.includes(name)),
      md5,
    ),
  }
  const secure = secretNames && {
    names: secretNames,
    digest: parametersDigest(
      only(parameters, (name) => !secretNames.includes(name)),
      md5,
    ),
  }
  return { all: parametersDigest(timed, md5), ...(restart && { restart }), ...(secure && { secure }) }
}

/** What an agent is told besides its parameters: of a bundled resource, the address of its replica. */
const notConfigured = new Set(['pcmk_external_ip', 'crm_feature_set'])

/** ` <parameters a="1" b="2"/>` and a line break, names in the order of their bytes. */
export function parametersDigest(parameters: Readonly<Record<string, string>>, md5: Md5): string {
  const pairs = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ` ${name}="${escapeValue(value)}"`)
  return md5(` <parameters${pairs.join('')}/>\n`)
}

function only(
  parameters: Readonly<Record<string, string>>,
  keep: (name: string) => boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => keep(name)))
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** As Pacemaker 3.0 prints attributes; before, line breaks, tabs and apostrophes were written in other ways. */
function escapeValue(value: string): string {
  return value.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped here.
    /[&<>"\u0000-\u001f\u007f]/g,
    (character) => escapes[character] ?? `&#x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')};`,
  )
}
