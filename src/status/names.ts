/**
 * The order of names in lists and among nodes: without regard to case, digits compared as numbers, so that `node9` precedes
 * `node10`.
 */
export function compareNames(a: string, b: string): number {
  const [first, second] = [partsOf(a), partsOf(b)]
  for (let part = 0; part < Math.min(first.length, second.length); part++) {
    const [left = '', right = ''] = [first[part], second[part]]
    const order = compareParts(left, right)
    if (order !== 0) return order
  }
  return first.length - second.length
}

function compareParts(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  const [left, right] = [a.toLowerCase(), b.toLowerCase()]
  return left === right ? 0 : left < right ? -1 : 1
}

const partsOf = (name: string): readonly string[] => name.match(/\d+|\D/g) ?? []

const isNumber = (part: string): boolean => /^\d/.test(part)
