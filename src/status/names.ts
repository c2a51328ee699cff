/**
 * The order of names in lists and among nodes: without regard to case, digits compared as numbers, so that `node9` precedes
 * `node10`.
 */
export function compareNames(a: string, b: string): number {
  let [atA, atB] = [0, 0]
  while (atA < a.length && atB < b.length) {
    // Names that are compared mostly begin alike.
    if (a.charCodeAt(atA) === b.charCodeAt(atB) && !isDigit(a.charCodeAt(atA))) {
      atA++
      atB++
      continue
    }
    const [endA, endB] = [endOfPart(a, atA), endOfPart(b, atB)]
    const order = compareParts(a.slice(atA, endA), b.slice(atB, endB))
    if (order !== 0) return order
    atA = endA
    atB = endB
  }
  return a.length - atA - (b.length - atB)
}

const isDigit = (character: number): boolean => character >= 0x30 && character <= 0x39

/** A part is a number or a single character. */
function endOfPart(name: string, start: number): number {
  if (!isDigit(name.charCodeAt(start))) return start + 1
  let end = start + 1
  while (isDigit(name.charCodeAt(end))) end++
  return end
}

function compareParts(a: string, b: string): number {
  if (isDigit(a.charCodeAt(0)) && isDigit(b.charCodeAt(0))) return Number(a) - Number(b)
  const [left, right] = [a.toLowerCase(), b.toLowerCase()]
  return left === right ? 0 : left < right ? -1 : 1
}
