/**
 * The calls that are drawn. Left out are those that need a running cluster to mean anything (attrd_updater, crm_report, `crm_resource
 * --wait` and `--restart`, a live `crm_mon`, most of stonith_admin) and those that act on the host (`crm_resource --force-start`); and crm_mon's page in HTML, which is our own.
 */
export interface ToolForms {
  /** How often the tool is drawn, relative to the others: by how much is called by agents, deployment tools and hands. */
  readonly weight: number
  readonly forms: readonly string[]
}

const as = '[--output-as=(xml|text|none)]'

export const toolForms: Readonly<Record<string, ToolForms>> = {
  crm_resource: {
    weight: 10,
    forms: [
      `(-l|--list-raw|-L|--list) [-Q] ${as}`,
      `-r {resource} (-W|--locate) [-Q|--quiet] ${as}`,
      `-r {resource} (-q|-w|--query-xml|--query-xml-raw) ${as}`,
      `-r {resource} -g {its-parameter} [-Q] ${as}`,
      `-r {resource} (-m|--meta) -g {meta} [-Q] ${as}`,
      `[-Q] -r {resource} -z -g {its-utilization} ${as}`,
      `-r {resource} --element -g (type|class|provider|id|description) ${as}`,
      `-r {resource} (-p|--set-parameter) {its-parameter} -v {value} [--force] ${as}`,
      `-r {resource} (-m|--meta) -p {meta} (-v|--parameter-value) {value} [--recursive] [--force] ${as}`,
      '-r {resource} --meta -p {meta} -v {value} -s {set}',
      '-r {resource} --meta -p {meta} -v {value} -i {nvpair}',
      `-r {resource} -z -p {its-utilization} -v {value} ${as}`,
      `-r {resource} (-d|--delete-parameter) {its-parameter} [--force] ${as}`,
      `-r {resource} (-m|--meta) -d {meta} [--recursive] [--force] ${as}`,
      `-r {resource} -z -d {its-utilization} ${as}`,
      `-r {resource} (-a|--constraints) [--recursive] [--force] ${as}`,
      `-r {resource} (-A|--stack) [--force] ${as}`,
      `(-O|-o|--list-operations|--list-all-operations) [-r {resource}] [-N {node}] ${as}`,
      `(-Y|--why) [-r {resource}] [-N {node}] ${as}`,
      `-r {resource} (-B|--ban) [-N {node}] [--promoted|--master] [-Q] [--force] ${as}`,
      `-r {resource} (-B|-M) [-N {node}] (-u|--lifetime) {duration}`,
      `-r {resource} (-M|--move) [-N {node}] [--promoted] [-Q] [--force] ${as}`,
      `-r {resource} (-U|--clear|--un-move) [-N {node}] [--expired] [--promoted] [--force] ${as}`,
      `(-C|--cleanup|-R|--refresh) [-r {resource}] [-N {node}] [-n {operation} [-I {interval}]] [--force] ${as}`,
      `-r {resource} -D -t (primitive|group|clone|bundle) [--force] ${as}`,
      `-r {primitive} -F -N {node}`,
      `--digests -r {primitive} -N {node} [{its-parameter}=other] ${as}`,
      `--validate -r {primitive} ${as}`,
      '(-c|-D|-M|-B|-U|-W|-q|-a|-A) [-r {resource}]',
    ],
  },
  crm_attribute: {
    weight: 8,
    forms: [
      `[-t crm_config] (-n|--name) {property} [-G|--query] [-q|--quiet] [-d {value}] ${as}`,
      `[-t crm_config] -n {property} (-v|--update) {value} [-q] ${as}`,
      `[-t crm_config] -n {property} (-D|--delete) ${as}`,
      '-n {property} -s {set} (-G|-v {value}|-D)',
      '-n {property} -i {nvpair} (-G|-v {value}|-D)',
      '-i {nvpair} (-G|-D)',
      `(-N|--node) {node} [-t nodes] [-l forever] -n {its-attribute} [-G] [-q] ${as}`,
      `-N {node} [-l forever|-t nodes] -n {its-attribute} (-v {value}|-D) ${as}`,
      `-N {node} (-l reboot|-t status) -n {its-transient} [-G] [-q] [-d {value}] ${as}`,
      `-N {node} (-l|--lifetime) reboot -n {its-transient} (-v {value}|-D) ${as}`,
      `-N {node} [-t nodes] -z -n {node-utilization} (-G|-v {value}|-D) [-q] ${as}`,
      `[-N {node}] -p {primitive} [-G] [-q] ${as}`,
      '[-N {node}] -p {primitive} (-v {score}|-D) [-l (reboot|forever)]',
      'OCF_RESOURCE_INSTANCE={instance} [-N {node}] (-p|--promotion) (-v {score}|-D|-G [-q])',
      `-t (rsc_defaults|op_defaults) -N {node} -n {default} [-G] [-q] ${as}`,
      '-t (rsc_defaults|op_defaults) [-N {node}] -n {default} (-v {value}|-D)',
      '-t (rsc_defaults|op_defaults) -N {node} --attr-name {default} (--attr-value {value}|-D|--get-value)',
      '-t tickets -n {ticket} [-G]',
      `-P {pattern} [-N {node}] [-l (reboot|forever)] [-t crm_config] (-G|-v {value}|-D) ${as}`,
      `[-N {node}] [-t (crm_config|nodes|status)] -G ${as}`,
    ],
  },
  cibadmin: {
    weight: 10,
    forms: [
      '(-Q|--query) [-l|--local] [-n|--no-children]',
      '(-Q|--query) (-o|--scope) {section} [-n]',
      '(-Q|--query) (-A|--xpath) {xpath} [-n|-e|--node-path]',
      '-Q -o {section} -A {xpath}',
      '(-C|--create) [-o {section}] (-X|--xml-text) {fragment} [--sync-call]',
      '(-C|--create) -o (resources|constraints|crm_config|nodes) -X {new-fragment} [--force]',
      '(-M|--modify) [-o {section}] [-c|--allow-create] -X {fragment}',
      '-M -o (resources|constraints|crm_config|nodes) [-c] -X {new-fragment}',
      '-M -A {xpath} -X {fragment}',
      '(-R|--replace) [-o {section}] -X {fragment}',
      '-R -o (resources|constraints|crm_config|nodes) -X {new-fragment}',
      '-R -A {xpath} -X {fragment}',
      '-R [-o {section}] [--force] -x {file}',
      '(-R|-C|-M|-P) -p < {file}',
      '(-D|--delete) [-o {section}] -X {fragment} [--force]',
      '(-D|--delete) -A {xpath} [--force]',
      '(-d|--delete-all) -A {xpath} [--force]',
      '-D -o {section} [-A {xpath}]',
      '(-P|--patch) [-o configuration] -x {patch}',
      '-M -X {version-fragment}',
      '(-B|--bump|-E|--erase|-u|--upgrade) [--force]',
      '(-5|--md5-sum|-6) -x {file}',
      '(-a|--empty)',
      '-Q [-A {xpath}] (--show-access|--show-access=(text|namespace|auto|color)|-S) -U {user}',
      '(-Q|-D -X {fragment}|-M -X {fragment}) -U {user}',
    ],
  },
  crm_mon: {
    weight: 6,
    forms: [
      `-1 [-r] [-n] [-A] [-f] [-o|-t] [-c] [-L] [-R] [-b] [-D] [-Q]`,
      '-1 [-rnR|-rfA|-Afr|-rnbR|-fotcL|-RA]',
      '-1 --output-as=(xml|text|none) [-r] [-n] [-R] [-A]',
      '(-X|--as-xml|-1 --as-xml|-r --as-xml)',
      '-1 --output-as=(text|xml) (--include|--exclude)={sections} [(--include|--exclude)={sections}]',
      '(-1|--output-as=xml) --node={node} [-r] [-n] [-A] [-f] [-R]',
      '(-1|--output-as=xml) --resource={resource} [-r] [-n] [-R] [-L]',
      '-1 [-m=(0|1|2|3)] [-L={word}]',
    ],
  },
  crm_node: { weight: 1, forms: ['(-n|-l|-p|-q|-i|-N {node-id}|-R {node}) [-Q]'] },
  crm_failcount: {
    weight: 3,
    forms: [
      '[-q] -r {resource} [-N {node}] (-G|--query)',
      '-r {resource} -N {node} [-n {operation} [-I {interval}]] (-G|-D) [-q]',
      '[-r {resource}] (-G|-D|-q)',
    ],
  },
  crm_standby: {
    weight: 2,
    forms: ['[-N {node}] (-G|-v (on|off|true|false)|-D) [-l (reboot|forever)] [-q] [-i {nvpair}]'],
  },
  crm_master: {
    weight: 2,
    forms: [
      '-r {primitive} [-N {node}] [-l (reboot|forever)] (-G|-v {score}|-D) [-q|-Q]',
      'OCF_RESOURCE_INSTANCE={instance} [-N {node}] [-q] [-l reboot] (-G|-v {score}|-D)',
    ],
  },
  crm_ticket: {
    weight: 2,
    forms: [
      '(-l|-L|-w|-q|-c|--info|--details|--raw|--query-xml|--constraints) [-t {ticket}] [-Q]',
      '-t {ticket} (-g|-r|-s|-a|--grant|--revoke|--standby|--activate|--cleanup|-C) [-f|--force]',
      '-t {ticket} -G (granted|standby|owner|last-granted|id) [-d {value}]',
      '-t {ticket} (-S|--set-attr) (owner|granted|standby) -v {value} [--force]',
      '-t {ticket} (-D|--delete-attr) (owner|granted|standby) [--force]',
    ],
  },
  crm_verify: { weight: 2, forms: [`(-L|-x {file}|-p < {file}|-X {fragment}) [-V] ${as}`] },
  crm_diff: {
    weight: 3,
    forms: [
      '[--cib] -o cib.xml -n (other.xml|{file}) [-u|--no-version]',
      '[-c] -o (other.xml|{file}) -n cib.xml',
      '[-c] -o cib.xml -p {patch}',
      '[-c] -O {fragment} -N {fragment}',
      '[-u] --original other.xml --new (cib.xml|{file})',
    ],
  },
  crm_simulate: {
    weight: 2,
    forms: [
      '(-L|-x cib.xml|-p < {file}|) [-Q] [-A] [-c] [--output-as=xml]',
      '-R [-x {file}|-L] [-q (true|false)] [-w (true|false)] [-s] [-Q]',
      '-S -L [-u {node}|-d {node}|-f {node}] [-Q]',
      '-R -L [-g {ticket}|-r {ticket}|-b {ticket}|-e {ticket}] [-Q]',
      '-R -L -i {primitive}_monitor_10000@{node}=7 [-Q]',
    ],
  },
  crmadmin: {
    weight: 1,
    forms: [
      `(-N|--nodes) [-B] ${as}`,
      `-N=(all|cluster|guest|remote|{word}) [-B] ${as}`,
      `(-D|-S {node}|-P) [-q] ${as}`,
    ],
  },
  crm_shadow: {
    weight: 1,
    forms: [
      '-b [-f] (-c|-e|-r|-s) (copy|{word})',
      '[-f] (-D|-C) (copy|{word})',
      'CIB_shadow=(copy|{word}) (-w|-F|-p|-d)',
    ],
  },
  crm_rule: { weight: 1, forms: [`-c -r {rule} [-d {date}] ${as}`] },
  stonith_admin: { weight: 1, forms: [`(-I|-L|-l {node}|-H {node}|-h {node}|-K -a fence_dummy) ${as}`] },
}
