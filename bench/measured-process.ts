/** Runs a program to its end and tells what it took. Python's wait4 knows it of a child, which Node.js does not. */
import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'

export interface Usage {
  /** User and system time of all its threads. */
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakMb: number
}

export type Measured =
  | ({ readonly kind: 'ended' } & Usage)
  /** It was stopped when its time was over. */
  | ({ readonly kind: 'over' } & Usage)
  | { readonly kind: 'failed'; readonly why: string }

/** Standard output goes to a file, as one is long and a reader would be measured with it. Whoever takes too long is sent a signal for that. */
const measure = `
import json, os, resource, signal, subprocess, sys, threading, time
limit, patience, stdin, stdout = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4]
def bound():
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
begun = time.monotonic()
child = subprocess.Popen(sys.argv[5:], stdin=open(stdin), stdout=open(stdout, 'w'), stderr=subprocess.PIPE, preexec_fn=bound)
timer = threading.Timer(patience, child.send_signal, [signal.SIGXCPU])
timer.start()
errors = child.stderr.read().decode()
timer.cancel()
_, status, used = os.wait4(child.pid, 0)
print(json.dumps({'status': status, 'errors': errors[-500:], 'wallSeconds': time.monotonic() - begun,
                  'cpuSeconds': used.ru_utime + used.ru_stime, 'peakMb': used.ru_maxrss / 1024}))
`

/** Seconds; nothing is measured for a day. */
const longest = 86_400

/** Of a wait status. */
const signalBits = 0x7f

export interface ProcessToMeasure {
  readonly command: readonly string[]
  /** CPU seconds after which it is stopped. */
  readonly limitSeconds: number
  /** The same by the clock: on a busy machine a CPU second takes long. */
  readonly patienceSeconds?: number
  readonly stdin?: string
  readonly stdout?: string
}

export function measureProcess({ command, stdin, stdout, ...bounds }: ProcessToMeasure): Measured {
  const files = [stdin ?? '/dev/null', stdout ?? '/dev/null']
  const limits = [bounds.limitSeconds, bounds.patienceSeconds ?? longest].map(String)
  const run = spawnSync('python3', ['-c', measure, ...limits, ...files, ...command], { encoding: 'utf8' })
  if (run.error || run.status !== 0) return { kind: 'failed', why: `python3: ${run.error?.message ?? run.stderr}` }
  const { status, errors, ...usage } = JSON.parse(run.stdout) as Usage & { status: number; errors: string }
  if (status === 0) return { kind: 'ended', ...usage }
  if ((status & signalBits) === constants.signals.SIGXCPU) return { kind: 'over', ...usage }
  return { kind: 'failed', why: `${command[0]} ended with wait status ${status}: ${errors.trim()}` }
}
