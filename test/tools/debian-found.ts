/** Calls whose answers were found to differ by `npm run fuzz:tools`, one for each rule. */
import type { DebianCall } from './debian-calls.ts'

const calls = [
  // What makes no sense is not written, whichever command would.
  'crm_attribute -n new -i web-utilization-cpu -v 5',
  'crm_resource -r web -m -p priority -v 5 -s db-clone',
  'crm_resource -r web -D -t primitive',
  // The id says which pair is meant, and the pair gets the name.
  'crm_attribute -n other-name -i cib-bootstrap-options-cluster-name -v x',
  'crm_attribute -N nobody -t rsc_defaults -n resource-stickiness -D',
  "crm_resource -r web -p state -v ''",
  'crm_resource -r web:0 -m -p priority -v 5',
  'crm_resource -r db:0 -m -d clone-max',
  'crm_resource -r db:0 -W',
  'crm_resource -r web:0 -B -N alpha',
  'crm_resource -r web -M -N beta -u P1D',
  'crm_resource -r web -B -N alpha -u 60',
  'crm_resource -R',
  'crm_resource -R -N alpha',
  'crm_resource -r web -a --output-as=xml',
  'crm_resource -r proxy -A --output-as=xml',
  'crm_failcount -r nosuch -N alpha -D',
  'crm_failcount -r web -N nobody -D',
  'crm_attribute -t tickets -n ticketA -G',
  'crm_resource -Y -N nobody',
  "crm_rule -c -r none -d ''",
  'crmadmin -N=cluster',
  'crmadmin -N=guest',
  'crm_mon -1 --resource=web -n -r',
  'crm_mon -1 --output-as=xml --resource=web -n -r',
  'crm_mon -1 --output-as=xml --resource=nothing',
  'crm_mon -1 --node=nobody -f',
  'crm_ticket -t ticketA -D owner',
  'crm_ticket -t ticketA -D none',
  'crm_ticket -t nosuch -D owner',
  'crm_ticket -t ticketA -D granted',
  'crm_ticket -t ticketA -S granted -v true',
  'crm_ticket -t ticketA -S granted -v bogus',
  'crm_ticket -t ticketA -S granted -v false --force',
  'crm_ticket -t nosuch -G x -d y',
  'crm_ticket -t ticketA -G id',
  'crm_ticket -t nosuch -w',
  'crm_ticket -t nosuch -l',
  'crm_ticket -t nosuch --cleanup',
  'cibadmin -Q -A //nvpair -U root',
  // Of the whole CIB, to create is to modify.
  `cibadmin -C -X '<nvpair id="cib-bootstrap-options-cluster-name" name="x" value="y"/>'`,
  `cibadmin -C -X '<resources><primitive id="new" class="ocf" provider="pacemaker" type="Dummy"/></resources>'`,
  `cibadmin -C -X '<primitive id="new" class="ocf" provider="pacemaker" type="Dummy"/>'`,
  `cibadmin -M -X '<resources description="x"/>'`,
  `cibadmin -M -X '<cib epoch="7"/>'`,
  `cibadmin -M -X '<cib num_updates="1"/>'`,
  'cibadmin -D -A /',
  patched('3', '11.0'),
  patched('3', '10.3'),
  patched('2', '11.0'),
  patched('9', '11.0'),
  `cibadmin -P -X '<diff format="2"><change operation="delete" path="/cib/configuration/nodes/node[@id=&apos;77&apos;]"/></diff>'`,
  `cibadmin -P -X '<diff format="2"><change operation="modify" path="/cib/configuration"/></diff>'`,
  `crm_diff -c -O '${cib('1', 'a')}' -N '${cib('2', 'b')}'`,
  `crm_diff -c -u -O '${cib('1', 'a')}' -N '${cib('2', 'b')}'`,
]

/** A node's name is changed, from an update of epoch 10 to a version. */
function patched(updates: string, target: string): string {
  const [epoch, to] = target.split('.')
  const change = `<change operation="modify" path="/cib/configuration/nodes/node[@id=&apos;1&apos;]"><change-list><change-attr name="type" operation="set" value="member"/></change-list><change-result><node id="1" uname="alpha" type="member"/></change-result></change>`
  return `cibadmin -P -X '<diff format="2"><version><source admin_epoch="0" epoch="10" num_updates="${updates}"/><target admin_epoch="0" epoch="${epoch}" num_updates="${to}"/></version>${change}</diff>'`
}

function cib(epoch: string, node: string): string {
  return `<cib crm_feature_set="3.16.1" validate-with="pacemaker-3.9" epoch="${epoch}" num_updates="0" admin_epoch="0" cib-last-written="Sat Nov 21 10:00:00 2026"><configuration><crm_config/><nodes><node id="1" uname="${node}"/></nodes><resources/><constraints/></configuration><status/></cib>`
}

/** Colocations in a loop, of groups and roles. */
const followed = [
  'crm_resource -r a -a',
  'crm_resource -r a -A',
  'crm_resource -r g1 -a --recursive',
  'crm_resource -r g1 -A --force',
  'crm_resource -r cl -A --output-as=xml',
]

export const foundCalls: readonly DebianCall[] = [
  ...followed.map((call) => ({ call, cib: 'colocated.xml' })),
  ...['c -m -p target-role -v Stopped', 'clp -m -p priority -v 3'].map((what) => ({
    call: `crm_resource -r ${what} --recursive`,
    cib: 'colocated.xml',
  })),
  ...[
    'crm_mon -1',
    'crm_mon -1 -b',
    'crm_resource -r each -W',
    'crm_resource -r each -m -g priority',
    'crm_resource -r each -p state -v x',
  ].map((call) => ({ call, cib: 'colocated.xml' })),
  ...calls.map((call) => ({ call })),
  {
    call: 'cibadmin -Q -o nodes stray words',
    differs: 'the words that belong to no option are named on standard error',
  },
]
