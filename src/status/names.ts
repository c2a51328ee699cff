/**
 * The order of names in lists and among nodes: without regard to case, digits compared as numbers, so that `node9` precedes
 * `node10`.
 */
export function compareNames(a: string, b: string): number {
  let atA = 0
  let atB = 0
  while (atA < a.length && atB < b.length) {
    if (isDigit(a, atA) && isDigit(b, atB)) {
      const endA = endOfNumber(a, atA)
      const endB = endOfNumber(b, atB)
      const order = Number(a.slice(atA, endA)) - Number(b.slice(atB, endB))
      if (order !== 0) return order
      atA = endA
      atB = endB
    } else {
      const order = compareCharacters(a.charAt(atA), b.charAt(atB))
      if (order !== 0) return order
      atA++
      atB++
    }
  }
  return a.length - atA - (b.length - atB)
}

function isDigit(name: string, at: number): boolean {
  const character = name.charCodeAt(at)
  return character >= 0x30 && character <= 0x39
}

function endOfNumber(name: string, start: number): number {
  let end = start + 1
  while (isDigit(name, end)) end++
  return end
}

function compareCharacters(a: string, b: string): number {
  // Names that are compared mostly begin alike.
  if (a === b) return 0
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  return left === right ? 0 : left < right ? -1 : 1
}
