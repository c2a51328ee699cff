import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseWatch } from '../../src/daemon/watches/watch-file.ts'
import { WatchKeeper } from '../../src/daemon/watches/watch-keeper.ts'
import type { Service } from '../../src/services/index.ts'
import { serviceOf } from './discovery/asking.ts'

/** Files that say what a node does when services change, and real programs that are run for them. */
let folder = ''
let quorate = true
let keeper: WatchKeeper
const nothing = (): void => undefined
let followed = 0
const log = { debug: nothing, info: () => void followed++, warn: nothing, error: nothing }
const open = (): WatchKeeper =>
  new WatchKeeper({ log, watches: join(folder, 'watches'), done: join(folder, 'done'), quorate: () => quorate })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-watches-'))
  mkdirSync(join(folder, 'watches'))
  quorate = true
  followed = 0
  keeper = open()
})
afterEach(() => {
  keeper.close()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
const linesOf = (name: string): readonly string[] => {
  try {
    return readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}
const know = (...services: readonly Service[]): void => keeper.take({ services })
const hook = (more = ''): string =>
  `services: [web]\ndebounce: 50ms\n${more}run: [sh, -c, 'cat >> ${folder}/seen; echo "$SYSTOLE_WATCH $SYSTOLE_SERVICES" >> ${folder}/ran']\n`

const template = `{% for one in services.web.instances %}server {{ one.node }} {{ one.address }}:{{ one.port }}
{% endfor %}`
const pool = (): void => {
  write('pool.liquid', template)
  write(
    'watches/pool.yaml',
    `services: [web]
debounce: 50ms
template: ${folder}/pool.liquid
to: ${folder}/pool.cfg
check: [sh, -c, 'test ! -e ${folder}/bad && grep -q server {file}']
run: [sh, -c, 'wc -l < ${folder}/pool.cfg >> ${folder}/reloads']
`,
  )
}

test('a program runs once for each change, with the healthy instances, however often it is looked and whatever else changes', async () => {
  write('watches/hook.yaml', hook())
  know(serviceOf('web', 2))
  await expect.poll(() => linesOf('ran')).toEqual(['hook web'])
  expect(JSON.parse(linesOf('seen')[0] ?? '')).toMatchObject({
    watch: 'hook',
    services: [{ name: 'web', instances: [{ node: 'n0', address: '10.0.0.0', port: 80 }, { node: 'n1' }] }],
  })
  for (let looks = 0; looks < 5; looks++) know(serviceOf('web', 2), serviceOf('db', looks))
  know(serviceOf('web', 3))
  // Only what has ended is done: a program that ran when the daemon ended runs again.
  await expect.poll(() => followed).toBe(2)
  expect(linesOf('ran')).toHaveLength(2)
  // A daemon that begins again knows what was done.
  keeper.close()
  keeper = open()
  know(serviceOf('web', 3))
  write('watches/other.yaml', hook())
  know(serviceOf('web', 3))
  await expect.poll(() => linesOf('ran')).toEqual(['hook web', 'hook web', 'other web'])
})

test('many changes within the debounce are one', async () => {
  write('watches/hook.yaml', hook().replace('50ms', '300ms'))
  for (const count of [1, 2, 3, 4]) know(serviceOf('web', count))
  await expect.poll(() => linesOf('ran')).toHaveLength(1)
  expect(JSON.parse(linesOf('seen')[0] ?? '{}')).toMatchObject({ services: [{ instances: { length: 4 } }] })
})

test('a template is rendered, checked and put in place before the program runs; what a check refuses changes nothing', async () => {
  pool()
  know(serviceOf('web', 2))
  await expect.poll(() => linesOf('reloads')).toEqual(['2'])
  expect(linesOf('pool.cfg')).toEqual(['server n0 10.0.0.0:80', 'server n1 10.0.0.1:80'])
  write('bad', '')
  know(serviceOf('web', 3))
  await expect
    .poll(() => keeper.troubles.join())
    .toContain(`${folder}/pool.cfg stays as it was: sh ended with exit code 1`)
  expect(linesOf('pool.cfg')).toHaveLength(2)
  expect(readdirSync(folder)).not.toContain('pool.cfg.systole-check')
  rmSync(join(folder, 'bad'))
  know(serviceOf('web', 4))
  await expect.poll(() => linesOf('reloads'), { timeout: 20_000 }).toEqual(['2', '4'])
  expect(keeper.troubles).toEqual([])
})

test('what is changed in the template counts with the next change, and a file that is gone is made again', async () => {
  pool()
  know(serviceOf('web', 2))
  await expect.poll(() => linesOf('reloads')).toHaveLength(1)
  keeper.close()
  rmSync(join(folder, 'pool.cfg'))
  keeper = open()
  know(serviceOf('web', 2))
  await expect.poll(() => linesOf('reloads')).toEqual(['2', '2'])
})

test('with fewer instances than min, and without quorum, everything stays as it was', async () => {
  write('watches/hook.yaml', hook('min: 1\n'))
  know(serviceOf('web', 0))
  await expect.poll(() => keeper.troubles.join()).toContain('web has 0 healthy instances, fewer than 1')
  keeper.close()
  quorate = false
  keeper = open()
  know(serviceOf('web', 2))
  await expect.poll(() => keeper.troubles.join()).toContain('this node has no quorum')
  expect(linesOf('ran')).toEqual([])
})

test('what fails is tried again after a while, not whenever something else changes', async () => {
  write('watches/bad.yaml', `services: [web]\ndebounce: 0s\nrun: [sh, -c, 'echo >> ${folder}/tried x; exit 7']\n`)
  know(serviceOf('web', 1))
  await expect.poll(() => keeper.troubles.join()).toContain('sh ended with exit code 7')
  for (let looks = 0; looks < 20; looks++) {
    know(serviceOf('web', 1), serviceOf('db', looks))
    await new Promise((resolve) => setImmediate(resolve))
  }
  know(serviceOf('web', 2))
  await expect.poll(() => linesOf('tried')).toHaveLength(2)
  // And again without a change.
  await expect.poll(() => linesOf('tried')).toHaveLength(3)
})

test('a program that hangs is killed, with what it has started', async () => {
  write(
    'watches/slow.yaml',
    `services: [web]\ndebounce: 0s\ntimeout: 300ms\nrun: [sh, -c, 'sleep 600 & echo $! > ${folder}/pid; wait']\n`,
  )
  know(serviceOf('web', 1))
  await expect.poll(() => keeper.troubles.join()).toContain('it did not end within 300 ms')
  const pid = Number(linesOf('pid')[0])
  await expect.poll(() => isAlive(pid)).toBe(false)
})

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z')
  } catch {
    return false
  }
}

test('templates that read other files, run for ever or have slips change nothing, and the reason is shown', async () => {
  for (const [text, why] of [
    ['{% include "/etc/passwd" %}', 'ENOENT'],
    ['{{ services.webb.instances }}', 'undefined variable'],
    ['{{ services.web.name | nosuch }}', 'undefined filter'],
    ['{% for a in (1..10000000) %}{% for b in (1..10000000) %}{% endfor %}{% endfor %}', 'limit exceeded'],
    ['{% for %}', 'illegal'],
  ] as const) {
    pool()
    write('pool.liquid', text)
    keeper.close()
    keeper = open()
    know(serviceOf('web', 2))
    await expect.poll(() => keeper.troubles.join(), { message: text }).toContain(why)
    expect(linesOf('pool.cfg')).toEqual([])
  }
})

test('files that others than root can write are not obeyed', async () => {
  pool()
  chmodSync(join(folder, 'watches/pool.yaml'), 0o666)
  know(serviceOf('web', 2))
  expect(keeper.troubles.join()).toContain('can be written by others than root')
  chmodSync(join(folder, 'watches/pool.yaml'), 0o644)
  chmodSync(join(folder, 'pool.liquid'), 0o664)
  know(serviceOf('web', 2))
  await expect.poll(() => keeper.troubles.join()).toContain('pool.liquid can be written by others than root')
  symlinkSync(join(folder, 'pool.liquid'), join(folder, 'watches/link.yaml'))
  know(serviceOf('web', 2))
  expect(keeper.troubles.join()).toContain('link.yaml is not a file')
  expect(linesOf('pool.cfg')).toEqual([])
})

const wrong: readonly (readonly [string, string])[] = [
  ['services: [', 'it is not YAML'],
  ['', 'the file: '],
  ['services: []\nrun: [a]', 'services: names no service'],
  ['services: [Web]\nrun: [a]', 'services.0: is not the name of a service'],
  ['services: [web]', 'it says neither run nor template'],
  ['services: [web]\nrun: reload', 'run: is not a list of words'],
  ['services: [web]\nrun: []', 'run: has no words'],
  ['services: [web]\nrun: [a]\ncolour: red', "there is no key 'colour'. Keys are services, debounce"],
  ['servics: [web]\nrun: [a]', "services is missing; there is no key 'servics'. Did you mean 'services'"],
  ['services: [web]\nrun: [a]\ndebounce: soon', 'debounce: is not a duration'],
  ['services: [web]\nrun: [a]\ndebounce: 2h', 'debounce: is not a duration'],
  ['services: [web]\nrun: [a]\ntimeout: 0s', 'timeout: is not a duration'],
  ['services: [web]\nrun: [a]\nmin: -1', 'min'],
  ['services: [web]\ntemplate: /a', 'template and to go together'],
  ['services: [web]\ntemplate: a\nto: /b', 'template: is not an absolute path'],
  ['services: [web]\nrun: [a]\ncheck: [b]', 'check needs template and to'],
  ['services: [web]\ntemplate: /a\nto: /b\ncheck: [c]', 'check does not say {file}'],
]
test.each(wrong)('%j is not a watch', (text, why) => {
  const parsed = parseWatch('pool', text)
  expect(parsed.ok ? '' : parsed.reports.join('; ')).toContain(why)
})

test('a template or a place to write to below a folder that others can write is not used: they could have root read and write elsewhere', async () => {
  mkdirSync(join(folder, 'shared/own'), { recursive: true })
  pool()
  chmodSync(join(folder, 'shared'), 0o777)
  const use = (words: string): void => {
    write('watches/pool.yaml', `services: [web]\ndebounce: 50ms\n${words}`)
    know(serviceOf('web', 2))
  }
  use(`template: ${folder}/pool.liquid\nto: ${folder}/shared/own/pool.cfg\n`)
  await expect.poll(() => keeper.troubles.join()).toMatch(/pool.cfg stays as it was: .*shared can be changed by others/)
  expect(readdirSync(join(folder, 'shared/own'))).toEqual([])
  write('shared/own/pool.liquid', template)
  use(`template: ${folder}/shared/own/pool.liquid\nto: ${folder}/pool.cfg\n`)
  await expect.poll(() => keeper.troubles.join()).toMatch(/failed: .*shared can be changed by others/)
  // As in /tmp, where nobody replaces what is another's.
  chmodSync(join(folder, 'shared'), 0o1777)
  use(`template: ${folder}/shared/own/pool.liquid\nto: ${folder}/shared/new/pool.cfg\n`)
  await expect.poll(() => linesOf('shared/new/pool.cfg')).toHaveLength(2)
})
