/**
 * `npm run mutate`: takes the rules of `test/mutations/mutations.ts` out of the shipped code, one at a time and in a copy of the project, and says
 * which of them no test of the rooms concerned and no seed of the simulation misses. `--only TEXT`: those whose file or sentence has the text;
 * `--random N --seed S`: as many more, where a comparison, a sign or a word is turned over at random.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { seededRandom } from '../src/base/index.ts'
import { mutations } from '../test/mutations/mutations.ts'
import { readOptions, wholeNumber } from './arguments.ts'

const values = readOptions({
  only: { type: 'string', default: '' },
  seeds: { type: 'string', default: '40' },
  random: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
})
if (values.help) {
  console.log(`npm run mutate -- [--only TEXT]   those whose file or sentence has the text
                  [--seeds N]     of the simulation, for what no unit test finds
                  [--random N --seed S]   so many more at random`)
  process.exit()
}
const [seeds, random, seed] = [
  wholeNumber('seeds', values.seeds),
  wholeNumber('random', values.random),
  wholeNumber('seed', values.seed),
]

interface Mutant {
  readonly file: string
  readonly broken: string
  readonly source: string
}

const project = resolve(import.meta.dirname, '..')

/** The tests of a room that need nothing but a processor. */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  node: ['quick', 'test/node/'],
  controller: ['quick', 'test/controller/', 'test/node/'],
  membership: ['quick', 'test/membership/', 'test/node/'],
  quorum: ['quick', 'test/quorum/', 'test/node/'],
  fencing: [
    'machine',
    'test/fencing/fencing.test.ts',
    'test/fencing/self-fencing.test.ts',
    'test/fencing/watchdog.test.ts',
  ],
  executor: ['machine', 'test/executor/queue.test.ts', 'test/executor/own-history.test.ts'],
}

/** Each finds rules of its own: the last voters, watchdogs, and what happens seldom. */
const worlds: readonly (readonly string[])[] = [
  [],
  ['--nodes', '2', '--witness', 'false', '--fencing', 'true'],
  ['--watchdogs', 'true', '--fencing', 'true'],
  ['--faults', 'leave,upgrade,power,partition'],
]

const wanted = chosen()
if (wanted.length === 0) {
  console.error(`No mutation has '${values.only}' in it.`)
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'systole-mutants-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
copyProject()
checkUnbroken()
const found: Mutant[] = []
const missed: Mutant[] = []
for (const mutant of wanted) {
  const by = findMutant(mutant)
  ;(by === undefined ? missed : found).push(mutant)
  console.log(`${by === undefined ? 'NOT FOUND' : `by ${by}`.padEnd(9)}  ${mutant.file}: ${mutant.broken}`)
}
console.log(`\n${found.length} of ${wanted.length} are found.`)
for (const { file, broken } of missed) console.log(`not found: ${file}: ${broken}`)
if (missed.length > 0) process.exitCode = 1

function chosen(): readonly Mutant[] {
  const listed = Object.entries(mutations).flatMap(([file, list]) =>
    list.map(([broken, text, instead]): Mutant => ({ file, broken, source: replaced(file, text, instead) })),
  )
  const drawn = drawMutants(random)
  const has = ({ file, broken }: Mutant): boolean => `${file}: ${broken}`.includes(values.only)
  return [...listed.filter(has), ...drawn]
}

/** A mutation whose text is gone, or is there twice, says nothing any more: that ends the run before anything is tried. */
function replaced(file: string, text: string, instead: string): string {
  const source = readFileSync(join(project, file), 'utf8')
  const parts = source.split(text)
  if (parts.length === 2) return parts.join(instead)
  console.error(`${file} has this text ${parts.length - 1} times, not once; write its mutation anew:\n${text}`)
  process.exit(2)
}

function drawMutants(count: number): readonly Mutant[] {
  const next = seededRandom(seed)
  const files = Object.keys(testsOf).flatMap((room) =>
    readdirSync(join(project, 'src', room))
      .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
      .map((name) => `src/${room}/${name}`),
  )
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
  const places = files.flatMap((file) => {
    const source = readFileSync(join(project, file), 'utf8')
    return turned.flatMap(([sign, instead]) =>
      [...source.matchAll(sign)].flatMap(({ index, 0: text }) =>
        isRule(source, index) ? [{ file, index, text, instead, source }] : [],
      ),
    )
  })
  return Array.from({ length: Math.min(count, places.length) }, () => {
    const [place] = places.splice(Math.floor(next() * places.length), 1)
    if (place === undefined) throw new Error('There are no places left.')
    const { file, index, text, instead, source } = place
    const line = source.slice(0, index).split('\n').length
    return {
      file,
      broken: `line ${line}:${text}becomes${instead}`,
      source: source.slice(0, index) + instead + source.slice(index + text.length),
    }
  })
}

/** Neither a comment nor a type. */
function isRule(source: string, index: number): boolean {
  const begin = source.lastIndexOf('\n', index) + 1
  const end = source.indexOf('\n', index)
  return !/^\s*(\*|\/\/|\/\*|import|export type|readonly|\|)/.test(source.slice(begin, end))
}

function copyProject(): void {
  for (const name of [
    'src',
    'test',
    'scripts',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
    'shims',
    'agents',
    'bin',
  ])
    cpSync(join(project, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
}

/** What fails without any mutation finds nothing. */
function checkUnbroken(): void {
  const rooms = new Set(wanted.map(({ file }) => roomOf(file)))
  for (const room of rooms) {
    const failure = testsFail(room)
    if (failure === undefined) continue
    console.error(`The tests of ${room} fail without any mutation:\n${failure}`)
    process.exit(2)
  }
}

function findMutant({ file, source }: Mutant): 'tests' | 'seeds' | undefined {
  const path = join(folder, file)
  const before = readFileSync(path, 'utf8')
  writeFileSync(path, source)
  try {
    if (testsFail(roomOf(file)) !== undefined) return 'tests'
    return worlds.some((world) => simulationFails(world)) ? 'seeds' : undefined
  } finally {
    writeFileSync(path, before)
  }
}

function roomOf(file: string): string {
  return file.split('/')[1] ?? ''
}

function testsFail(room: string): string | undefined {
  const [kind = '', ...files] = testsOf[room] ?? []
  return failureOf('npx', ['vitest', 'run', '--project', kind, '--bail', '1', ...files])
}

function simulationFails(world: readonly string[]): boolean {
  return (
    failureOf(process.execPath, ['scripts/run.mjs', 'scripts/sim.ts', '--seeds', String(seeds), ...world]) !== undefined
  )
}

/** What runs for too long, in a loop that a mutant has made, has failed. */
function failureOf(command: string, args: readonly string[]): string | undefined {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 15 * 60_000,
    killSignal: 'SIGKILL',
  })
  return status === 0 ? undefined : `${stdout}${stderr}`
}
