/**
 * Modules that no registry of Debian's or npm's has: the command lines that their sources send, in their order and with their
 * own questions. docs/clients.md names the versions.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientLab, formClientCluster, must, twice } from './client-lab.ts'

const lab = clientLab(['n1', 'n2', 'n3'])
beforeAll(async () => {
  await lab.start()
  await formClientCluster(lab)
}, 180_000)
afterAll(() => lab.close(), 60_000)

/** puppet-pacemaker: a question on a copy of the CIB; where it is not answered, the line on a copy, and the difference pushed. */
const puppetPacemaker = `
set -u
copies=/var/lib/pacemaker/cib
push() {
  cmp -s $1 $1.orig && return 0
  if pcs cluster cib-push --help | grep -q diff-against; then pcs cluster cib-push $1 diff-against=$1.orig; else pcs cluster cib-push $1; fi
}
copy() { pcs cluster cib $1 && cp $1 $1.orig; }
asked() { local cib=$copies/puppet-cib-backup-$RANDOM; copy $cib; bash -c "pcs -f $cib $1" >/dev/null 2>&1; local code=$?; rm -f $cib $cib.orig; return $code; }
make() {
  local cib=$copies/puppet-cib-backup-$RANDOM
  copy $cib
  bash -c "pcs -f $cib $1" && push $cib || { echo "failed: $1"; exit 1; }
  rm -f $cib $cib.orig
  echo "made: $1"
}
# exists? and create of a provider
ensure() { asked "$1" || make "$2"; }
prefix=$1

ensure "property show | grep no-quorum-policy | grep $2" "property set no-quorum-policy=$2"
ensure "property show | grep $prefix-role | grep n1 | grep true" "property set --node n1 $prefix-role=true"
ensure "resource defaults | grep '^resource-stickiness: $3\\$'" "resource defaults resource-stickiness='$3'"
ensure "resource op defaults | grep '^timeout: $3s\\$'" "resource op defaults timeout='$3s'"
ensure "stonith show fence-n1" "stonith create fence-n1 fence_ipmilan pcmk_host_list=n1 --disabled"
ensure "constraint location | grep fence-n1" "constraint location fence-n1 avoids n1"
ensure "resource show $prefix-ip" "resource create $prefix-ip ocf:heartbeat:Dummy fake=a meta priority=2 op monitor interval=15s --group $prefix-group --disabled"
ensure "resource show $prefix-db" "resource create $prefix-db ocf:pacemaker:Stateful meta notify=true op monitor interval=14s --master master-max=1 ordered=true --disabled"
ensure "resource show $prefix-web" "resource create $prefix-web ocf:heartbeat:Dummy --clone interleave=true --disabled"
ensure "constraint list | grep location-$prefix-web-clone" "constraint location $prefix-web-clone rule resource-discovery=exclusive score=0 $prefix-role eq true"
asked "resource enable $prefix-web" || exit 1
ensure "constraint location show --full | grep $prefix-on-n1" "constraint location add $prefix-on-n1 $prefix-group n1 100"
ensure "constraint colocation show --full | grep '$prefix-group with $prefix-db-master' | grep -e with-rsc-role:Master -e with-rsc-role:Promoted" "constraint colocation add $prefix-group with master $prefix-db-master INFINITY"
ensure "constraint order show --full | grep order-$prefix-db" "constraint order promote $prefix-db-master then start $prefix-group kind=Optional id=order-$prefix-db"
level='stonith level | sed -n \\"/^Target: n1$/,/^Target:/{/^Target: n1$/b;/^Target:/b;p}\\" | grep -e \\"Level[[:space:]]*'$4'[[:space:]]*-[[:space:]]*fence-n1\\"'
ensure "$(printf '%s' "$level" | sed 's/\\\\"/"/g')" "stonith level add $4 n1 fence-n1"
ensure "resource show $prefix-box" "resource bundle create $prefix-box container docker image=i:latest replicas=2 masters=1 options='--user=root --log-driver=journald' run-command='/bin/true' network=host storage-map id=$prefix-map source-dir=/dev/log target-dir=/dev/log options=rw network control-port=3123 --disabled"

# whether a bundle has changed: the update on a copy, compared by crm_diff and crm_simulate
cib=$copies/puppet-cib-backup-deep
copy $cib
pcs -f $cib resource bundle update $prefix-box storage-map remove $prefix-map
pcs -f $cib resource bundle update $prefix-box container image=i:latest replicas=2 masters=1 options="--user=root --log-driver=journald" run-command="/bin/true" network=host storage-map add id=$prefix-map source-dir=/dev/log target-dir=/dev/log options=rw network control-port=3123 || exit 1
# the counts of a copy that was edited differ: what counts is a change in the bundle itself
crm_diff --cib -o $cib.orig -n $cib | grep -q "path=.*@id='$prefix-box'" && echo "changed: $prefix-box"
crm_simulate -x $cib -s -G /tmp/graph.xml >/dev/null || exit 1
grep -q "id=\\"$prefix-box" /tmp/graph.xml && echo "would restart: $prefix-box"
rm -f $cib $cib.orig /tmp/graph.xml
exit 0
`

/** linux-system-roles/ha_cluster: the CIB emptied in a file, filled again line by line, and the difference sent. */
const haCluster = `
set -eu
original=$(mktemp) new=$(mktemp) diff=$(mktemp)
trap 'rm -f $original $new $diff' EXIT
pcs --version --full >/dev/null
cibadmin --query > $original; cp $original $new
CIB_file=$new cibadmin --force --delete-all --xpath '/cib/configuration/*[not(
 self::crm_config or self::nodes or self::resources or self::constraints)]
 | /cib/configuration/*[self::resources or self::constraints]/*
 | /cib/configuration/nodes/*/*
 | /cib/configuration/crm_config//nvpair[not(@name="cluster-infrastructure" or @name="cluster-name" or
 @name="dc-version" or @name="have-watchdog" or @name="last-lrm-refresh" or @name="stonith-watchdog-timeout")]'
p() { pcs -f $new -- "$@"; }
p property set stonith-enabled=true
p property set no-quorum-policy=stop
p node attribute n1 rack=a
p node utilization n1 cpu=8
p resource defaults set create id=build score=10 meta resource-stickiness=100
p resource defaults set create id=pg-only meta resource-stickiness=7 rule 'resource ::pgsql'
p resource op defaults set create meta timeout=60s
for node in n1 n2 n3; do p stonith create fence-$node fence_ipmilan ip=10.84.0.9 username=admin password='a secret' lanplus=1 pcmk_host_list=$node; done
p resource create site ocf:heartbeat:Dummy 'fake=some thing' meta target-role=Stopped op monitor interval=20s timeout=15s op start interval=0s timeout=25s
p resource utilization site cpu=2
p resource create ip ocf:heartbeat:Dummy
pcs -f $new --no-default-ops -- resource create lean ocf:heartbeat:Dummy
p resource create db ocf:pacemaker:Stateful meta priority=3
p resource create dlm ocf:heartbeat:Dummy
p resource group add shop ip site
p resource promotable db db-clone notify=true
p resource clone dlm interleave=true
p stonith level add 1 n1 fence-n1
p stonith level add 1 'regexp%n[23]' fence-n2 fence-n3
p stonith level add 2 'attrib%rack=a' fence-n1
p constraint location shop prefers n1=INFINITY
p constraint location add lean-there lean n2 score=-INFINITY resource-discovery=never
p constraint location db-clone rule constraint-id=db-rule role=promoted score=50 'rack eq a or (date gt 2030-01-01 and not_defined gpu)'
p constraint colocation add shop with promoted db-clone score=30 id=shop-with-db
p constraint colocation set lean dlm-clone sequential=false setoptions id=together score=20
p constraint order promote db-clone then start shop id=db-first kind=Optional symmetrical=false
p constraint order set dlm-clone lean require-all=false set shop setoptions id=in-turn kind=Serialize
p constraint ticket add T promoted db-clone id=tick loss-policy=demote
p acl role create reader description='who reads' read xpath /cib
p acl user create operator reader
p alert create path=/bin/true id=told description='who is told' options a=b meta timeout=10s
p alert recipient add told value=me id=told-me description='one' options c=d
code=0
crm_diff --no-version --original $original --new $new > $diff || code=$?
case $code in
  0) echo same ;;
  1) cibadmin --verbose --patch --xml-file $diff; echo changed ;;
  *) cat $diff; exit $code ;;
esac
`

test('ha_cluster of linux-system-roles sends a difference once, whoever wrote the configuration', async () => {
  const file = join(lab.folder, 'ha-cluster.sh')
  writeFileSync(file, haCluster)
  const run = async (): Promise<string> => await must(lab, 'n1', `bash ${file}`)
  const { first, second } = await twice(lab, run)
  expect(first.trimEnd().split('\n').at(-1), first).toBe('changed')
  expect(second.trimEnd().split('\n').at(-1), second).toBe('same')
  // What the role reads back to export it.
  for (const line of [
    'resource config',
    'stonith config',
    'constraint',
    'property config',
    'resource defaults',
    'resource op defaults',
    'stonith level config',
  ])
    JSON.parse(
      await must(lab, 'n1', `pcs ${line} --output-format=json${line === 'constraint' ? ' --all' : ''} 2>/dev/null`),
    )
})

/** 0.9 and 0.10 had one set of defaults, without a rule. */
const onlyOneSet = ['resource', 'defaults', 'set', 'delete', 'build', 'pg-only']

test('what other modules have left is taken away', async () => {
  await lab.systole('n1', ...onlyOneSet)
})

describe.each([
  ['0.9', 'old', 'freeze', '50', '1'],
  ['0.10', 'new', 'stop', '60', '2'],
])('puppet-pacemaker with PCS_COMPAT=%s', (compat, prefix, policy, number, level) => {
  test('makes everything once', async () => {
    // There is no daemon of Docker's: a bundle cannot be probed, and its failed stop would be fenced, as with Pacemaker.
    await lab.systole('n1', 'property', 'set', 'maintenance-mode=true')
    const file = join(lab.folder, `puppet-pacemaker-${compat}.sh`)
    writeFileSync(file, puppetPacemaker)
    const run = async (): Promise<string> =>
      await must(lab, 'n1', `export PCS_COMPAT=${compat}; bash ${file} ${prefix} ${policy} ${number} ${level}`)
    const { first, second } = await twice(lab, run)
    expect(first.split('\n').filter((line) => line.startsWith('made:')).length).toBeGreaterThanOrEqual(13)
    expect(second.split('\n').filter((line) => /^(made|changed|would)/.test(line))).toEqual([])
  })
})
