/** How large things may become (docs/security.md, "Limits"): of this host's daemon, by its environment. */

/** A parameter reaches an agent in its environment, where Linux takes 128 KiB for one. */
export const longestValue = (): number => limit('SYSTOLE_VALUE_MAX', 64 * 1024)
/** All parameters, meta-attributes and options of a resource are in the environment of its agent, where Linux takes 2 MiB with the arguments. */
export const largestParameters = 1024 * 1024
/** Of each of them there, besides its name and value: `OCF_RESKEY_`, `CRM_meta_`, the end and a pointer. */
export const besideParameter = 32
/** Bytes of the text. It is stored compressed, and twice in one request of 8 MiB. */
export const largestConfiguration = (): number => limit('SYSTOLE_CONFIGURATION_MAX', 8 * 1024 * 1024)
/** Letters of the command that the history has with a version. */
export const longestCommand = 4096

/** All transient attributes of a node together, and all tickets. */
export const largestRecords = 1024 * 1024
/** Attributes of which it is kept that they have a dampening, or are private. */
export const mostTraits = 1000

function limit(name: string, otherwise: number): number {
  const asked = process.env[name] ?? ''
  return /^[1-9]\d{0,8}$/.test(asked) ? Number(asked) : otherwise
}
