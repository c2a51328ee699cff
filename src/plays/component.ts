/**
 * A component of Directord: a verb with what follows it, as `RUN: --stdout-arg host hostname`. The grammar of each verb is data, from which components are
 * read, checked at the daemon's door, and documented.
 */
import { didYouMean, similarWords } from '../base/index.ts'

export interface PlayFile {
  readonly name: string
  /** Base64. */
  readonly data: string
  readonly mode: number
}

export interface Component {
  readonly verb: string
  /** As written, for people. */
  readonly label: string
  /** By their names without `--`; a switch is `''`. */
  readonly options: Readonly<Record<string, string>>
  /** What follows the options: one text for a command, else words. */
  readonly text?: string
  readonly words?: readonly string[]
  /** What ADD and COPY bring, and the program of a component of a user. */
  readonly files?: readonly PlayFile[]
}

interface Grammar {
  readonly summary: string
  readonly rest: 'text' | 'words' | 'none'
  readonly atLeast?: number
  readonly atMost?: number
  /** What a sentence about missing or excess words calls them. */
  readonly usage: string
  readonly switches?: Readonly<Record<string, string>>
  readonly values?: Readonly<Record<string, string>>
  /** No two of a group; with `required`, one of it. */
  readonly groups?: readonly { readonly names: readonly string[]; readonly required?: true }[]
}

const ownership = {
  chown: 'user, or user:group, that owns it',
  chmod: 'permissions in octal digits',
} as const

const packages: Grammar = {
  summary: 'Installs packages by the package manager of the node: dnf, or apt-get where there is no dnf.',
  rest: 'words',
  atLeast: 1,
  usage: 'PACKAGE [PACKAGE ...]',
  switches: {
    latest: 'also upgrades those that are installed',
    absent: 'removes them',
    'clear-metadata': 'reads the lists of packages again before',
  },
  groups: [{ names: ['latest', 'absent'] }],
}

const copies: Grammar = {
  summary: 'Copies files from beside the orchestration file to the node.',
  rest: 'words',
  atLeast: 2,
  atMost: 2,
  usage: 'SOURCE DESTINATION',
  switches: { blueprint: 'the file is a Jinja template, rendered with the arguments of the node' },
  values: ownership,
}

export const grammars: Readonly<Record<string, Grammar>> = {
  RUN: {
    summary: 'Runs a command with /bin/sh.',
    rest: 'text',
    atLeast: 1,
    usage: 'COMMAND',
    switches: { 'no-block': 'does not wait for it' },
  },
  ARG: {
    summary:
      'Sets an argument of the node, for `{{ name }}` in later components. Lists, maps and numbers are written as JSON.',
    rest: 'text',
    atLeast: 2,
    usage: 'KEY VALUE',
  },
  ENV: {
    summary: 'Sets an environment variable of later commands on the node.',
    rest: 'text',
    atLeast: 2,
    usage: 'KEY VALUE',
  },
  ADD: copies,
  COPY: copies,
  WORKDIR: {
    summary: 'Makes a folder.',
    rest: 'words',
    atLeast: 1,
    atMost: 1,
    usage: 'FOLDER',
    values: ownership,
  },
  CACHEFILE: {
    summary: 'Sets arguments from a YAML or JSON file of the node.',
    rest: 'words',
    atLeast: 1,
    atMost: 1,
    usage: 'FILE',
  },
  CACHEEVICT: {
    summary: 'Forgets what is kept on the node: jobs or parents (what was done), args, envs, query, or all.',
    rest: 'words',
    atLeast: 1,
    atMost: 1,
    usage: 'jobs|parents|args|envs|query|all',
  },
  QUERY: {
    summary: 'Collects an argument from all nodes of the item, for `{{ query[node][name] }}` in what follows.',
    rest: 'words',
    atLeast: 1,
    atMost: 1,
    usage: 'ARGUMENT',
    switches: { 'no-wait': 'nodes that have no such argument are left out; without it they fail' },
  },
  QUERY_WAIT: {
    summary: 'Fails unless an argument was collected before, from all nodes or from those named.',
    rest: 'words',
    atLeast: 1,
    atMost: 1,
    usage: 'ARGUMENT',
    values: { identity: 'a node, or several separated by commas' },
  },
  QUEUESENTINEL: {
    summary: 'Waits until all nodes of the item have come so far.',
    rest: 'none',
    usage: '',
  },
  WAIT: {
    summary: 'Waits for a time, a URL, or a command.',
    rest: 'text',
    usage: '--seconds=SECONDS | --url URL | --cmd COMMAND',
    switches: {
      url: 'waits until it answers with 2xx or 3xx',
      cmd: 'waits until the command succeeds',
      insecure: 'certificates are not checked',
    },
    values: {
      seconds: 'how long',
      retry: 'how often it is tried again (30)',
      'retry-wait': 'seconds between two tries (1)',
    },
    groups: [{ names: ['seconds', 'url', 'cmd'], required: true }],
  },
  SERVICE: {
    summary: 'Starts systemd units, or what the options say.',
    rest: 'words',
    atLeast: 1,
    usage: 'UNIT [UNIT ...]',
    switches: {
      restarted: 'restarts them',
      reloaded: 'reloads them',
      stopped: 'stops them',
      enable: 'starts them with the host from now on',
      disable: 'does not start them with the host any more',
      'daemon-reload': 'has systemd read its files before',
    },
    values: { retry: 'how often it is tried again (3)' },
    groups: [{ names: ['restarted', 'reloaded', 'stopped'] }, { names: ['enable', 'disable'] }],
  },
  REBOOT: {
    summary: 'Boots the node, after so many seconds (10). Later components wait until the node is back.',
    rest: 'words',
    atMost: 1,
    usage: '[SECONDS]',
  },
  DNF: packages,
  APT: packages,
  FACTER: {
    summary: 'Runs facter, and sets the argument `facter` to its facts.',
    rest: 'none',
    usage: '',
    values: { 'custom-dir': 'a folder of facts in Ruby', 'external-dir': 'a folder of other facts' },
  },
  POD: {
    summary: 'Manages pods by podman.',
    rest: 'text',
    usage: 'one of --start, --stop, --rm, --kill, --inspect, --play, --exec-run',
    switches: {
      privileged: 'of --exec-run: with all rights',
      'tls-verify': 'of --play: certificates of registries are checked',
      force: 'of --rm: also if it runs',
    },
    values: {
      start: 'a pod',
      stop: 'a pod',
      rm: 'a pod',
      kill: 'a pod',
      inspect: 'a pod',
      play: 'a file of Kubernetes on the node',
      'exec-run': 'a container, in which the command behind the options runs',
      command: 'of --exec-run: a command of one word',
      env: 'of --exec-run: KEY=VALUE, several separated by commas',
      'kill-signal': 'of --kill (SIGKILL)',
    },
    groups: [{ names: ['start', 'stop', 'rm', 'kill', 'inspect', 'play', 'exec-run'], required: true }],
  },
  CONTAINER_IMAGE: {
    summary: 'Manages images by podman.',
    rest: 'words',
    usage: 'one of --pull, --push, --tag, --list, --inspect, with images',
    switches: {
      pull: 'fetches them',
      push: 'sends them',
      tag: 'gives the first image the name of the second',
      list: 'lists all',
      inspect: 'shows them',
      'no-tlsverify': 'certificates of registries are not checked',
    },
    groups: [{ names: ['pull', 'push', 'tag', 'list', 'inspect'], required: true }],
  },
}

/** Every component has them. */
export const commonSwitches: Readonly<Record<string, string>> = {
  'skip-cache': 'does it also if it was done before',
  'run-once': 'on one node only: the first that is online',
  'force-lock': 'while no other component with a lock runs on the node',
}
export const commonValues: Readonly<Record<string, string>> = {
  timeout: 'seconds after which it has failed (600)',
  'stdout-arg': 'sets this argument to what it prints',
  'stderr-arg': 'sets this argument to what it prints to its standard error',
}

export const defaultTimeoutS = 600
const longestTimeoutS = 7 * 24 * 3600

/** Of Directord, and needing what a cluster has not, or of its inner workings. */
const refusedVerbs: Readonly<Record<string, string>> = {
  JOB_WAIT: 'JOB_WAIT waits for a job by a number of Directord’s own. Use QUEUESENTINEL, or another item.',
  SECONTEXT: 'SECONTEXT is not supported. Use RUN with semanage fcontext and restorecon.',
}

export interface ReadComponent {
  readonly component?: Component
  readonly mistakes: readonly string[]
}

export interface Written {
  readonly verb: string
  readonly value: string
  /** Options that stand beside the verb, as `vars: {stdout_arg: x}`. */
  readonly vars?: Readonly<Record<string, string>>
  /** Verbs of components that users have written. */
  readonly own: ReadonlySet<string>
}

export function readComponent({ verb, value, vars = {}, own }: Written): ReadComponent {
  const refused = refusedVerbs[verb]
  if (refused !== undefined) return { mistakes: [refused] }
  const grammar = Object.hasOwn(grammars, verb) ? grammars[verb] : undefined
  const label = `${verb} ${value.trim().replaceAll(/\s+/g, ' ')}`.trim().slice(0, 200)
  if (grammar === undefined) {
    if (!own.has(verb))
      return {
        mistakes: [
          `There is no component '${verb}'.${didYouMean(similarWords(verb, [...Object.keys(grammars), ...own]))} Components of your own are files such as components/${verb.toLowerCase()}.py beside the orchestration file.`,
        ],
      }
    const options = optionsOfOwn(vars)
    const mistakes = wrongCommonValues(options)
    return mistakes.length > 0 ? { mistakes } : { component: { verb, label, options, text: value.trim() }, mistakes }
  }
  const reader = new Reader(verb, grammar)
  reader.take(value)
  for (const [name, given] of Object.entries(vars)) reader.option(name.replaceAll('_', '-'), given)
  const { mistakes } = reader
  if (mistakes.length === 0) reader.check()
  return mistakes.length > 0 ? { mistakes } : { component: { verb, label, ...reader.read }, mistakes }
}

/** Those that every component has act for these, too. */
const optionsOfOwn = (vars: Readonly<Record<string, string>>): Component['options'] =>
  Object.fromEntries(
    Object.entries(vars)
      .map(([name, value]) => [name.replaceAll('_', '-'), value] as const)
      .filter(([name, value]) => value !== 'false' || !Object.hasOwn(commonSwitches, name)),
  )

class Reader {
  readonly mistakes: string[] = []
  readonly #verb: string
  readonly #grammar: Grammar
  readonly #options: Record<string, string> = {}
  #text = ''
  #words: readonly string[] = []

  constructor(verb: string, grammar: Grammar) {
    this.#verb = verb
    this.#grammar = grammar
  }

  get read(): Pick<Component, 'options' | 'text' | 'words'> {
    const { rest } = this.#grammar
    return {
      options: this.#options,
      ...(rest === 'text' && { text: this.#text }),
      ...(rest === 'words' && { words: this.#words }),
    }
  }

  /** Options of a command's component stand before the command: those behind are the command's own. */
  take(value: string): void {
    let left = value.trim()
    const words: string[] = []
    while (left !== '') {
      const [word, behind] = firstWord(left)
      const option = word.raw === word.text ? /^--([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(word.text) : undefined
      const name = option?.[1]
      if (name === undefined || (this.#grammar.rest === 'text' && !this.#takes(name))) {
        if (this.#grammar.rest === 'text') break
        words.push(word.text)
        left = behind
        continue
      }
      left = behind
      let given = option?.[2]
      if (given === undefined && this.#isValue(name)) {
        const [next, after] = firstWord(behind)
        given = next.text
        left = after
      }
      this.option(name, given ?? '')
    }
    this.#text = left
    this.#words = words
  }

  #isValue(name: string): boolean {
    return Object.hasOwn(this.#grammar.values ?? {}, name) || Object.hasOwn(commonValues, name)
  }

  #isSwitch(name: string): boolean {
    return Object.hasOwn(this.#grammar.switches ?? {}, name) || Object.hasOwn(commonSwitches, name)
  }

  #takes(name: string): boolean {
    return this.#isValue(name) || this.#isSwitch(name)
  }

  option(name: string, given: string): void {
    if (this.#isValue(name)) {
      if (given === '') this.mistakes.push(`--${name} of ${this.#verb} needs a value.`)
      this.#options[name] = given
    } else if (this.#isSwitch(name)) {
      if (given === 'false') return
      if (given !== '' && given !== 'true') this.mistakes.push(`--${name} of ${this.#verb} takes no value.`)
      this.#options[name] = ''
    } else {
      const known = [
        ...Object.keys({ ...this.#grammar.switches, ...this.#grammar.values, ...commonSwitches, ...commonValues }),
      ]
      this.mistakes.push(`${this.#verb} has no option --${name}.${didYouMean(similarWords(name, known))}`)
    }
  }

  check(): void {
    const { groups = [], atLeast = 0, atMost = Number.POSITIVE_INFINITY, rest, usage } = this.#grammar
    for (const { names, required } of groups) {
      const given = names.filter((name) => this.#options[name] !== undefined)
      if (given.length > 1) this.mistakes.push(`Specify one of ${given.map((name) => `--${name}`).join(' and ')}.`)
      if (required && given.length === 0)
        this.mistakes.push(`${this.#verb} needs one of ${names.map((name) => `--${name}`).join(', ')}.`)
    }
    const count = rest === 'text' ? this.#text.split(/\s+/).filter((word) => word !== '').length : this.#words.length
    if (count < atLeast || (rest !== 'text' && count > (rest === 'none' ? 0 : atMost)))
      this.mistakes.push(`${this.#verb} takes ${usage === '' ? 'nothing but options' : usage}.`)
    this.#checkValues()
    if (this.mistakes.length === 0) this.mistakes.push(...checkOfVerb(this.#verb, this.read))
  }

  #checkValues(): void {
    const { chmod } = this.#options
    if (chmod !== undefined && !/^[0-7]{3,4}$/.test(chmod))
      this.mistakes.push(`'${chmod}' is not a mode in octal digits, such as 0644.`)
    this.mistakes.push(...wrongCommonValues(this.#options))
  }
}

/** Also of components of users, and of commands of Task-Core: time limits are counted with, and names are names of files on the node. */
export function wrongCommonValues(options: Component['options']): readonly string[] {
  const mistakes: string[] = []
  for (const name of ['timeout', 'seconds', 'retry', 'retry-wait']) {
    const value = options[name]
    if (value !== undefined && !(/^\d{1,6}$/.test(value) && Number(value) <= longestTimeoutS))
      mistakes.push(`'${value}' is not a whole number: --${name} needs one.`)
  }
  if (options.timeout !== undefined && Number(options.timeout) === 0) mistakes.push('--timeout must be at least 1.')
  for (const name of [options['stdout-arg'], options['stderr-arg']])
    if (name !== undefined && !isName(name)) mistakes.push(`'${name}' is not the name of an argument.`)
  return mistakes
}

export const isName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text)
export const evictable = ['jobs', 'parents', 'args', 'envs', 'query', 'all']

/** What the grammar does not say. */
function checkOfVerb(
  verb: string,
  { options, text = '', words = [] }: Pick<Component, 'options' | 'text' | 'words'>,
): readonly string[] {
  const [first = ''] = words
  switch (verb) {
    case 'ARG':
    case 'ENV':
      return isName(text.split(/\s/)[0] ?? '') ? [] : [`'${text.split(/\s/)[0]}' is not a name: letters, digits and _.`]
    case 'QUERY':
    case 'QUERY_WAIT':
      return isName(first) ? [] : [`'${first}' is not the name of an argument.`]
    case 'CACHEEVICT':
      return evictable.includes(first) ? [] : [`'${first}' is not one of ${evictable.join(', ')}.`]
    case 'SERVICE':
    case 'DNF':
    case 'APT':
      return words.flatMap((word) => notAName(word) ?? [])
    case 'REBOOT':
      return first === '' || /^\d{1,4}$/.test(first) ? [] : [`'${first}' is not a number of seconds.`]
    case 'WAIT':
      if (options.seconds !== undefined && text !== '') return ['WAIT --seconds takes nothing else.']
      if (options.url !== undefined && !/^(https?:\/\/|\{\{)\S/.test(text)) return [`'${text}' is not a URL.`]
      return options.cmd !== undefined && text === '' ? ['WAIT --cmd needs a command.'] : []
    case 'POD':
      return options['exec-run'] !== undefined && text === '' && options.command === undefined
        ? ['POD --exec-run needs a command.']
        : []
    case 'CONTAINER_IMAGE':
      if (words.some((word) => notAName(word) !== undefined)) return words.flatMap((word) => notAName(word) ?? [])
      if (options.tag !== undefined && words.length !== 2) return ['CONTAINER_IMAGE --tag needs two images.']
      if (options.list !== undefined) return words.length > 0 ? ['CONTAINER_IMAGE --list takes no image.'] : []
      return words.length === 0 ? ['CONTAINER_IMAGE needs an image.'] : []
    default:
      return []
  }
}

/** Programs of the node take it for an option. */
export const notAName = (word: string): string | undefined =>
  word === '' || word.startsWith('-') ? `'${word}' is not a name: a name does not begin with -.` : undefined

interface Word {
  readonly text: string
  readonly raw: string
}

/** The first word, without its quotes, and what follows it. */
function firstWord(text: string): readonly [Word, string] {
  let at = 0
  let word = ''
  let quote = ''
  for (; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote === '' && /\s/.test(character) && !isInBraces(text, at)) break
    if (quote === '' && (character === '"' || character === "'")) quote = character
    else if (character === quote) quote = ''
    else word += character
  }
  return [{ text: word, raw: text.slice(0, at) }, text.slice(at).trimStart()]
}

/** `{{ name }}` is one word. */
const isInBraces = (text: string, at: number): boolean =>
  text.lastIndexOf('{{', at) > text.lastIndexOf('}}', at) && text.indexOf('}}', at) >= 0
