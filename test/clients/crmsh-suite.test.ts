/**
 * crmsh's own regression suite, which Debian ships with it, over our tools and over Debian's: it works on a shadow CIB, so that no cluster is needed.
 * What it says is compared with what it says over Debian's, and not with the recorded text, which is of another version of Python and of other agents.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const suite = '/usr/share/crmsh/tests'
const shims = resolve(import.meta.dirname, '../../shims')
const folder = mkdtempSync(join(tmpdir(), 'systole-crmsh-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cases = existsSync(suite)
  ? readFileSync(join(suite, 'testcases/basicset'), 'utf8')
      .split('\n')
      .filter((name) => name !== '')
  : []

/**
 * One case as `regression.sh` runs it, with its filters. Sessions of `crm history` lie in a folder of the host: each side has its own. crmsh writes the
 * end of a line by itself, so that another line may stand before or behind it: such lines are parted before a filter drops both.
 */
const runCase = `
mount -t tmpfs tmpfs /var/cache/crm
cd "$HOME/tests"
name=$1
cases=testcases
[ -x $cases/$name.pre ] && $cases/$name.pre >/dev/null 2>&1
./evaltest.sh <$cases/$name 3>/dev/null 2>&1 | perl -pe 's/<cib[^>]*>/<cib>/g; s/(?<=.)(?=(ERROR|WARNING|INFO): \\d+: )/\\n/g; s/(?<=No meta-data for agent: systemd:haproxy)(?=.)/\\n/g' |
  { [ -x $cases/common.filter ] && $cases/common.filter || cat; } | { [ -f $cases/common.excl ] && grep -Evf $cases/common.excl || cat; } |
  { [ -x $cases/$name.filter ] && $cases/$name.filter || cat; } | { [ -f $cases/$name.excl ] && grep -Evf $cases/$name.excl || cat; }
[ -x $cases/$name.post ] && $cases/$name.post >/dev/null 2>&1
exit 0`

/** The lines that it prints, in order: its standard output and error reach a pipe in another order each time. */
async function lines(name: string, side: string, path: string): Promise<readonly string[]> {
  const home = join(folder, side)
  if (!existsSync(home)) {
    mkdirSync(join(home, 'shadow'), { recursive: true })
    cpSync(suite, join(home, 'tests'), { recursive: true })
    // Fence agents of cluster-glue's own interface are not supported: the cases get one of those that everybody has.
    const sedLine = 's#stonith:(null|ssh|external/ssh)#stonith:fence_virsh#'
    execFileSync('sh', ['-c', `sed -Ei '${sedLine}' crm-interface testcases/*`], { cwd: join(home, 'tests') })
  }
  const env = { ...process.env, HOME: home, CIB_shadow_dir: join(home, 'shadow'), PATH: path }
  const isolated = ['--mount', '--propagation', 'private', 'bash', '-c', runCase, 'crmsh', name]
  const { stdout } = await promisify(execFile)('unshare', isolated, { env, maxBuffer: 64 * 1024 * 1024 })
  // A traceback marks its places from Python 3.11 on.
  return stdout
    .replaceAll(home, '')
    .split('\n')
    .filter((line) => !/^[\s~^]*$/.test(line))
    .sort()
}

/** Cases in which our tools speak as Pacemaker 3 does, and Debian's as 2.1.5. What they make of the configuration is the same. */
const otherWords: ReadonlySet<string> = new Set([
  // crm_verify warns of the roles Master and Slave.
  'confbasic',
  // The cases name parameters of cluster-glue's `null`, of which crmsh speaks more or less often.
  'delete',
  'bugs',
  // crm_attribute prints one blank where 2.1.5 prints two.
  'node',
  // crm_simulate's scores have the names of 3.0, and crm_resource says that it cleans nothing up in a file.
  'resource',
  // Metadata of fence agents: which parameters are required, and no start or stop of a device.
  'ra',
  // From Pacemaker 3 on, crm_shadow wants --force for `crm cib reset` of the shadow that is in use, which crmsh 4.4 does not give. The shadow stays as it is.
  'shadow',
])
const configuration = (of: readonly string[]): readonly string[] => of.filter((line) => /^\s*</.test(line))

test.runIf(cases.length > 0).each(cases)('%s says the same over our tools', async (name) => {
  const debian = '/usr/sbin:/usr/bin:/sbin:/bin'
  const [ours, theirs] = await Promise.all([lines(name, 'ours', `${shims}:${debian}`), lines(name, 'debian', debian)])
  expect(theirs.length).toBeGreaterThan(2)
  if (otherWords.has(name)) expect(configuration(ours)).toEqual(configuration(theirs))
  else expect(ours).toEqual(theirs)
})
