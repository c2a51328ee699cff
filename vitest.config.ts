import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Suites that start clusters, etcd or namespaces. Three files at a time on two cores: each waits most of its time, in namespaces or on ports of its own. */
const machineSuites = [
  'test/nodes/**/*.test.ts',
  'test/contract/**/*.test.ts',
  'test/executor/**/*.test.ts',
  'test/fencing/**/*.test.ts',
  'test/demo/**/*.test.ts',
]

/** Real services under Debian's agents: minutes, and packages of their own (`npm run e2e:agents`). */
const serviceSuites = ['test/agents/**/*.test.ts']

/** A whole control plane typed on a running cluster (`npm run e2e:pcs`). */
const deploymentSuites = ['test/deployment/**/*.test.ts']

/** A state is waited for, never a duration: on a busy machine it may take its time. */
const patient = { poll: { timeout: 20_000 } }

/** Nodes that only their watchdogs fence: each time is waited for (`npm run e2e:watchdog`). */
const watchdogSuites = ['test/watchdog/**/*.test.ts']

// A process of Node.js that finds it in its environment reads a hundred certificates of authorities before it begins: tests start thousands.
delete process.env.NODE_EXTRA_CA_CERTS

// Rules without a time zone mean the host's: expected answers are written for this one.
process.env.TZ = 'UTC'

/** Nodes in situations that take long, and whose rules a shorter test of `npm test` shows as well (`npm run e2e:nodes`). */
const longNodeSuites = ['test/nodes-e2e/**/*.test.ts']

/** Remote nodes beyond what `npm test` shows (`npm run e2e:remote`). */
const remoteSuites = ['test/remote-nodes/**/*.test.ts']

/** A witness beside two nodes, and every loss that the three may have (`npm run e2e:witness`). */
const witnessSuites = ['test/witness/**/*.test.ts']

/** Several networks, and every loss that they may have (`npm run e2e:links`). */
const linkSuites = ['test/links/**/*.test.ts']

/** A cluster of an older build that is upgraded node by node (`npm run e2e:upgrade`). */
const upgradeSuites = ['test/upgrade/**/*.test.ts']

/** Disks, processes, clocks and networks of the machines that fail by halves (`npm run e2e:faults`). */
const faultSuites = ['test/faults/**/*.test.ts']

/** Strangers, hostile nodes and users who may not (`npm run e2e:security`). */
const securitySuites = ['test/security/**/*.test.ts']

/** Programs of others on real nodes, each run twice (`npm run e2e:clients`). */
const clientSuites = ['test/clients/**/*.test.ts']

/** Rollouts that lose somebody at every boundary between their steps (`npm run e2e:rollout`). */
const rolloutSuites = ['test/rollouts-e2e/**/*.test.ts']

/** Services found by programs of others: resolvers, clients of Consul, HAProxy (`npm run e2e:services`). */
const discoverySuites = ['test/services-e2e/**/*.test.ts']

/** What machines are and how they are (`npm run e2e:facts`, which also runs the files of `npm test` about it). */
const factSuites = ['test/facts-e2e/**/*.test.ts']

/** Packages that apt installs on machines (`npm run e2e:packages`). */
const packageSuites = ['test/packages-e2e/**/*.test.ts']

/** The console in a real browser, on real nodes (`npm run e2e:console`). */
const consoleSuites = ['test/console-e2e/**/*.test.ts']

/** Programs are started, clusters drawn by the hundred, or processor time measured: `npm test` gives each of these files a process of its own. */
const apart = [
  ...[
    'simulation',
    'fuzz',
    'resource-agents',
    'alert-agents',
    'packages',
    'program',
    'cli/every-command',
    'cli/deployment',
  ].map((room) => `test/${room}/**/*.test.ts`),
  'test/cli/{secrets,option-effects,daemon-option-effects,bad-input,agent-validation}.test.ts',
  'test/cli/{lock/run-child,plan/round-trip}.test.ts',
  'test/tools/{option-effects,report,debian,lines,silent-daemon,shadow,standard-input}.test.ts',
  'test/daemon/pieces-of-a-change.test.ts',
]

/** What `npm run test:quick` leaves out besides: daemons, their networks, threads and stores. */
const notForRules = ['channel', 'remote', 'rpc', 'daemon', 'store', 'web'].map((room) => `test/${room}/**/*.test.ts`)

/** The quick tests in parts (`scripts/test.sh`): files of `shared` share their modules, those of `apart` do not; `rules` is what of the former starts nothing. */
const part = process.env.QUICK_PART

/** Files that take longest begin first, the longest at the top, so that no worker is left with one when the others have ended. */
const longFiles = [
  'nodes/scenarios',
  'nodes/two-nodes',
  'nodes/holds',
  'nodes/membership',
  'nodes/jobs',
  'nodes/api',
  'nodes/remote',
  'nodes/plan',
  'nodes/facts',
  'nodes/health',
  'nodes/plays',
  'nodes/sessions',
  'nodes/alerts',
  'nodes/witness',
  'nodes/rollout',
  'contract/etcd-membership',
  'contract/etcd-member',
  'nodes/locks',
  'nodes/growth',
  'nodes/import',
  'contract/own-member',
  'nodes/bad-agents',
  'contract/etcd-faults',
  'contract/etcd-external',
  'fencing/ipmi',
  'nodes/services',
  'nodes/tools',
  'nodes/orchestrate',
  'simulation/simulation',
  'simulation/broken',
  'tools/debian',
  'daemon/jobs/remote-tasks',
  'fuzz/messages',
  'packages/contents',
  'tools/silent-daemon',
  'resource-agents/bundled/process',
  'tools/option-effects',
  'cli/deployment/replay',
  'web/hostile',
  'web/events',
  'cli/every-command/every-command',
  'rpc/doorman',
  'daemon/watches',
  'channel/hanging-peer',
]

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return index < 0 ? longFiles.length : index
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        test: {
          name: 'quick',
          include: part === 'apart' ? apart : ['test/**/*.test.ts'],
          exclude: [
            ...machineSuites,
            ...serviceSuites,
            ...deploymentSuites,
            ...longNodeSuites,
            ...watchdogSuites,
            ...remoteSuites,
            ...witnessSuites,
            ...linkSuites,
            ...upgradeSuites,
            ...faultSuites,
            ...securitySuites,
            ...clientSuites,
            ...rolloutSuites,
            ...packageSuites,
            ...discoverySuites,
            ...factSuites,
            ...consoleSuites,
            ...(part === 'shared' || part === 'rules' ? apart : []),
            ...(part === 'rules' ? notForRules : []),
          ],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: patient,
          // One more than there are cores: several files wait for processes and networks most of their time.
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'machine',
          include: machineSuites,
          testTimeout: 60_000,
          expect: patient,
          hookTimeout: 60_000,
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'nodes',
          include: longNodeSuites,
          testTimeout: 120_000,
          expect: patient,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'deployment',
          include: deploymentSuites,
          testTimeout: 1_800_000,
          expect: patient,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'watchdog',
          include: watchdogSuites,
          testTimeout: 180_000,
          expect: patient,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'witness',
          include: witnessSuites,
          testTimeout: 240_000,
          expect: patient,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'links',
          include: linkSuites,
          testTimeout: 240_000,
          expect: patient,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'upgrade',
          include: upgradeSuites,
          testTimeout: 240_000,
          expect: patient,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'faults',
          include: faultSuites,
          testTimeout: 240_000,
          expect: patient,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'security',
          include: securitySuites,
          testTimeout: 180_000,
          expect: patient,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'clients',
          include: clientSuites,
          // Hundreds of processes of others, each of which starts an interpreter.
          testTimeout: 1_200_000,
          expect: patient,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'packages',
          include: packageSuites,
          testTimeout: 600_000,
          expect: patient,
          hookTimeout: 900_000,
        },
      },
      {
        test: {
          name: 'rollout',
          include: rolloutSuites,
          testTimeout: 600_000,
          expect: patient,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'services',
          include: discoverySuites,
          testTimeout: 120_000,
          expect: patient,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'facts',
          include: [...factSuites, 'test/nodes/facts.test.ts', 'test/nodes/health.test.ts'],
          testTimeout: 120_000,
          expect: patient,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'console',
          include: consoleSuites,
          testTimeout: 120_000,
          expect: patient,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'remote',
          include: remoteSuites,
          testTimeout: 180_000,
          expect: patient,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'agents',
          include: serviceSuites,
          testTimeout: 300_000,
          expect: patient,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
