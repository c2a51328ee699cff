import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Pacemaker's commands on a real cluster: what a CIB in a file cannot show. */
const lab = new Lab(['n1', 'n2', 'n3'])
const shims = join(lab.folder, 'systole/shims')
beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
  await lab.prepare('n1', 'property', 'set', 'stonith-enabled=false')
  await lab.prepare('n1', 'resource', 'create', 'web', 'ocf:pacemaker:Dummy', '--wait')
}, 120_000)
afterAll(() => lab.close())

/** A line of shell with the commands first in PATH; files are `@/name`. */
async function sh(node: string, line: string): Promise<string> {
  const placed = line.replaceAll('@/', `${lab.folder}/`)
  return (await lab.inNode(node, 'bash', '-c', `export PATH=${shims}:$PATH; ${placed}`)).trim()
}

const code = async (node: string, line: string): Promise<number> =>
  Number((await sh(node, `${line} >/dev/null 2>&1; echo $?`)).split('\n').at(-1))

test('crm_node knows the cluster, on every node its own name', async () => {
  expect(await sh('n2', 'crm_node -n; crm_node -q; crm_node -p')).toMatch(/^n2\n1\nn1 n2 n3 ?$/)
  expect(await sh('n1', 'crm_node -l')).toBe('1 n1 member\n2 n2 member\n3 n3 member')
})

test('what attrd_updater sets on one node is read on the others', async () => {
  await sh('n1', 'attrd_updater -n pingd -U 5; attrd_updater -n pingd -N n3 -U 7')
  await lab.until('the others see it', async () =>
    (await sh('n2', 'attrd_updater -n pingd -A')).includes(
      'name="pingd" host="n1" value="5"\nname="pingd" host="n3" value="7"',
    ),
  )
  expect(await sh('n2', 'crm_attribute -N n1 -l reboot -n pingd -q')).toBe('5')
  expect(await code('n1', 'attrd_updater -n none -Q')).toBe(105)
})

test('a permanent attribute, an option and a resource’s parameter are in everybody’s CIB', async () => {
  await sh(
    'n1',
    'crm_attribute -N n2 -l forever -n rack -v 9; crm_attribute -n X_REPL -s repl -v n1; crm_resource -r web -p fake -v a',
  )
  await lab.until('n3 has them', async () => (await sh('n3', 'crm_attribute -n X_REPL -q || true')) === 'n1')
  expect(await sh('n3', 'crm_attribute -t nodes -N n2 -n rack -G -q; crm_resource -r web -g fake')).toBe('9\na')
})

test('of nine that create the same lock at once, one gets it; only its owner changes it', async () => {
  const create =
    'cibadmin --create --scope crm_config --xml-text \'<cluster_property_set id="lock"><nvpair id="lock-l" name="l" value="NODE:I"/></cluster_property_set>\''
  const tries = ['n1', 'n2', 'n3'].flatMap((node) => [0, 1, 2].map((i) => ({ node, i })))
  const codes = await Promise.all(
    tries.map(({ node, i }) => code(node, create.replace('NODE', node).replace('I"', `${i}"`))),
  )
  expect(codes.filter((each) => each === 0)).toHaveLength(1)
  expect(codes.filter((each) => each === 108)).toHaveLength(tries.length - 1)
  const swap = (from: string, to: string): string =>
    `cibadmin --modify --xpath "//nvpair[@name='l' and @value='${from}']/.." --xml-text '<cluster_property_set id="lock"><nvpair id="lock-l" name="l" value="${to}"/></cluster_property_set>'`
  const owner = (await sh('n1', `cibadmin -Q --xpath "//nvpair[@id='lock-l']"`)).replace(/.*value="([^"]*)".*/, '$1')
  const swaps = await Promise.all(['n1', 'n2', 'n3'].map((node) => code(node, swap(owner, `mine:${node}`))))
  expect(swaps.filter((each) => each === 0)).toHaveLength(1)
  expect(swaps.filter((each) => each === 105)).toHaveLength(2)
})

test('cibadmin takes a file and standard input, and writes what the cluster may have of the state', async () => {
  await sh('n1', `cibadmin -Q -o nodes > @/nodes.xml; cibadmin -R -o nodes -x @/nodes.xml`)
  await sh('n1', `echo '<nvpair id="lock-l" name="l" value="piped"/>' | cibadmin -M -p`)
  expect(await sh('n1', `cibadmin -Q -A "//nvpair[@id='lock-l']"`)).toContain('value="piped"')
  expect(await code('n1', `cibadmin -D -o status -X '<node_state uname="n2"/>'`)).toBe(107)
  await sh('n1', 'crm_ticket -t site -g --force')
  expect(await sh('n1', 'crm_ticket -t site -G granted')).toBe('true')
})

test('a difference made by crm_diff is applied by cibadmin', async () => {
  await sh('n1', 'cibadmin -Q > @/a.xml; sed \'s/name="rack" value="9"/name="rack" value="11"/\' @/a.xml > @/b.xml')
  expect(await code('n1', 'crm_diff --no-version --original @/a.xml --new @/b.xml')).toBe(1)
  await sh(
    'n1',
    '(crm_diff --no-version -o @/a.xml -n @/b.xml > @/d.xml || true); cibadmin --verbose --patch --xml-file @/d.xml',
  )
  expect(await sh('n1', 'crm_attribute -N n2 -n rack -q')).toBe('11')
})

test('crm_mon in a pipe as agents call it, live, and in the background as ClusterMon starts it', async () => {
  const grep = `grep -c 'resource.*id="web".* role="Started".* active="true".* orphaned="false".* failed="false"'`
  expect(await sh('n1', `crm_mon -1 --output-as=xml | ${grep}`)).toBe('1')
  expect(await sh('n1', `"$SHELL" -c 'CIB_file=<(cibadmin -Q) crm_mon -1 --as-xml' | ${grep}`)).toBe('1')
  const text = await sh('n1', 'crm_mon -1')
  expect(text).toContain('  * Online: [ n1 n2 n3 ]')
  expect(text).toMatch(/\* Last change: {2}\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} by root via cibadmin on n\d/)
  await sh('n1', 'crm_mon -p @/mon.pid -d -i 1 -n -r -h @/mon.html')
  await lab.until('the page is there', async () => (await code('n1', 'grep -q "<h2>Node List</h2>" @/mon.html')) === 0)
  await sh('n1', 'kill -0 $(cat @/mon.pid); kill $(cat @/mon.pid)')
  await lab.until('it ends', async () => (await code('n1', 'test -e @/mon.pid')) !== 0)
})

test('crm_resource bans, waits and clears; crm_standby empties a node', async () => {
  const [where = ''] = await lab.whereIs('web', 'n1')
  expect(
    await sh('n1', `crm_resource -B -r web -N ${where} -Q; crm_resource --wait; crm_resource -Q -r web -W`),
  ).not.toBe(where)
  expect(await sh('n1', 'crm_resource -U -r web')).toContain('Removing constraint: cli-ban-web-on-')
  const now = await sh('n1', 'crm_resource -Q -r web -W')
  await sh('n1', `crm_standby -N ${now} -v on; crm_resource --wait`)
  expect(await sh('n1', 'crm_resource -Q -r web -W')).not.toBe(now)
  await sh('n1', `crm_standby -N ${now} -D`)
})

test('the others answer, too', async () => {
  expect(await sh('n1', 'crmadmin -D')).toMatch(/^Designated Controller is: n[123]$/)
  expect(await sh('n1', 'pacemakerd -$ | head -1')).toMatch(/^Pacemaker 3\./)
  expect(await sh('n1', "stonith_admin -H '*' --output-as xml")).toContain('<list name="fencing history" count="0"/>')
  expect(await sh('n1', 'crm_simulate -LS')).toMatch(/Transition Summary:[\s\S]*Executing Cluster Transition:/)
  expect(await code('n1', 'crm_simulate -LS -G @/graph.xml && grep -q transition_graph @/graph.xml')).toBe(0)
  expect(await code('n1', 'crm_verify -L')).toBe(0)
  expect(await sh('n1', 'corosync-cmapctl totem.cluster_name')).toMatch(/^totem\.cluster_name \(str\) = \S+$/)
  expect(await sh('n1', 'corosync-quorumtool -s')).toContain('Quorate:          Yes')
  expect(await sh('n1', 'corosync-cfgtool -s')).toContain('nodeid:          2:\tconnected')
  expect(await sh('n1', 'crm_failcount -q -G -r web -N n1')).toBe('0')
})

test('what people seldom ask of pcs works on a running cluster', { timeout: 180_000 }, async () => {
  expect(await sh('n1', 'pcs --version --full')).toMatch(/^0\.12\.\S*\n\n.*\bnode\.standby\.wait\b/)
  expect(await sh('n1', 'pcs ticket grant branch --force && pcs ticket status')).toContain('branch')
  expect(await sh('n2', 'crm_ticket -t branch -G granted')).toBe('true')
  expect(await sh('n1', 'pcs ticket revoke branch && pcs ticket cleanup branch && pcs ticket status')).not.toContain(
    'branch:',
  )
  await sh('n1', 'crm_attribute -n edited -v before')
  await sh('n1', `EDITOR='sed -i s/before/afterwards/' script -qec 'pcs cluster edit' /dev/null`)
  expect(await sh('n1', 'crm_attribute -n edited -q')).toBe('afterwards')
  expect(await sh('n1', 'pcs status wait 30')).toContain('settled')
  expect(await code('n1', 'pcs cluster cib-upgrade')).toBe(0)
  expect(await sh('n1', 'pcs cluster setup other n1 --corosync_conf=@/corosync.conf')).toContain(
    'No cluster was set up',
  )
  await sh('n1', 'pcs cluster report @/for-them && tar -tzf @/for-them.tar.gz | grep -q cib.xml')
  expect(await sh('n1', 'pcs cluster report @/for-them 2>&1 || true')).toContain('Add --overwrite')
  // Nothing of the log is from then.
  const never = '--from "2001-01-01 00:00:00" --to "2001-01-02 00:00:00"'
  await sh('n1', `pcs cluster report @/for-them --overwrite ${never}`)
  expect(await sh('n1', 'tar -xzOf @/for-them.tar.gz for-them/description.txt')).toMatch(/2001-01-01[\s\S]*2001-01-02/)
})

test('stonith_admin and crm_shadow on a running cluster', async () => {
  expect(await sh('n1', 'stonith_admin -L')).toContain('0 fence devices found')
  expect(await sh('n1', 'stonith_admin --confirm n9 2>&1 || true')).toContain('there is no node n9')
  expect(await sh('n1', 'stonith_admin --last n1')).toBe('Node n1 has never been fenced')
  const inShadow = 'export CIB_shadow=plan CIB_shadow_dir=@/shadows'
  await sh('n1', `${inShadow}; crm_shadow -b -c plan && crm_attribute -n planned -v yes`)
  expect(await code('n1', 'crm_attribute -n planned -q')).toBe(105)
  await sh('n1', `${inShadow}; crm_shadow --commit plan --force`)
  expect(await sh('n2', 'crm_attribute -n planned -q')).toBe('yes')
  expect(await sh('n1', `crm_resource --force-check -r web 2>&1 || true`)).toContain('Operation force-check for web')
})

test('stonith_admin says how a node is fenced, and clears the history', async () => {
  // There is no such controller: nobody is fenced.
  const device = 'fence_ipmilan ip=127.0.0.1 username=a password=b lanplus=1 pcmk_host_list=n3'
  await sh('n1', `pcs stonith create nowhere ${device}`)
  const begun = Date.now()
  // n2 asks the DC, or is it.
  expect(await code('n2', 'stonith_admin --reboot n3 --delay 2 --timeout 3 --tag drill')).not.toBe(0)
  expect(Date.now() - begun).toBeGreaterThanOrEqual(2000)
  await lab.until('n1 knows of it', async () => /for|behalf of .*drill/.test(await sh('n1', 'stonith_admin -H n3')))
  await sh('n1', 'stonith_admin --history n3 --cleanup; pcs stonith delete nowhere')
  await lab.until('it is forgotten', async () => (await sh('n2', "stonith_admin -H '*'")).includes('0 events found'))
})

test('crm_report keeps what is secret to itself', async () => {
  await sh('n1', 'crm_attribute -n my-password -v swordfish')
  await sh('n1', 'cd /tmp && crm_report --single-node --dest @/report && tar -xzf @/report.tar.gz -C @/')
  const texts = await sh('n1', 'cat @/report/*')
  expect(texts).toContain('name="my-password" value="******"')
  expect(texts).not.toContain('swordfish')
})

test('without a daemon they say so', async () => {
  expect(existsSync(join(shims, 'crm_node'))).toBe(true)
  expect(readFileSync(join(shims, 'crm_node'), 'utf8')).toContain('socket')
  expect(await code('n1', 'SYSTOLE_TOOLS_SOCKET=/nowhere crm_node -n')).toBe(102)
  expect(await code('n1', 'SYSTOLE_TOOLS_SOCKET=/nowhere crm_diff -O "<a/>" -N "<a/>"')).toBe(0)
})
