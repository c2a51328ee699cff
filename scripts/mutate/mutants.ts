/** The mutants that `npm run mutate` tries: those of `test/mutations`, and as many more as are drawn. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../src/base/index.ts'
import { mutations } from '../../test/mutations/mutations.ts'

export interface Mutant {
  readonly file: string
  readonly broken: string
  /** The whole file, with the rule taken out. */
  readonly source: string
  /** Of the functions around the change, the innermost that has a name. */
  readonly within: string | undefined
  /** Differs once the file or the mutation does: an older result says nothing then. */
  readonly key: string
}

/** Rooms and folders in which mutants are drawn. */
const drawnIn = [
  'src/node',
  'src/controller',
  'src/membership',
  'src/quorum',
  'src/fencing',
  'src/executor',
  'src/holds',
  'src/jobs',
  'src/rollout',
  'src/daemon/node',
]

export function listedMutants(project: string): readonly Mutant[] {
  return Object.entries(mutations).flatMap(([file, list]) =>
    list.map(([broken, text, instead]) => {
      const source = readFileSync(join(project, file), 'utf8')
      return mutantOf({ file, broken, source, at: onlyPlace(file, source, text), text, instead })
    }),
  )
}

/** A mutation whose text is gone, or is there twice, says nothing any more: that ends the run before anything is tried. */
function onlyPlace(file: string, source: string, text: string): number {
  const parts = source.split(text)
  if (parts.length === 2) return parts[0]?.length ?? 0
  console.error(`${file} has this text ${parts.length - 1} times, not once; change its mutation:\n${text}`)
  process.exit(2)
}

const turned: readonly (readonly [RegExp, string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
]

export function drawnMutants(project: string, count: number, seed: number): readonly Mutant[] {
  const next = seededRandom(seed)
  const files = drawnIn.flatMap((folder) =>
    readdirSync(join(project, folder))
      .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
      .map((name) => `${folder}/${name}`),
  )
  const places = files.flatMap((file) => {
    const source = readFileSync(join(project, file), 'utf8')
    return turned.flatMap(([sign, instead]) =>
      [...source.matchAll(sign)].flatMap(({ index: at, 0: text }) =>
        isRule(source, at) ? [{ file, source, at, text, instead }] : [],
      ),
    )
  })
  return Array.from({ length: Math.min(count, places.length) }, () => {
    const [place] = places.splice(Math.floor(next() * places.length), 1)
    if (place === undefined) throw new Error('There are no places left.')
    const line = place.source.slice(0, place.at).split('\n').length
    return mutantOf({ ...place, broken: `line ${line}:${place.text}becomes${place.instead}` })
  })
}

interface Place {
  readonly file: string
  readonly source: string
  readonly at: number
  readonly text: string
  readonly instead: string
}

function mutantOf({ file, broken, source, at, text, instead }: Place & { readonly broken: string }): Mutant {
  const mutated = source.slice(0, at) + instead + source.slice(at + text.length)
  const key = createHash('sha256').update(`${file}\n${mutated}`).digest('hex').slice(0, 16)
  return { file, broken, source: mutated, within: functionAround(source, at), key }
}

/** Neither a comment nor a type. */
function isRule(source: string, at: number): boolean {
  const begin = source.lastIndexOf('\n', at) + 1
  const end = source.indexOf('\n', at)
  return !/^\s*(\*|\/\/|\/\*|import|export type|readonly|\|)/.test(source.slice(begin, end))
}

/** By the way that the formatter sets functions: at the left margin, and closed there. */
function functionAround(source: string, at: number): string | undefined {
  let name: string | undefined
  let offset = 0
  for (const line of source.split('\n')) {
    if (offset > at) break
    if (line === '}') name = undefined
    name = /^(?:export )?(?:async )?function\*? (\w+)/.exec(line)?.[1] ?? name
    offset += line.length + 1
  }
  return name
}
