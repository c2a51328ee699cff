import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { dataRooms, mindRooms, packagesOfDataRooms, rooms } from './rooms.ts'

const sourceFolder = resolve(import.meta.dirname, '../../src')

interface Import {
  readonly file: string
  readonly room: string
  readonly specifier: string
}

function importsOf(file: string): readonly Import[] {
  const room = relative(sourceFolder, file).split('/')[0] ?? ''
  const text = readFileSync(file, 'utf8')
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm),
  ]
  return specifiers.map((match) => ({
    file: relative(sourceFolder, file),
    room,
    specifier: match[1] ?? match[2] ?? '',
  }))
}

const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(sourceFolder, name))
const imports = files.flatMap(importsOf)

/** The room that a relative import lands in, and whether it comes through that room's door. */
function target(imported: Import): { readonly room: string; readonly path: string } | undefined {
  if (!imported.specifier.startsWith('.')) return undefined
  const path = relative(sourceFolder, resolve(sourceFolder, dirname(imported.file), imported.specifier))
  return { room: path.split('/')[0] ?? '', path }
}

test('every room is in the table', () => {
  const unknown = new Set(imports.map(({ room }) => room).filter((room) => !(room in rooms)))
  expect([...unknown]).toEqual([])
})

test('a room imports only the rooms that its row names', () => {
  const wrong = imports.filter((imported) => {
    const to = target(imported)?.room
    const allowed = rooms[imported.room]
    return to !== undefined && to !== imported.room && allowed !== 'everything' && !allowed?.includes(to)
  })
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([])
})

/** What comes from outside is searched by `readPattern` of base: the platform's engine may take for ever. */
test('no expression is made of a text', () => {
  const ofLiteralsOnly = ['store/etcd/member/refusal.ts']
  const wrong = files
    .filter((file) => /\bRegExp\(/.test(readFileSync(file, 'utf8')))
    .map((file) => relative(sourceFolder, file))
  expect(wrong.filter((file) => !ofLiteralsOnly.includes(file))).toEqual([])
})

test('other rooms come in through the door', () => {
  const wrong = imports.filter((imported) => {
    const to = target(imported)
    return to !== undefined && to.room !== imported.room && to.path !== `${to.room}/index.ts`
  })
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([])
})

test('rooms that decide and rooms that hold data do no I/O and use no package', () => {
  const wrong = imports.filter(({ room, specifier }) => {
    if (specifier.startsWith('.') || ![...mindRooms, ...dataRooms].includes(room)) return false
    return !packagesOfDataRooms[room]?.includes(specifier)
  })
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([])
})

test('no file needs itself by way of others, not even for a type', () => {
  const importsFrom = new Map<string, string[]>()
  for (const imported of imports) {
    const path = target(imported)?.path
    if (path !== undefined) importsFrom.set(imported.file, [...(importsFrom.get(imported.file) ?? []), path])
  }
  const over = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, way: readonly string[]): void => {
    const begin = way.indexOf(file)
    if (begin >= 0) circles.push([...way.slice(begin), file].join(' > '))
    if (begin >= 0 || over.has(file)) return
    for (const next of importsFrom.get(file) ?? []) visit(next, [...way, file])
    over.add(file)
  }
  for (const file of importsFrom.keys()) visit(file, [])
  expect(circles).toEqual([])
})
