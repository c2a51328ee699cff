import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { askedOfMachine } from './machine.ts'
import { identifiersOf, replaced, wordsIn } from './names.ts'
import { actingFiles, dataRooms, mindRooms, packagesOfDataRooms, rooms } from './rooms.ts'

const sourceFolder = resolve(import.meta.dirname, '../../src')

interface Import {
  readonly file: string
  readonly room: string
  readonly specifier: string
}

function importsOf(file: string): readonly Import[] {
  const room = relative(sourceFolder, file).split('/')[0] ?? ''
  const text = readFileSync(file, 'utf8')
  return specifiersOf(text).map((specifier) => ({ file: relative(sourceFolder, file), room, specifier }))
}

function specifiersOf(text: string): readonly string[] {
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"`]([^'"`]+)['"`]|^\s*import\s*['"]([^'"]+)['"]/gm,
  )
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
}

const files = readdirSync(sourceFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
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
  // The second: the patterns of the format of rollout files, which are ours.
  const ofLiteralsOnly = ['store/etcd/member/refusal.ts', 'base/check-schema.ts']
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

/** The zone of the host is asked for in one file, and handed to rooms that decide. */
const askers = ['base/host-zone.ts']
const pureRooms = new Set([...mindRooms, ...dataRooms])
const inFolder = files.map((file) => relative(sourceFolder, file))
/** Of rooms that also act, the files that decide. */
const decidingFiles = inFolder.filter((file) => {
  const acting = actingFiles[file.split('/')[0] ?? '']
  return acting !== undefined && !acting.includes(file.split('/').slice(1).join('/'))
})

test('rooms that decide and rooms that hold data ask the machine nothing: no clock, no chance, no network, no timer', () => {
  const wrong = [...inFolder.filter((file) => pureRooms.has(file.split('/')[0] ?? '')), ...decidingFiles]
    .filter((file) => !askers.includes(file))
    .flatMap((file) => {
      const found = askedOfMachine(readFileSync(join(sourceFolder, file), 'utf8'))
      return found === undefined ? [] : [`${file} has ${found}`]
    })
  expect(wrong).toEqual([])
})

test('in rooms that also act, what decides imports nothing from outside, and what acts is named', () => {
  const wrong = imports.filter(({ file, specifier }) => decidingFiles.includes(file) && !specifier.startsWith('.'))
  expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([])
  const gone = Object.entries(actingFiles).flatMap(([room, names]) => names.map((name) => `${room}/${name}`))
  expect(gone.filter((file) => !inFolder.includes(file))).toEqual([])
})

test.each([
  'Date.now()',
  'new Date()',
  'const day = new Date',
  'Date()',
  'new Date(2026, 1, 1)',
  'new Date(at).getHours()',
  'const { random } = Math.random',
  'fetch(url)',
  'setTimeout(run, 1)',
  'const later = setInterval',
  'performance.now()',
  'process.env.TZ',
  'a.localeCompare(b)',
  'at.toLocaleString()',
  'crypto.getRandomValues(bytes)',
  'globalThis.Date',
  'Intl.DateTimeFormat()',
  "require('node:fs')",
  'import.meta.dirname',
])('%s asks the machine', (code) => {
  expect(askedOfMachine(`const a = ${code}`)).toBeDefined()
  expect(askedOfMachine(`/* ${code} */ const a = 1 // ${code}`)).toBeUndefined()
})

test.each([
  'new Date(at * 1000).toISOString()',
  'Date.UTC(2000, 1)',
  "a.localeCompare(b, 'en', { numeric: true })",
  'day.getUTCHours()',
])('%s does not', (code) => {
  expect(askedOfMachine(code)).toBeUndefined()
})

test.each([
  "import { readFileSync } from 'node:fs'",
  "import './other.ts'",
  "import 'reflect-metadata'",
  "export * from 'node:path'",
  "const { join } = await import('node:path')",
  "import {\n  a,\n  b,\n} from 'node:os'",
  "import type { A } from 'pino'",
])('%s is seen as an import', (code) => {
  expect(specifiersOf(code)).toHaveLength(1)
})

test('names in rooms that decide, and of files, are terms of the field', () => {
  const old = (names: Iterable<string>): readonly string[] =>
    [...names].filter((name) => wordsIn(name).some((word) => Object.hasOwn(replaced, word)))
  const deciding = [...inFolder.filter((file) => pureRooms.has(file.split('/')[0] ?? '')), ...decidingFiles]
  const identifiers = deciding.flatMap((file) =>
    old(identifiersOf(readFileSync(join(sourceFolder, file), 'utf8'))).map((name) => `${file}: ${name}`),
  )
  expect([...identifiers, ...old(inFolder)]).toEqual([])
  expect(old(['ownHands', 'pursueVotes', 'peer-is-deaf.ts', 'shadow', 'commend'])).toHaveLength(3)
})

/** They read what no caller names: the kernel's files, this host's release, the folder that a report was put together in, our own script. */
const ownReaders = [
  'cli/commands/stonith/kernel-watchdogs.ts',
  'tools/file/host-facts.ts',
  'tools/file/report-archive.ts',
  'cli/start/load-late.ts',
]

test('a file that a command names is read by one function, which has a bound', () => {
  const wrong = files
    .map((file) => relative(sourceFolder, file))
    .filter((file) => /^(?:cli|tools)\//.test(file) && !ownReaders.includes(file))
    .filter((file) => /\breadFile(?:Sync)?\b[^:]*from 'node:fs/.test(readFileSync(join(sourceFolder, file), 'utf8')))
  expect(wrong).toEqual([])
})

test('nothing is imported for what its loading does', () => {
  const wrong = files.filter((file) => /^\s*import\s*['"]/m.test(readFileSync(file, 'utf8')))
  expect(wrong.map((file) => relative(sourceFolder, file))).toEqual([])
})

test('folders of a room need each other in no circle', () => {
  expect(circlesOf(foldersNeeded()).map((circle) => circle.join(' '))).toEqual([])
})

/** The door stands outside: it shows what all folders have. */
function foldersNeeded(): ReadonlyMap<string, ReadonlySet<string>> {
  const needed = new Map<string, Set<string>>()
  for (const imported of imports) {
    const to = target(imported)
    if (to === undefined || to.room !== imported.room || imported.file === `${imported.room}/index.ts`) continue
    const [from, there] = [dirname(imported.file), dirname(to.path)]
    if (from !== there) needed.set(from, (needed.get(from) ?? new Set()).add(there))
  }
  return needed
}

/** Folders from each of which every other one of the circle is reached. */
function circlesOf(needed: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const reached = new Map([...needed.keys()].map((folder) => [folder, reachedFrom(folder, needed)]))
  const circles = [...reached].flatMap(([folder, others]) => {
    const circle = [...others].filter((other) => reached.get(other)?.has(folder) === true)
    return others.has(folder) ? [circle.sort()] : []
  })
  return [...new Map(circles.map((circle) => [circle.join(' '), circle])).values()]
}

function reachedFrom(folder: string, needed: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (from: string): void => {
    for (const to of needed.get(from) ?? [])
      if (!reached.has(to)) {
        reached.add(to)
        visit(to)
      }
  }
  visit(folder)
  return reached
}

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
