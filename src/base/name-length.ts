/**
 * How long names may be, in bytes of UTF-8, wherever they enter. A name of a resource, a node, an operation, an agent or a ticket becomes part of
 * file names, which end at 255 bytes: agents put their own name, a suffix and the number of an instance around it, and a bundle the
 * address of a replica (`-ip-`, 39 letters). Half of 255 leaves room for all of that.
 */
export const longestName = 128
/** Names of attributes and parameters: `fail-count-web#monitor_10000` holds the name of a resource. */
export const longestAttributeName = 255
/** Ids that nothing but the CIB knows, such as those of constraints and pairs: they are made of several names. */
export const longestId = 1024

/** The sentence that refuses it; undefined where it is short enough. */
export function tooLong(what: string, name: string, longest: number): string | undefined {
  const bytes = byteLength(name)
  return bytes <= longest ? undefined : `The ${what} '${shortened(name)}' has ${bytes} bytes. The limit is ${longest}.`
}

/** For people: as much of a long name as tells which it is. */
export function shortened(name: string): string {
  return name.length <= longestName ? name : `${[...name.slice(0, 40)].slice(0, 39).join('')}…`
}

const byteLength = (text: string): number => Buffer.byteLength(text, 'utf8')
