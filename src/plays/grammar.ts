/** The grammar of each verb of a component, as data: components are read by it, checked at the daemon's door, and documented. */

export interface Grammar {
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

const socketPath = 'the socket of another podman on the node'

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
    switches: {
      'no-wait':
        'nodes that have no such argument are left out, as they are where the play sets it on other nodes only; else they fail',
    },
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
    summary:
      'Waits until all nodes of the item have come so far. Directord demands a word behind it, which says nothing.',
    rest: 'words',
    atMost: 1,
    usage: 'at most one word',
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
      disable: 'no longer starts them with the host',
      'daemon-reload': 'has systemd read its files before',
    },
    values: { retry: 'how often it is tried again (3)' },
    groups: [{ names: ['restarted', 'reloaded', 'stopped'] }, { names: ['enable', 'disable'] }],
  },
  REBOOT: {
    summary: 'Boots the node after this many seconds (10). Later components wait until the node is back.',
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
      'socket-path': socketPath,
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
    values: { 'socket-path': socketPath },
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
export const longestTimeoutS = 7 * 24 * 3600
