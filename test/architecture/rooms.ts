/** Who may import whom. An import points to a room named here, so there are no cycles; nobody imports `daemon`. */
const everything = 'everything'

export const rooms: Readonly<Record<string, readonly string[] | typeof everything>> = {
  base: [],
  cib: ['base'],
  transition: ['base', 'cib'],
  status: ['base', 'cib'],
  holds: ['base', 'cib'],
  services: ['base', 'cib', 'status'],
  scheduler: ['base', 'cib', 'status', 'services', 'transition'],
  membership: ['base', 'cib'],
  quorum: ['base', 'cib'],
  attributes: ['base', 'cib'],
  controller: ['base', 'cib', 'holds', 'status', 'transition', 'scheduler'],
  rollout: ['base', 'cib', 'status'],
  hardware: ['base', 'cib'],
  alerts: ['base', 'cib', 'status'],
  'alert-agents': ['base'],
  journal: ['base', 'cib', 'controller', 'alerts'],
  jobs: ['base'],
  plays: ['base', 'jobs'],
  'resource-agents': ['base', 'cib'],
  executor: ['base', 'cib', 'transition', 'resource-agents'],
  fencing: ['base', 'cib', 'transition', 'resource-agents'],
  node: ['base', 'cib', 'transition', 'membership', 'quorum', 'controller', 'resource-agents', 'executor', 'fencing'],
  tools: ['base', 'cib', 'holds', 'status', 'attributes', 'scheduler', 'resource-agents'],
  channel: [],
  store: ['base', 'cib', 'channel'],
  rpc: ['base', 'cib', 'transition', 'channel'],
  remote: ['base', 'cib', 'transition', 'jobs', 'hardware', 'rpc'],
  cli: [
    'base',
    'cib',
    'holds',
    'status',
    'transition',
    'scheduler',
    'resource-agents',
    'rpc',
    'tools',
    'rollout',
    'services',
    'hardware',
    'plays',
    'alert-agents',
    'journal',
  ],
  web: ['base', 'cib', 'rpc', 'cli'],
  // In a browser: of the command line it takes types alone.
  console: ['cli'],
  program: [],
  daemon: everything,
}

/** Rooms that decide: no `node:` import and no third-party package. */
export const mindRooms = [
  'status',
  'scheduler',
  'membership',
  'quorum',
  'attributes',
  'controller',
  'alerts',
  'journal',
  'jobs',
  'plays',
  'node',
  'holds',
  'rollout',
  'services',
  'hardware',
]
/** Of rooms that also act: the files that do. All others of the room decide, as those of the rooms above. */
export const actingFiles: Readonly<Record<string, readonly string[]>> = {
  executor: ['executor.ts', 'made-sure.ts', 'result-digests.ts', 'results.ts', 'started-with.ts', 'writing-line.ts'],
  fencing: ['run-device.ts'],
}
/** Data rooms hold no I/O either; the packages that they use are pure. */
export const dataRooms = ['base', 'cib', 'transition']
export const packagesOfDataRooms: Readonly<Record<string, readonly string[]>> = { base: ['re2js'], cib: ['saxes'] }
