/** Words of crmsh that are written otherwise here, each with what is written instead. They are no part of help. */
import type { RefusedWords } from './refused-words.ts'

const instead = (words: string, ...commands: readonly string[]): RefusedWords => ({
  paths: [words],
  because: `'${words}' is a crmsh command. The equivalent here is ${commands.map((command) => `'systole ${command}'`).join(' or ')}.`,
})

export const crmshWords: readonly RefusedWords[] = [
  instead('configure delete', 'resource delete <id>', 'constraint delete <id>', 'tag delete <id>'),
  instead('configure edit', 'cluster edit'),
  instead('configure verify', 'cluster verify'),
  instead('configure save', 'configure show >FILE', 'config backup FILE'),
  instead('configure erase', 'configure load replace FILE'),
  instead('configure modgroup', 'resource group add <group> <resource>', 'resource group remove <group> <resource>'),
  instead('configure upgrade', 'cluster cib-upgrade'),
  instead('configure simulate', 'simulate'),
  {
    paths: ['configure commit'],
    because: "There is nothing to commit: each command takes effect at once. '--preview' shows the effect beforehand.",
  },
  instead('resource param', 'resource update <resource> <parameter>=<value>', 'resource config <resource>'),
  instead('resource promote', 'resource move <clone> <node> --promoted'),
  instead('resource demote', 'resource move <clone> --promoted'),
  instead('resource maintenance', 'resource meta <resource> maintenance=true'),
  instead('resource constraints', 'constraint ref <resource>'),
  instead('resource operations', 'resource config <resource>'),
  instead('resource locate', 'resource status <resource>'),
  instead('resource scores', 'why <resource>'),
  instead('resource trace', 'resource debug-monitor <resource> --full'),
  instead('node show', 'status nodes', 'node attribute <node>'),
  instead('node status', 'status nodes'),
  instead('node fence', 'stonith fence <node>'),
  instead('node clearstate', 'stonith confirm <node>'),
  instead('node delete', 'cluster node remove <node>'),
  instead('cluster init', 'cluster setup <name> <node>...'),
  instead('cluster remove', 'cluster node remove <node>'),
  instead('cluster health', 'status', 'cluster verify --strict'),
  instead('cluster wait_for_startup', 'status wait'),
  instead('cluster copy', 'cluster sync'),
  instead('corosync show', 'cluster corosync'),
  instead('corosync status', 'quorum status'),
  instead('maintenance on', 'property set maintenance-mode=true', 'node maintenance <node>'),
  instead('maintenance off', 'property set maintenance-mode=false', 'node unmaintenance <node>'),
  instead('ra classes', 'resource standards', 'resource providers'),
  instead('history', 'config history', 'stonith history', 'why <resource>'),
]
