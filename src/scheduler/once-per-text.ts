/** Instances of a clone have the same parameters, so that within one schedule most digests are asked for many times. */
import type { Md5 } from '../cib/index.ts'

export function oncePerText(md5: Md5): Md5 {
  const digests = new Map<string, string>()
  return (text) => {
    const known = digests.get(text)
    if (known !== undefined) return known
    const made = md5(text)
    digests.set(text, made)
    return made
  }
}
