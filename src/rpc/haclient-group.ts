import { readFileSync } from 'node:fs'

/** Pacemaker's group of those who may ask the cluster, where this host has it. */
export function haclientGroup(): number | undefined {
  return groupId('haclient')
}

function groupId(name: string): number | undefined {
  const line = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((group) => group.startsWith(`${name}:`))
  return line === undefined ? undefined : Number(line.split(':')[2])
}
