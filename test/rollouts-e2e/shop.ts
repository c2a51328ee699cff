/** The versioned service that the rollouts of these tests upgrade: its software is a file of each node, and every answer has the version that runs. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from '../nodes/lab/lab.ts'

export const shopPort = 8081

const server = (software: string): string => `const { readFileSync } = require('node:fs')
const { hostname } = require('node:os')
const version = readFileSync('${software}/' + hostname(), 'utf8').trim()
require('node:http').createServer((_, answer) => answer.end(hostname() + ' ' + version + '\\n')).listen(${shopPort})
`

export interface Upgrade {
  readonly name: string
  readonly version: string
  /** With the middle of an installation, where the cluster is stopped on the node: it waits until that node's gate is open. */
  readonly gated?: boolean
  /** An installation fails with the cluster stopped as long as this file is there. */
  readonly breaksOn?: string
  readonly more?: Readonly<Record<string, unknown>>
  readonly nodes?: unknown
}

export class Shop {
  readonly #lab: Lab
  readonly #software: string
  readonly #gates: string
  readonly #runs: string

  constructor(lab: Lab) {
    this.#lab = lab
    this.#software = join(lab.folder, 'software')
    this.#gates = join(lab.folder, 'gates')
    this.#runs = join(lab.folder, 'runs')
  }

  install(): void {
    mkdirSync(this.#software)
    writeFileSync(this.#runs, '')
    mkdirSync(this.#gates)
    for (const node of this.#lab.nodes) this.open(node)
    writeFileSync(join(this.#lab.folder, 'shop.cjs'), server(this.#software))
    for (const node of this.#lab.nodes) writeFileSync(join(this.#software, node), '1\n')
  }

  open(node: string): void {
    writeFileSync(join(this.#gates, node), '')
  }

  shut(node: string): void {
    rmSync(join(this.#gates, node), { force: true })
  }

  get resource(): readonly string[] {
    const command = `command=node ${join(this.#lab.folder, 'shop.cjs')}`
    return ['ocf:systole:process', command, 'op', 'monitor', 'interval=5s', 'clone']
  }

  haproxy(): string {
    const servers = this.#lab.nodes.map((node) => `  server ${node} ${this.#lab.network.address(node)}:${shopPort}`)
    return `defaults
  mode http
  timeout connect 500ms
  timeout client 5s
  timeout server 5s
  retries 2
  option redispatch
frontend shop
  bind *:80
  default_backend servers
backend servers
  default-server check inter 200ms fall 1 rise 1
${servers.join('\n')}
`
  }

  versions(): readonly string[] {
    return this.#lab.nodes.map((node) => readFileSync(join(this.#software, node), 'utf8').trim())
  }

  /** `n1 installs NAME`, a line each, in the order in which it happened. */
  runs(name: string): readonly string[] {
    const lines = readFileSync(this.#runs, 'utf8').split('\n')
    return lines.filter((line) => line.endsWith(` ${name}`)).map((line) => line.slice(0, -name.length - 1))
  }

  /** An upgrade as many are: the cluster is stopped on the node, the software replaced, the cluster started again. */
  write({ name, version, gated = false, breaksOn, more = {}, nodes = 'all' }: Upgrade): string {
    const file = join(this.#software, '$SYSTOLE_ROLLOUT_NODE')
    const note = (what: string): string => `echo "$SYSTOLE_ROLLOUT_NODE ${what} ${name}" >> ${this.#runs}`
    const install = [
      `[ -e ${file}.before-${name} ] || cp ${file} ${file}.before-${name}`,
      note('begins'),
      'systole cluster stop || systole cluster status',
      note('stopped'),
      ...(gated ? [`until [ -e ${join(this.#gates, '$SYSTOLE_ROLLOUT_NODE')} ]; do sleep 0.05; done`] : []),
      ...(breaksOn === undefined ? [] : [`[ ! -e ${breaksOn} ] || exit 7`]),
      `echo ${version} > ${file}.new && mv ${file}.new ${file}`,
      note('installed'),
    ]
    const undo = [`[ ! -e ${file}.before-${name} ] || cp ${file}.before-${name} ${file}`, note('undone')]
    const steps = {
      actions: [
        {
          name: 'install',
          run: install.join('\n'),
          undo: undo.join('\n'),
          timeout: '5min',
          'stops-cluster': true,
        },
      ],
      validate: [{ name: 'check', run: `test "$(cat ${file})" = ${version}` }],
    }
    const path = join(this.#lab.folder, `${name}.yaml`)
    writeFileSync(path, JSON.stringify({ rollout: name, version, nodes, steps, ...more }))
    return path
  }
}
