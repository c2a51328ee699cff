/** What each verb does on a node. */
import { readFileSync, statSync } from 'node:fs'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'yaml'
import { type Component, defaultTimeoutS, notAName } from '../../../plays/index.ts'
import { longestSaid } from '../../jobs/command-notes.ts'
import { render } from './blueprint.ts'
import { makeFolder, putFiles } from './files.ts'
import type { Kept } from './kept.ts'
import { literal } from './literal.ts'
import { runOwnComponent } from './own-component.ts'
import { type Ran, runCommand } from './run-command.ts'

export interface Done extends Ran {
  /** Something on the node is otherwise than before. */
  readonly changed: boolean
  /** For other nodes. */
  readonly facts?: Readonly<Record<string, unknown>>
}

const silent: Ran = { exitCode: 0, stdout: '', stderr: '' }
const unchanged: Done = { ...silent, changed: false }
const failed = (sentence: string): Done => {
  process.stderr.write(`${sentence}\n`)
  return { exitCode: 1, stdout: '', stderr: sentence, changed: false }
}

const largestCacheFile = 4 * 1024 * 1024

export async function perform(component: Component, kept: Kept): Promise<Done> {
  const { verb, options, text = '', words = [] } = component
  const values = kept.arguments()
  const rendered = (one: string): string => render(one, values)
  switch (verb) {
    case 'EXEC':
      return await exec(component)
    case 'ARG':
    case 'ENV': {
      const [, name = '', value = ''] = /^(\S+)\s+([\s\S]*)$/.exec(text) ?? []
      if (verb === 'ARG') kept.set('args', name, literal(rendered(value)))
      else kept.set('envs', name, rendered(value))
      return unchanged
    }
    case 'ADD':
    case 'COPY':
      return { ...silent, changed: await putFiles(component, rendered, values) }
    case 'WORKDIR':
      await makeFolder(component, rendered)
      return unchanged
    case 'CACHEFILE':
      return cacheFile(rendered(words[0] ?? ''), kept)
    case 'CACHEEVICT':
      kept.evict(words[0] ?? '')
      return unchanged
    case 'QUERY':
      return query(words[0] ?? '', options['no-wait'] !== undefined, kept)
    case 'QUERY_WAIT':
      return queryWait(words[0] ?? '', options.identity, kept)
    case 'WAIT':
      return await wait(component, rendered, kept)
    case 'FACTER':
      return await facter(component, kept)
    case 'REBOOT':
      return await reboot(words[0] ?? '10', kept)
    case 'RUN':
      return changed(await command(shell(rendered(text), kept, options), component, kept))
    case 'SERVICE':
      return changed(await service(component, rendered, kept))
    case 'DNF':
    case 'APT':
    case 'POD':
    case 'CONTAINER_IMAGE':
      return changed(await command(argvOf(component, rendered, kept), component, kept))
    default:
      return await own(component, kept)
  }
}

const changed = (ran: Ran): Done => ({ ...ran, changed: true })

const timeoutMs = ({ options }: Component): number => 1000 * Number(options.timeout ?? defaultTimeoutS)

const locked = (argv: readonly string[], kept: Kept): readonly string[] => ['flock', kept.lockFile, ...argv]

function shell(text: string, kept: Kept, options: Component['options']): readonly string[] {
  const argv = ['/bin/sh', '-c', text]
  return options['force-lock'] === undefined ? argv : locked(argv, kept)
}

async function command(argv: readonly string[], component: Component, kept: Kept): Promise<Ran> {
  return await runCommand(argv, {
    environment: kept.environment(),
    timeoutMs: timeoutMs(component),
    detached: component.options['no-block'] !== undefined,
  })
}

/** Of Task-Core: not rendered. */
async function exec(component: Component): Promise<Done> {
  const { words = [], options } = component
  const ran = await runCommand(words, {
    environment: {},
    timeoutMs: timeoutMs(component),
    quiet: options.quiet !== undefined,
  })
  const good = (options.returncodes ?? '0').split(',')
  return { ...ran, exitCode: good.includes(String(ran.exitCode)) ? 0 : ran.exitCode || 1, changed: true }
}

function cacheFile(path: string, kept: Kept): Done {
  const known = statSync(path)
  if (!known.isFile()) return failed(`${path} is not a file.`)
  if (known.size > largestCacheFile) return failed(`${path} is longer than 4 MiB.`)
  const value: unknown = parse(readFileSync(path, 'utf8'), { maxAliasCount: 100 })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return failed(`${path} is not a map of arguments.`)
  for (const [name, one] of Object.entries(value)) kept.set('args', name, one)
  return unchanged
}

function query(name: string, noWait: boolean, kept: Kept): Done {
  const values = kept.arguments()
  kept.asksAgain()
  if (!Object.hasOwn(values, name)) return noWait ? unchanged : failed(`The argument ${name} is not set on this node.`)
  const facts = { [name]: values[name] }
  if (Buffer.byteLength(JSON.stringify(facts)) >= longestSaid)
    return failed(`The argument ${name} is longer than ${longestSaid / 1024} KiB: QUERY cannot pass it on.`)
  process.stdout.write(`${JSON.stringify(values[name])}\n`)
  return { ...unchanged, facts }
}

function queryWait(name: string, identity: string | undefined, kept: Kept): Done {
  const known = kept.query()
  const missing = (identity?.split(',') ?? []).filter((node) => known[node]?.[name] === undefined)
  if (missing.length > 0) return failed(`${name} was not collected from ${missing.join(', ')}: QUERY must come before.`)
  const isKnown = Object.values(known).some((facts) => facts[name] !== undefined)
  return isKnown ? unchanged : failed(`${name} was not collected from any node: QUERY must come before.`)
}

async function wait(component: Component, rendered: (text: string) => string, kept: Kept): Promise<Done> {
  const { options, text = '' } = component
  if (options.seconds !== undefined) {
    await delay(1000 * Number(options.seconds))
    return unchanged
  }
  const what = rendered(text)
  const until = performance.now() + timeoutMs(component)
  const tries = Number(options.retry ?? 30) + 1
  for (let attempt = 1; attempt <= tries && performance.now() < until; attempt++) {
    if (attempt > 1) await delay(1000 * Number(options['retry-wait'] ?? 1))
    const isThere =
      options.url === undefined
        ? (await command(shell(what, kept, options), component, kept)).exitCode === 0
        : await answers(what, options.insecure !== undefined)
    if (isThere) return unchanged
  }
  return failed(
    options.url === undefined ? 'The command has not succeeded.' : `${what} has not answered with 2xx or 3xx.`,
  )
}

const answerMs = 10_000

async function answers(url: string, insecure: boolean): Promise<boolean> {
  return await new Promise((resolve) => {
    const how = { timeout: answerMs }
    const request = url.startsWith('https:')
      ? getHttps(url, { ...how, rejectUnauthorized: !insecure })
      : getHttp(url, how)
    request.on('response', (response) => {
      response.resume()
      resolve((response.statusCode ?? 0) >= 200 && (response.statusCode ?? 0) < 400)
    })
    request.on('timeout', () => request.destroy(new Error('no answer')))
    request.on('error', () => resolve(false))
  })
}

async function facter(component: Component, kept: Kept): Promise<Done> {
  const { options } = component
  const folders = ['custom-dir', 'external-dir'].flatMap((name) => {
    const folder = options[name]
    return folder === undefined ? [] : [`--${name}`, folder]
  })
  const ran = await runCommand(['facter', '--json', ...folders], {
    environment: kept.environment(),
    timeoutMs: timeoutMs(component),
    quiet: true,
  })
  if (ran.exitCode !== 0) return failed(ran.exitCode === 127 ? 'There is no facter on this node.' : ran.stderr)
  kept.set('args', 'facter', JSON.parse(ran.stdout))
  return unchanged
}

/** The task ends before the host does. */
async function reboot(seconds: string, kept: Kept): Promise<Done> {
  const argv = ['/bin/sh', '-c', `sleep ${seconds}; systemctl --message='Systole: REBOOT of a play' reboot || reboot`]
  const { exitCode } = await runCommand(argv, { environment: kept.environment(), timeoutMs: 1000, detached: true })
  return { ...unchanged, exitCode }
}

async function service(
  { options, words = [], ...more }: Component,
  rendered: (text: string) => string,
  kept: Kept,
): Promise<Ran> {
  const units = words.map((word) => nameOf(rendered(word)))
  const running = ['restarted', 'reloaded', 'stopped'].find((name) => options[name] !== undefined)
  const verb =
    { restarted: 'restart', reloaded: 'reload', stopped: 'stop', none: 'start' }[running ?? 'none'] ?? 'start'
  const enabling = ['enable', 'disable'].filter((name) => options[name] !== undefined)
  const commands = [
    ...(options['daemon-reload'] === undefined ? [] : [['systemctl', 'daemon-reload']]),
    ...enabling.map((name) => ['systemctl', name, ...units]),
    ['systemctl', verb, ...units],
  ]
  const tries = Number(options.retry ?? 3) + 1
  let last = silent
  for (const argv of commands)
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await delay(1000)
      last = await command(locked(argv, kept), { options, ...more }, kept)
      if (last.exitCode === 0) break
      if (attempt === tries) return last
    }
  return last
}

/** What is rendered on the node may have become something else than the name that was checked. */
function nameOf(word: string): string {
  const wrong = notAName(word)
  if (wrong !== undefined) throw new Error(wrong)
  return word
}

function argvOf(component: Component, rendered: (text: string) => string, kept: Kept): readonly string[] {
  const words = (component.words ?? []).map((word) => nameOf(rendered(word)))
  switch (component.verb) {
    case 'POD':
      return podArgv(component, rendered)
    case 'CONTAINER_IMAGE':
      return imageArgv(component.options, words, podmanAt(component.options, rendered))
    default:
      return locked(packagesArgv(component.options, words), kept)
  }
}

const packagesScript = `
state=$1 clear=$2
shift 2
if command -v dnf > /dev/null; then
  [ -z "$clear" ] || { dnf -q clean all && dnf -q makecache; } || exit
  case $state in
    absent) exec dnf -q -y remove "$@" ;;
    latest) dnf -q -y install "$@" && exec dnf -q -y upgrade "$@" ;;
    *) exec dnf -q -y install "$@" ;;
  esac
elif command -v apt-get > /dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  get='apt-get -q -y -o DPkg::Lock::Timeout=300'
  [ -z "$clear" ] || $get update || exit
  case $state in
    absent) exec $get remove "$@" ;;
    latest) exec $get install "$@" ;;
    *) exec $get --no-upgrade install "$@" ;;
  esac
fi
echo 'There is neither dnf nor apt-get on this node.' >&2
exit 127
`

function packagesArgv(options: Component['options'], words: readonly string[]): readonly string[] {
  const state = ['absent', 'latest'].find((name) => options[name] !== undefined) ?? 'present'
  return [
    '/bin/sh',
    '-c',
    packagesScript,
    'packages',
    state,
    options['clear-metadata'] === undefined ? '' : '1',
    ...words,
  ]
}

/** Another service of podman than that of the node. */
const podmanAt = (options: Component['options'], rendered: (text: string) => string): readonly string[] => {
  const path = options['socket-path']
  return path === undefined ? ['podman'] : ['podman', '--remote', '--url', `unix://${rendered(path)}`]
}

function podArgv({ options, text = '' }: Component, rendered: (text: string) => string): readonly string[] {
  const action = ['start', 'stop', 'rm', 'kill', 'inspect', 'play', 'exec-run'].find(
    (name) => options[name] !== undefined,
  )
  const target = nameOf(rendered(options[action ?? ''] ?? ''))
  const podman = podmanAt(options, rendered)
  switch (action) {
    case 'rm':
      return [...podman, 'pod', 'rm', ...(options.force === undefined ? [] : ['--force']), target]
    case 'kill':
      return [...podman, 'pod', 'kill', '--signal', options['kill-signal'] ?? 'SIGKILL', target]
    case 'play':
      return [...podman, 'play', 'kube', `--tls-verify=${options['tls-verify'] !== undefined}`, target]
    case 'exec-run': {
      const env = (options.env ?? '').split(',').flatMap((pair) => (pair === '' ? [] : ['--env', rendered(pair)]))
      const privileged = options.privileged === undefined ? [] : ['--privileged']
      const run = text === '' ? (options.command ?? '') : text
      return [...podman, 'exec', ...privileged, ...env, target, '/bin/sh', '-c', rendered(run)]
    }
    default:
      return [...podman, 'pod', action ?? 'inspect', target]
  }
}

function imageArgv(
  options: Component['options'],
  words: readonly string[],
  podman: readonly string[],
): readonly string[] {
  if (options.list !== undefined) return [...podman, 'images', '--format', 'json']
  if (options.tag !== undefined) return [...podman, 'tag', ...words]
  if (options.inspect !== undefined) return [...podman, 'image', 'inspect', ...words]
  const verb = options.pull === undefined ? 'push' : 'pull'
  const tls = options['no-tlsverify'] === undefined ? '' : '--tls-verify=false'
  // push takes one image at a time.
  const script = `at=$1; shift; for image; do podman \${at:+--remote --url "$at"} ${verb} ${tls} "$image" || exit; done`
  return ['/bin/sh', '-c', script, verb, podman[3] ?? '', ...words]
}

async function own(component: Component, kept: Kept): Promise<Done> {
  const { query: _, ...args } = kept.arguments()
  const envs = kept.environment()
  const how = { environment: envs, timeoutMs: timeoutMs(component) }
  const { args: after, ...ran } = await runOwnComponent(component, { args, envs }, how)
  for (const [name, value] of Object.entries(after))
    if (JSON.stringify(args[name]) !== JSON.stringify(value)) kept.set('args', name, value)
  return changed(ran)
}
