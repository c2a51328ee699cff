/** Reads the notation of usage texts, pcs's and our own: `create <id> [meta <name>=<value>]... [--wait[=n]]`. */

export type Grammar =
  | { readonly kind: 'text'; readonly text: string }
  /** What stands for something that an administrator writes, by its name. */
  | { readonly kind: 'slot'; readonly name: string }
  /** Parts of one word. */
  | { readonly kind: 'joined'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Grammar[] }
  | { readonly kind: 'choice'; readonly of: readonly Grammar[] }
  | { readonly kind: 'optional'; readonly inner: Grammar }
  | { readonly kind: 'repeated'; readonly inner: Grammar }

/** Words that stand for something although no `<>` says so: pcs's usage is not strict. */
export type IsSlot = (words: string) => boolean

export function parseUsage(usage: string, isSlot: IsSlot): Grammar {
  const tokens = usage.match(/<[^>]*>|\.\.\.|…|"[^"]*"|[[\]()|]|\s+|[^\s[\]()|<>….]+|\./g) ?? []
  let at = 0
  const isSpace = (token: string | undefined): boolean => token !== undefined && /^\s+$/.test(token)
  const skipSpace = (): void => {
    while (isSpace(tokens[at])) at++
  }

  /** Sequences between bars that stand apart. */
  function alternatives(): Grammar {
    const found = [sequence()]
    while (tokens[at] === '|') {
      at++
      found.push(sequence())
    }
    return found.length === 1 && found[0] !== undefined ? found[0] : { kind: 'choice', of: found }
  }

  function sequence(): Grammar {
    const parts: Grammar[] = []
    for (skipSpace(); at < tokens.length && ![']', ')', '|'].includes(tokens[at] ?? ''); skipSpace()) {
      if (tokens[at] === '...' || tokens[at] === '…') {
        at++
        const last = parts.pop()
        if (last !== undefined) parts.push(last.kind === 'repeated' ? last : { kind: 'repeated', inner: last })
        continue
      }
      parts.push(word())
    }
    const whole = parts.map((part) => (part.kind === 'text' ? part.text : '')).join(' ')
    return isSlot(whole) ? { kind: 'slot', name: whole } : { kind: 'sequence', parts }
  }

  /** Until the next space: `a|b` without spaces is a choice within the word. */
  function word(): Grammar {
    const branches: Grammar[][] = [[]]
    while (at < tokens.length && !isSpace(tokens[at]) && ![']', ')', '...', '…'].includes(tokens[at] ?? '')) {
      if (tokens[at] === '|') {
        // A bar that ends a word belongs to whoever reads sequences.
        if (isSpace(tokens[at + 1])) break
        at++
        branches.push([])
        continue
      }
      branches.at(-1)?.push(atom())
    }
    const of = branches.map(
      (parts): Grammar => (parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'joined', parts }),
    )
    return of.length === 1 && of[0] !== undefined ? of[0] : { kind: 'choice', of }
  }

  function atom(): Grammar {
    const token = tokens[at++] ?? ''
    if (token === '[' || token === '(') {
      const inner = alternatives()
      if (tokens[at] === (token === '[' ? ']' : ')')) at++
      return token === '[' ? { kind: 'optional', inner } : inner
    }
    if (token.startsWith('<')) return { kind: 'slot', name: token.slice(1, -1).replace(/\s+/g, ' ').trim() }
    if (token.startsWith('"')) return { kind: 'text', text: token.slice(1, -1) }
    // `--wait=n`, without `<>`.
    if (token.endsWith('=n'))
      return {
        kind: 'joined',
        parts: [
          { kind: 'text', text: token.slice(0, -1) },
          { kind: 'slot', name: 'n' },
        ],
      }
    return { kind: 'text', text: token }
  }

  return alternatives()
}

/** All that an administrator is to put in. */
export function slotsOf(grammar: Grammar): readonly string[] {
  switch (grammar.kind) {
    case 'text':
      return []
    case 'slot':
      return [grammar.name]
    case 'optional':
    case 'repeated':
      return slotsOf(grammar.inner)
    case 'choice':
      return grammar.of.flatMap(slotsOf)
    case 'joined':
    case 'sequence':
      return grammar.parts.flatMap(slotsOf)
  }
}
