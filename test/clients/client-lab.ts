/**
 * Three nodes on which programs of others run as on a machine with Pacemaker: its commands, ours behind them, are where Debian
 * has them, and each node has its own /var/lib/pacemaker and /etc/corosync.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { compareText } from '../../src/base/index.ts'
import { canonicalText, childElement, childElements, parseXml, type XmlElement } from '../../src/cib/index.ts'
import { Lab } from '../nodes/lab/lab.ts'

/** What an administrator does once, by docs/clients.md: links in /usr/sbin, where programs name them with their path. */
const boot = `#!/bin/bash
lab=$3
mkdir -p /run/sbin
for tool in "$lab"/systole/shims/*; do ln -s "$tool" /run/sbin/; done
mount -t overlay -o lowerdir=/run/sbin:/usr/sbin overlay /usr/sbin
`

export function clientLab(nodes: readonly string[], disks: readonly string[] = []): Lab {
  const lab = new Lab(nodes, { disks: ['/var/lib/pacemaker', '/etc/corosync', ...disks] })
  writeFileSync(join(lab.folder, 'boot.sh'), boot)
  return lab
}

/** The cluster, with the file in which some programs read the nodes. */
export async function formClientCluster(lab: Lab): Promise<void> {
  await lab.formCluster()
  await lab.createFencing()
  for (const node of lab.nodes)
    await lab.inNode(node, 'bash', '-c', 'systole cluster corosync > /etc/corosync/corosync.conf')
}

export interface Ended {
  readonly exitCode: number
  /** Of both streams, as they came. */
  readonly output: string
}

/** A script of bash on a node; how it ends is an answer. `pcs` is ours there, `/usr/sbin/pcs` Debian's. */
export async function script(lab: Lab, node: string, text: string): Promise<Ended> {
  const folder = join(lab.folder, 'scripts')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${node}-${process.hrtime.bigint()}.sh`)
  writeFileSync(file, text)
  const line = `export HOME=/root LC_ALL=C.UTF-8; bash ${file} 2>&1; echo "exit $?"`
  const output = await lab.inNode(node, 'bash', '-c', line).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lab.logs(40)}`)
  })
  const [, said = '', code = ''] = /^([\s\S]*?)exit (\d+)\n$/.exec(output) ?? []
  return { exitCode: Number(code), output: said }
}

/** The same where it must succeed. */
export async function must(lab: Lab, node: string, text: string): Promise<string> {
  const { exitCode, output } = await script(lab, node, text)
  expect(exitCode, `${text}\n${output}`).toBe(0)
  return output
}

/** The configuration without what counts changes, so that two can be compared. */
export async function configuration(lab: Lab, node = 'n1'): Promise<string> {
  const parsed = parseXml(await lab.systole(node, 'cluster', 'cib'))
  if (!parsed.ok) throw new Error('The CIB cannot be read.')
  const found = childElement(parsed.value, 'configuration')
  if (found === undefined) throw new Error('The CIB has no configuration.')
  return canonicalText({ ...found, children: found.children.map(inOrder) }, parsed.value)
}

/** The order of constraints says nothing: pcs writes one that it makes again at the end. */
function inOrder(part: XmlElement['children'][number]): XmlElement['children'][number] {
  if (part.kind !== 'element' || part.name !== 'constraints') return part
  const children = [...childElements(part)].sort((a, b) => compareText(a.attributes.id ?? '', b.attributes.id ?? ''))
  return { ...part, children }
}

/** Runs it two times: the second one leaves the configuration as it is. */
export async function twice<Answer>(
  lab: Lab,
  run: () => Promise<Answer>,
): Promise<{ readonly first: Answer; readonly second: Answer }> {
  const before = await configuration(lab)
  const first = await run()
  const between = await configuration(lab)
  expect(between).not.toBe(before)
  const second = await run()
  expect(await configuration(lab)).toBe(between)
  return { first, second }
}
