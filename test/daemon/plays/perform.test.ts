import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { readPlay } from '../../../src/cli/play/read-play.ts'
import { BlueprintError, render } from '../../../src/daemon/plays/perform/blueprint.ts'
import { literal } from '../../../src/daemon/plays/perform/literal.ts'
import type { PerformOrder } from '../../../src/daemon/plays/perform/perform.ts'

/** Components as a node performs them: the program itself, with real commands, files and Python. */
const folder = mkdtempSync(join(tmpdir(), 'systole-perform-'))
const kept = join(folder, 'kept')
const at = (name: string): string => join(folder, name)
const components = resolve(import.meta.dirname, '../../../examples/plays/components')

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Performed {
  readonly code: number
  readonly output: string
  /** What it says on its descriptor 3. */
  readonly notes: readonly string[]
}

/** `jobs` as in an orchestration file. */
async function perform(jobs: readonly string[], more: Partial<PerformOrder> = {}): Promise<Performed> {
  const file = at('play.yaml')
  writeFileSync(file, `- jobs:\n${jobs.map((job) => `    - ${job.replaceAll('\n', '\n      ')}\n`).join('')}`)
  const cluster = { nodes: ['n1'], here: 'n1', remotes: [], nodesOfRole: () => [] }
  const { steps } = readPlay([file], cluster, undefined)
  const order: PerformOrder = {
    components: steps.flatMap((step) => step.components),
    query: {},
    force: false,
    play: 'p1',
    folder: kept,
    ...more,
  }
  const child = spawn(process.execPath, [resolve('dist/systole-components.cjs')], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const parts: [string, string] = ['', '']
  const take = (stream: unknown, part: 0 | 1): void => {
    if (typeof stream !== 'object' || stream === null || !('on' in stream)) throw new Error('no stream')
    ;(stream as NodeJS.ReadableStream).on('data', (chunk: Buffer) => (parts[part] += chunk.toString()))
  }
  take(child.stdout, 0)
  take(child.stderr, 0)
  take(child.stdio[3], 1)
  child.stdin.end(JSON.stringify(order))
  const code = await new Promise<number>((done) => child.on('close', (one) => done(one ?? -1)))
  endGroup(child.pid)
  return { code, output: parts[0], notes: parts[1].trimEnd().split('\n') }
}

/** As the runner of a task does when its command has ended. */
function endGroup(pid = 0): void {
  try {
    if (pid > 0) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

describe('commands', () => {
  test('see arguments and variables, and what was printed becomes an argument', async () => {
    const first = await perform([
      'RUN: --stdout-arg out --stderr-arg err echo one; echo two >&2',
      "ARG: list ['a', 'b']",
      'ARG: >\n  map {"k": 5}',
      'ENV: COLOUR {{ out }}-red',
      `RUN: echo "{{ out }} {{ err }} {{ list[1] }} {{ map.k + 1 }} $COLOUR" > ${at('said')}`,
    ])
    expect(first).toMatchObject({ code: 0, notes: ['0', '0', '0', '0', '0'] })
    expect(readFileSync(at('said'), 'utf8')).toBe('one two b 6 one-red\n')
    // The next task of this node knows them.
    expect((await perform([`RUN: test "{{ out }} $COLOUR" = "one one-red"`])).code).toBe(0)
    expect((await perform(['CACHEEVICT: args', 'RUN: echo {{ out }}'])).output).toContain(
      'The argument out is not set on this node.',
    )
  })

  test('that fail end the list, with their exit code and what they were', async () => {
    const { code, output, notes } = await perform(['RUN: exit 7', `RUN: touch ${at('never')}`])
    expect({ code, notes }).toEqual({ code: 7, notes: ['7'] })
    expect(output).toContain('Exit code 7: RUN exit 7\n')
    expect(existsSync(at('never'))).toBe(false)
  })

  test('that take too long are ended', async () => {
    const { code, notes } = await perform(['RUN: --timeout 1 sleep 60'])
    expect({ code, notes }).toEqual({ code: 124, notes: ['124'] })
  })

  test('with --no-block are not waited for', async () => {
    const { code } = await perform([
      `RUN: --no-block while [ ! -e ${at('go')} ]; do sleep 0.05; done; touch ${at('went')}`,
      `WAIT: --cmd test ! -e ${at('went')}`,
      `RUN: touch ${at('go')}`,
      `WAIT: --cmd --retry 100 test -e ${at('went')}`,
    ])
    expect(code).toBe(0)
  })

  test('with --force-lock keep each other out', async () => {
    const turn = `RUN: --skip-cache --force-lock test ! -e ${at('in')} && touch ${at('in')} && sleep 0.5 && rm ${at('in')}`
    const both = await Promise.all([perform([turn]), perform([turn])])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
  })
})

describe('what was done before', () => {
  const line = (): string => `RUN: echo {{ what }} >> ${at('log')}`
  const log = (): string => readFileSync(at('log'), 'utf8')

  test('with the same content is left out, and done again with another, by force, or once it is forgotten', async () => {
    await perform(['ARG: what a', line()])
    const second = await perform(['ARG: what a', line()])
    expect(second.output).toContain('done before')
    expect(log()).toBe('a\n')
    await perform(['ARG: what b', line()])
    expect(log()).toBe('a\nb\n')
    await perform([line()], { force: true })
    expect(log()).toBe('a\nb\nb\n')
    await perform(['CACHEEVICT: jobs', line()])
    await perform([line().replace('RUN:', 'RUN: --skip-cache')])
    expect(log()).toBe('a\nb\nb\nb\nb\n')
    await perform(['ENV: X 1', line()])
    expect(log()).toBe('a\nb\nb\nb\nb\nb\n')
  })

  test('is what succeeded: a list goes on where it had failed', async () => {
    const jobs = [`RUN: echo once >> ${at('log')}`, `RUN: test -e ${at('mended')}`, `RUN: echo then >> ${at('log')}`]
    expect((await perform(jobs)).code).toBe(1)
    writeFileSync(at('mended'), '')
    expect((await perform(jobs)).code).toBe(0)
    expect(log()).toBe('once\nthen\n')
  })

  test('is done again when the argument that it sets was forgotten, or after three days', async () => {
    const jobs = [`RUN: --stdout-arg x sh -c "echo y; echo y >> ${at('log')}"`]
    await perform(jobs)
    await perform(['CACHEEVICT: args', ...jobs])
    expect(log()).toBe('y\ny\n')
    const done = join(kept, 'done')
    const longAgo = new Date(Date.now() - 73 * 3_600_000)
    for (const name of readdirSync(done)) utimesSync(join(done, name), longAgo, longAgo)
    await perform(jobs)
    expect(log()).toBe('y\ny\ny\n')
  })
})

describe('files', () => {
  test('are written whole with mode and owner, rendered where they are blueprints, and left alone where they are there', async () => {
    writeFileSync(at('a.j2'), '{% for one in names %}\n- {{ one }}\n{% endfor %}\nend\n')
    writeFileSync(at('b.txt'), 'plain {{ braces }}\n')
    const jobs = [
      'ARG: names ["x", "y"]',
      `WORKDIR: --chmod 0750 ${at('d/e')}`,
      `ADD: --blueprint --chmod 0600 a.j2 ${at('d/a.conf')}`,
      `COPY: --chown=0:0 *.txt ${at('d/e')}/`,
    ]
    expect((await perform(jobs)).code).toBe(0)
    expect(readFileSync(at('d/a.conf'), 'utf8')).toBe('\n- x\n\n- y\n\nend\n')
    expect(readFileSync(at('d/e/b.txt'), 'utf8')).toBe('plain {{ braces }}\n')
    expect([statSync(at('d/e')).mode & 0o777, statSync(at('d/a.conf')).mode & 0o777]).toEqual([0o750, 0o600])
    const again = await perform(jobs)
    expect(again.output.match(/is there already/g)).toHaveLength(2)
    writeFileSync(at('d/a.conf'), 'changed by hand\n')
    expect((await perform(jobs)).output).toContain(`Wrote ${at('d/a.conf')}.`)
    const nowhere = await perform([`ADD: b.txt ${at('none/x')}`])
    expect(nowhere).toMatchObject({
      code: 1,
      output: expect.stringContaining(`There is no folder ${at('none')}.`) as unknown,
    })
    expect((await perform([`ADD: --blueprint b.txt ${at('d/x')}`])).output).toContain('The argument braces is not set')
  })

  test('in a folder of a user are written with his rights, and not beyond them', async () => {
    writeFileSync(at('key'), 'ssh\n')
    mkdirSync(at('home'))
    chownSync(at('home'), 65_534, 65_534)
    expect((await perform([`ADD: --chown=65534:65534 key ${at('home/key')}`])).code).toBe(0)
    expect(statSync(at('home/key')).uid).toBe(65_534)
    // He has put a link in the place of a folder: root does not follow it to where he cannot write.
    mkdirSync(at('roots'))
    execFileSync('setpriv', [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'ln',
      '-s',
      at('roots'),
      at('home/link'),
    ])
    const led = await perform([`ADD: --chown=65534 key ${at('home/link')}/key`])
    expect(led.code).toBe(1)
    expect(readdirSync(at('roots'))).toEqual([])
    // Nor does it give him what the link leads to.
    for (const path of [at('home/link'), at('home/link/below')]) {
      const given = await perform([`WORKDIR: --chown=65534 --chmod=0777 ${path}`])
      expect([given.code, existsSync(at('roots/below'))], given.output).toEqual([1, false])
    }
    expect([statSync(at('roots')).uid, statSync(at('roots')).mode & 0o777]).toEqual([0, 0o755])
    expect((await perform([`WORKDIR: --chown=65534 --chmod=0700 ${at('home/a/b')}`])).code).toBe(0)
    expect([statSync(at('home/a/b')).uid, statSync(at('home/a/b')).mode & 0o777]).toEqual([65_534, 0o700])
    const roots = await perform([`ADD: --chown=root key ${at('home/other')}`])
    expect(roots.output).toContain('belongs to the user 65534: a file there can belong to that user only.')
  })

  test('of arguments are read on the node', async () => {
    writeFileSync(at('values.yaml'), 'a: {b: [1, 2]}\nname: x\n')
    writeFileSync(at('list.yaml'), '- 1\n')
    expect((await perform([`CACHEFILE: ${at('values.yaml')}`, 'RUN: test "{{ a.b[1] }}{{ name }}" = 2x'])).code).toBe(0)
    expect((await perform([`CACHEFILE: ${at('list.yaml')}`])).output).toContain('is not a map of arguments')
    // Read, it would have no end.
    expect((await perform(['CACHEFILE: /dev/zero'])).output).toContain('/dev/zero is not a file.')
    writeFileSync(at('long.yaml'), `a: ${'x'.repeat(4 * 1024 * 1024)}\n`)
    expect((await perform([`CACHEFILE: ${at('long.yaml')}`])).output).toContain('is longer than 4 MiB')
  })
})

describe('facts of other nodes', () => {
  test('are told, and seen by what follows', async () => {
    const first = await perform(['ARG: port 80', 'QUERY: port'])
    expect(first.notes).toEqual(['0', '0', '={"port":80}'])
    const query = { n1: { port: 80 }, n2: { port: 81 } }
    const seen = ['QUERY_WAIT: --identity n1,n2 port', 'RUN: test "{{ query.n2.port }}" = 81']
    expect((await perform(seen, { query })).code).toBe(0)
    expect((await perform(['QUERY_WAIT: --identity n3 port'], { query })).output).toContain('was not collected from n3')
    expect((await perform(['CACHEEVICT: query', 'QUERY_WAIT: port'], { query })).code).toBe(1)
    expect((await perform(['QUERY: port', 'QUERY_WAIT: port'], { query })).code).toBe(0)
    expect((await perform(['QUERY: none'])).output).toContain('The argument none is not set on this node.')
    expect((await perform(['QUERY: --no-wait none'])).notes).toEqual(['0'])
    // The play sets it on one of the nodes only: here it stands for the others.
    expect((await perform(['QUERY: once', 'RUN: --run-once --stdout-arg once echo 1'])).notes).toEqual(['0', '0'])
  })
})

test('an argument that is too long to be passed on fails where it is collected', async () => {
  const { code, output, notes } = await perform([
    "RUN: --stdout-arg long head -c 70000 /dev/zero | tr '\\\\0' x",
    'QUERY: long',
  ])
  expect([code, notes.some((note) => note.startsWith('='))]).toEqual([1, false])
  expect(output).toContain('The argument long is longer than 64 KiB: QUERY cannot pass it on.')
})

describe('waiting', () => {
  test('is for a URL that answers, or fails when it never does', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      response.statusCode = ++asked > 2 ? 200 : 503
      response.end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    try {
      expect((await perform([`WAIT: --url --retry 5 --retry-wait 0 http://127.0.0.1:${port}/`])).code).toBe(0)
      asked = -100
      const never = await perform([`WAIT: --url --retry 2 --retry-wait 0 http://127.0.0.1:${port}/`])
      expect(never).toMatchObject({
        code: 1,
        output: expect.stringContaining('has not answered with 2xx or 3xx') as unknown,
      })
      expect(asked).toBe(-97)
    } finally {
      server.close()
    }
    expect((await perform(['WAIT: --cmd --retry 1 --retry-wait 0 false'])).output).toContain(
      'The command has not succeeded.',
    )
  })
})

describe('programs of the node', () => {
  /** Instead of the node's own: what they were called with is what counts here. */
  async function called(programs: readonly string[], jobs: readonly string[]): Promise<readonly string[]> {
    mkdirSync(at('bin'), { recursive: true })
    for (const name of programs)
      writeFileSync(at(`bin/${name}`), `#!/bin/sh\necho ${name} "$@" >> ${at('calls')}\necho '{"fact": "f"}'\n`, {
        mode: 0o755,
      })
    const { code, output } = await perform([`ENV: PATH ${at('bin')}:{{ '/usr/bin:/bin' }}`, ...jobs])
    expect(code, output).toBe(0)
    return existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trimEnd().split('\n') : []
  }

  test('systemctl', async () => {
    expect(
      await called(
        ['systemctl'],
        [
          'SERVICE: a b',
          'SERVICE: --restarted --enable --daemon-reload a',
          'SERVICE: --stopped --disable a',
          'SERVICE: --reloaded a',
        ],
      ),
    ).toEqual([
      'systemctl start a b',
      'systemctl daemon-reload',
      'systemctl enable a',
      'systemctl restart a',
      'systemctl disable a',
      'systemctl stop a',
      'systemctl reload a',
    ])
  })

  test('a name that has become an option on the node is refused', async () => {
    for (const job of [
      'SERVICE: "{{ name }}"',
      'DNF: "{{ name }}"',
      'CONTAINER_IMAGE: --pull "{{ name }}"',
      'POD: --start "{{ name }}"',
    ]) {
      const { code, output } = await perform(['ARG: name --root=/tmp', job])
      expect([code, output], job).toEqual([1, expect.stringContaining("'--root=/tmp' is not a name")])
    }
  })

  test('a service is restarted again only once something before it has changed', async () => {
    const jobs = (text: string): readonly string[] => [`RUN: echo ${text}`, 'SERVICE: --restarted a']
    await called(['systemctl'], jobs('1'))
    await called(['systemctl'], jobs('1'))
    expect(await called(['systemctl'], jobs('2'))).toEqual(['systemctl restart a', 'systemctl restart a'])
  })

  test('the package manager that there is', async () => {
    expect(
      await called(['dnf'], ['DNF: a b', 'APT: --latest c', 'DNF: --absent d', 'DNF: --clear-metadata e']),
    ).toEqual([
      'dnf -q -y install a b',
      'dnf -q -y install c',
      'dnf -q -y upgrade c',
      'dnf -q -y remove d',
      'dnf -q clean all',
      'dnf -q makecache',
      'dnf -q -y install e',
    ])
  })

  test('podman', async () => {
    expect(
      await called(
        ['podman'],
        [
          'POD: --start p',
          'POD: --kill p --kill-signal TERM',
          'POD: --rm p --force',
          'POD: --play /etc/pod.yaml --tls-verify',
          'POD: --exec-run c --privileged --env A=1,B=2 echo hi',
          'CONTAINER_IMAGE: --pull --no-tlsverify a b',
          'CONTAINER_IMAGE: --tag a b',
          'CONTAINER_IMAGE: --list',
          'CONTAINER_IMAGE: --inspect a',
          'CONTAINER_IMAGE: --socket-path /run/other.sock --push a',
          'POD: --socket-path /run/other.sock --inspect p',
        ],
      ),
    ).toEqual([
      'podman pod start p',
      'podman pod kill --signal TERM p',
      'podman pod rm --force p',
      'podman play kube --tls-verify=true /etc/pod.yaml',
      'podman exec --privileged --env A=1 --env B=2 c /bin/sh -c echo hi',
      'podman pull --tls-verify=false a',
      'podman pull --tls-verify=false b',
      'podman tag a b',
      'podman images --format json',
      'podman image inspect a',
      'podman --remote --url unix:///run/other.sock push a',
      'podman --remote --url unix:///run/other.sock pod inspect p',
    ])
  })

  test('facter', async () => {
    expect(await called(['facter'], ['FACTER: --custom-dir /f', 'RUN: test {{ facter.fact }} = f'])).toEqual([
      'facter --json --custom-dir /f',
    ])
  })
})

test('a component of a user runs in Python as Directord runs it', async () => {
  mkdirSync(at('components'))
  writeFileSync(at('components/echo.py'), readFileSync(join(components, 'echo.py')))
  writeFileSync(
    at('components/keep.py'),
    `from directord import components

class Component(components.ComponentBase):
    def __init__(self):
        super().__init__(desc="older form")

    def args(self):
        super().args()
        self.parser.add_argument("name")

    def server(self, exec_string, data, arg_vars):
        super().server(exec_string=exec_string, data=data, arg_vars=arg_vars)
        data["name"] = self.known_args.name
        return data

    def client(self, conn, cache, job):
        out, err, ok = self.run_command("echo kept by $SHELL_OF", env={"SHELL_OF": "sh"})
        self.set_cache(cache["args"], job["name"], out.decode().strip())
        return out, err, ok and job["name"] != "bad"
`,
  )
  const { code, output } = await perform(['ECHO: hello there', 'KEEP: mine', 'RUN: echo "[{{ mine }}]"'])
  expect(code, output).toBe(0)
  expect(output).toContain('> ECHO hello there\nhello there\n')
  expect(output).toContain('[kept by sh]')
  expect((await perform(['KEEP: bad'])).code).toBe(1)
})

test('a component of a user that is made from an Ansible module’s options, and stores its output', async () => {
  mkdirSync(at('components'))
  writeFileSync(
    at('components/greet.py'),
    `from directord import components
from directord.components.lib import cacheargs, retry

OPTIONS = """
options:
  whom: {description: [who is, greeted 100%], required: true, type: str}
  times: {default: 2, type: int}
  loud: {type: bool}
"""

class Component(components.ComponentBase):
    def args(self):
        super().args()
        self.options_converter(documentation=OPTIONS)

    def server(self, exec_array, data, arg_vars):
        super().server(exec_array=exec_array, data=data, arg_vars=arg_vars)
        data.update(vars(self.known_args))
        return data

    @retry
    @cacheargs
    def client(self, cache, job):
        known = cache.get("args", default=dict()).get("host", "?")
        said = " ".join(["hi " + job["whom"]] * job["times"])
        return (said.upper() if job["loud"] else said) + " from " + known, None, bool(self.driver.identity), None
`,
  )
  const { code, output } = await perform([
    'ARG: host h1',
    'GREET: --whom eve\nvars:\n  stdout_arg: first',
    'GREET: --whom adam --times 1\nvars:\n  loud: true\n  stdout_arg: second',
    'RUN: echo "[{{ first }}|{{ second }}]"',
  ])
  expect(code, output).toBe(0)
  expect(output).toContain('[hi eve hi eve from h1|HI ADAM from h1]')
  const missing = await perform(['GREET: --times 1'])
  expect([missing.code, missing.output]).toEqual([2, expect.stringContaining('GREET --times 1')])
  expect((await perform(['GREET: --exec-help'])).output).toContain('who is greeted 100%')
})

test('an argument is what Python or JSON would read', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['text', 'text'],
    ['5', 5],
    ['1.5', 1.5],
    ["['a', 'b']", ['a', 'b']],
    ['{"a": [1]}', { a: [1] }],
    ['True', true],
    ['None', null],
    ['1.2.3', '1.2.3'],
    ['- x', '- x'],
    ["{'a': True, 'b': None, 'c': [1.5, -2, 'it\\'s']}", { a: true, b: null, c: [1.5, -2, "it's"] }],
    ["('a', )", ['a']],
    ['[a, b]', '[a, b]'],
    ["['a' 'b']", "['a' 'b']"],
    ["['a'] and more", "['a'] and more"],
    ["{'a': }", "{'a': }"],
    ["['a", "['a"],
    ['['.repeat(1000), '['.repeat(1000)],
  ]
  for (const [text, value] of cases) expect(literal(text), text).toEqual(value)
})

describe('a template in the way of Directord’s own files', () => {
  const query = {
    'db1.lab': { address: '192.0.2.1', secret: 's', facter: { kernel: 'Linux' } },
    'db2.lab': { address: '192.0.2.2' },
  }
  test.each([
    [
      '{% for _, value in query.items() %}{% if "secret" in value %}{{ value["secret"] }}{% elif not value %}none{% endif %}{% endfor %}',
      's',
    ],
    ['{% for name in query %}{{ name.split(".")[0] }}{{ "," if not loop.last }}{% endfor %}', 'db1,db2'],
    ["{{ query.values() | map(attribute='secret') | select('defined') | list | first }}", 's'],
    [
      '{{ query.values() | map(attribute="facter") | select("defined") | map(attribute="kernel") | list }}',
      '["Linux"]',
    ],
    [
      '{% set all = [] %}{% for one in query.values() %}{% set _ = all.append(one.address ~ ":80") %}{% endfor %}{{ all | join(" ") }}',
      '192.0.2.1:80 192.0.2.2:80',
    ],
    ['{% set all = ["a"] %}{% set _ = all.extend(["b", "c"]) %}{{ all | join }}', 'abc'],
    ['{{ domain | replace(".", "-") }} {{ "a" not in domain and domain != "" }}', 'x-org true'],
    [
      '{{ [3, 1] | max }} {{ [3, 1] | min }} {{ [3, 1] | sum }} {{ [{"n": 2}, {"n": 3}] | sum(attribute="n") }} {{ query | count }}',
      '3 1 4 5 2',
    ],
    ['{{ "%s:%03d%%|%-3s|%.1f" | format("a", 7, "b", 1.25) }}', 'a:007%|b  |1.3'],
    [
      '{{ ["a", "b"] | map("upper") | join }} {{ [0, 1, none] | reject | list | count }} {{ 2.567 | round(1) }} {{ "a b" | wordcount }} {{ "a b/c" | urlencode }}',
      'AB 2 2.6 2 a%20b/c',
    ],
    ['{% raw %}{{ not ours }}{% endraw %} {%- raw -%} {% if %} {%- endraw %}', '{{ not ours }}{% if %}'],
  ])('%s', (text, rendered) => {
    expect(render(text, { query, domain: 'x.org' })).toBe(rendered)
  })

  test('does not know what Jinja does not know either', () => {
    expect(() => render('{{ a | select("nonsense") }}', { a: [1] })).toThrow("There is no test 'nonsense'")
    expect(() => render('{{ __filter_max(a) }}', { a: [1] })).toThrow('__filter_max is not set')
    expect(() => render('{{ a.append(1) }}', { a: 'text' })).toThrow('append is of lists only')
  })
})

test('a blueprint names what is not set, but not what it asks about or sets itself', () => {
  expect(
    render('{{ a.b }} {% if c is defined %}{{ c }}{% endif %}{{ d | default("e") }}{% set f = 1 %}{{ f }}', {
      a: { b: 2 },
    }),
  ).toBe('2 e1')
  expect(() => render('{{ a }} {{ b.c }} {{ d[e] }}', { a: 1 })).toThrow(
    new BlueprintError('The arguments b, d, e are not set on this node.'),
  )
  expect(() => render('{{ a', {})).toThrow(BlueprintError)
  expect(() => render('{{ a | nofilter }}', { a: 1 })).toThrow(BlueprintError)
  expect(render('no braces {', {})).toBe('no braces {')
})

describe('APT', () => {
  const root = at('root')
  const repository = at('repository')

  /** A system of its own in a folder, for a real apt-get, whose only repository is a folder. */
  function prepare(): string {
    for (const path of [
      'var/lib/dpkg/updates',
      'var/lib/dpkg/info',
      'var/lib/dpkg/triggers',
      'var/lib/apt/lists/partial',
    ])
      mkdirSync(join(root, path), { recursive: true })
    for (const path of ['var/cache/apt/archives/partial', 'etc/apt/sources.list.d', 'var/log/apt'])
      mkdirSync(join(root, path), { recursive: true })
    mkdirSync(repository, { recursive: true })
    writeFileSync(join(root, 'var/lib/dpkg/status'), '')
    writeFileSync(join(root, 'etc/apt/sources.list'), `deb [trusted=yes] file:${repository} ./\n`)
    const config = [
      `Dir "${root}";`,
      `Dir::State::status "${root}/var/lib/dpkg/status";`,
      'Dir::Bin::methods "/usr/lib/apt/methods";',
      'Dir::Bin::dpkg "/usr/bin/dpkg";',
      'APT::Sandbox::User "root";',
      `DPkg::Options { "--root=${root}"; };`,
      'DPkg::Pre-Install-Pkgs "";',
      'DPkg::Post-Invoke "";',
    ]
    writeFileSync(at('apt.conf'), `${config.join('\n')}\n`)
    return `ENV: APT_CONFIG ${at('apt.conf')}`
  }

  function publish(version: string): void {
    const tree = at(`tree-${version}`)
    for (const path of ['DEBIAN', 'usr/share/hello-play']) mkdirSync(join(tree, path), { recursive: true })
    const control = `Package: hello-play\nVersion: ${version}\nArchitecture: all\nMaintainer: Nobody <nobody@example.org>\nDescription: says hello\n`
    writeFileSync(join(tree, 'DEBIAN/control'), control)
    writeFileSync(join(tree, 'usr/share/hello-play/version'), version)
    const name = `hello-play_${version}_all.deb`
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', tree, join(repository, name)])
    const content = readFileSync(join(repository, name))
    const sum = createHash('sha256').update(content).digest('hex')
    const entry = `${control}Filename: ./${name}\nSize: ${content.length}\nSHA256: ${sum}\n\n`
    writeFileSync(join(repository, 'Packages'), entry, { flag: 'a' })
  }

  const installed = (): string | undefined => {
    const file = join(root, 'usr/share/hello-play/version')
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  test('installs, upgrades and removes a package with the real apt-get, and does not repeat what was done', async () => {
    const system = prepare()
    publish('1.0')
    const first = await perform([system, 'APT: --clear-metadata hello-play'])
    expect(first.output).toContain('Setting up hello-play (1.0)')
    expect({ code: first.code, version: installed() }).toEqual({ code: 0, version: '1.0' })
    publish('2.0')
    const again = await perform([system, 'APT: --clear-metadata hello-play'])
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('done before') as unknown })
    expect(installed()).toBe('1.0')
    expect((await perform([system, 'APT: --latest --clear-metadata hello-play'])).code).toBe(0)
    expect(installed()).toBe('2.0')
    expect((await perform([system, 'APT: --absent hello-play'])).code).toBe(0)
    expect(installed()).toBeUndefined()
    const missing = await perform([system, 'APT: no-such-package'])
    expect(missing.code).toBe(100)
    expect(missing.output).toContain('Exit code 100: APT no-such-package')
  }, 60_000)
})
