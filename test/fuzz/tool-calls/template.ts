/**
 * How calls are drawn. A template is a call as it would be typed, with `{kind}` for a value that the CIB may have, `[…]` for what may
 * be left out and `(…|…)` for a choice: `crm_resource -r {resource} (-W|--locate) [-Q]`. Only blanks of the template separate words.
 */
import type { Random } from '../random.ts'

export type Draw = (kind: string) => string

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly Part[])[] }

export function drawWords(template: string, random: Random, draw: Draw): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  const write = (parts: readonly Part[]): void => {
    for (const part of parts) {
      if (part.kind === 'blank') {
        if (word !== undefined) words.push(word)
        word = undefined
      } else if (part.kind === 'choice') write(random.pick(part.choices) ?? [])
      else word = (word ?? '') + (part.kind === 'text' ? part.text : draw(part.name))
    }
  }
  write(readTemplate(template))
  return word === undefined ? words : [...words, word]
}

function readTemplate(template: string): readonly Part[] {
  const tokens = [...template.matchAll(/\{([\w-]+)\}|[[\]()|]| +|[^[\]()|{ ]+/g)]
  let at = 0
  const sequence = (): readonly Part[] => {
    const parts: Part[] = []
    for (; at < tokens.length; at++) {
      const [token = '', name] = tokens[at] ?? []
      if (token === ']' || token === ')' || token === '|') return parts
      if (name !== undefined) parts.push({ kind: 'value', name })
      else if (token.startsWith(' ')) parts.push({ kind: 'blank' })
      else if (token === '[' || token === '(') parts.push(choice(token))
      else parts.push({ kind: 'text', text: token })
    }
    return parts
  }
  const choice = (opening: string): Part => {
    const choices: (readonly Part[])[] = opening === '[' ? [[]] : []
    do {
      at++
      choices.push(sequence())
    } while (tokens[at]?.[0] === '|')
    if (tokens[at] === undefined) throw new Error(`A bracket of '${template}' is not closed.`)
    return { kind: 'choice', choices }
  }
  const parts = sequence()
  if (at < tokens.length) throw new Error(`A bracket of '${template}' was never opened.`)
  return parts
}
