import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readPlay } from '../../src/cli/play/read-play.ts'

/** A playbook of a service of Task-Core, with the real ansible-playbook. */
const folder = mkdtempSync(join(tmpdir(), 'systole-ansible-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

test('a playbook runs beside its service file, with its inventory and variables, and its failure is the task’s', async () => {
  writeFileSync(
    at('site.yml'),
    `- hosts: all\n  gather_facts: false\n  tasks:\n    - command: test {{ wanted }} = yes\n    - copy: {dest: "${at('made')}", content: "{{ inventory_hostname }} {{ wanted }}"}\n`,
  )
  writeFileSync(at('inventory.yaml'), 'all:\n  hosts:\n    here: {ansible_connection: local}\n')
  writeFileSync(at('roles.yml'), 'roles: {all: {services: [s]}}\n')
  const perform = async (wanted: string): Promise<{ readonly code: number | null; readonly output: string }> => {
    writeFileSync(
      at('service.yml'),
      `id: s\ntype: service\nversion: "1"\ntasks:\n  - id: a\n    driver: ansible_runner\n    playbook: site.yml\n    global_fact_cache: false\n    runner_options: {extravars: {wanted: "${wanted}"}}\n`,
    )
    const cluster = { nodes: ['n1'], here: 'n1', remotes: [], nodesOfRole: () => ['n1'] }
    const { steps } = readPlay([at('service.yml'), at('roles.yml')], cluster, undefined)
    const components = steps.flatMap((step) => step.components)
    const order = { components, query: {}, force: false, play: 'p', folder: at('kept') }
    const child = spawn(process.execPath, [resolve('dist/systole-components.cjs')], {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    child.stdin.end(JSON.stringify(order))
    const code = await new Promise<number | null>((done) => child.on('close', done))
    return { code, output }
  }
  const right = await perform('yes')
  expect(right.code, right.output).toBe(0)
  expect(readFileSync(at('made'), 'utf8')).toBe('here yes')
  const wrong = await perform('no')
  expect(wrong.code).toBe(2)
  expect(wrong.output).toContain('Exit code 2: ansible-playbook site.yml')
}, 120_000)
