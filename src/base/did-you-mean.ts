const longestWord = 255

/**
 * The candidates that a mistyped word most likely meant, best first, at most three. A name that lacks the first parts of the
 * other (`delay-clone` for `openstack-ceilometer-delay-clone`) is nearer than one with the same number of letters changed.
 */
export function similarWords(word: string, candidates: Iterable<string>): readonly string[] {
  // Comparing takes as long as both are long, and nobody mistypes such a word: it was sent to keep the daemon busy.
  if (word.length > longestWord) return []
  const limit = Math.max(1, Math.floor(word.length / 3))
  return [...new Set(candidates)]
    .filter((candidate) => candidate.length <= longestWord)
    .map((candidate) => ({
      candidate,
      shortened: isShortened(word, candidate) || isShortened(candidate, word),
      distance: editDistance(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance, shortened }) => shortened || distance <= limit)
    .sort(
      (a, b) =>
        Number(b.shortened) - Number(a.shortened) || a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1),
    )
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function isShortened(long: string, short: string): boolean {
  return short !== '' && long.toLowerCase().endsWith(`-${short.toLowerCase()}`)
}

/** " Did you mean 'a' or 'b'?", or nothing where nothing is similar. */
export function didYouMean(similar: readonly string[]): string {
  return similar.length === 0 ? '' : ` Did you mean ${similar.map((word) => `'${word}'`).join(' or ')}?`
}

/** Edits of one character, a swap of neighbours counting as one (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
