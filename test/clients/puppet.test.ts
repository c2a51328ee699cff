/** Puppet's module for Corosync and Pacemaker (Debian's puppet-module-voxpupuli-corosync), with each of its providers. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientLab, type Ended, formClientCluster, must, script, twice } from './client-lab.ts'

const lab = clientLab(['n1', 'n2', 'n3'])
beforeAll(async () => {
  const modules = join(lab.folder, 'puppet-modules')
  mkdirSync(modules)
  symlinkSync('/usr/share/puppet/modules.available/voxpupuli-corosync', join(modules, 'corosync'))
  await lab.start()
  await formClientCluster(lab)
}, 180_000)
afterAll(() => lab.close(), 60_000)

/** What people write with it; `prefix` keeps the resources of the two providers apart. */
const manifest = (provider: string, prefix: string): string => `
Cs_property { provider => '${provider}', ensure => present }
Cs_rsc_defaults { provider => '${provider}', ensure => present }
Cs_primitive { provider => '${provider}', ensure => present }
Cs_clone { provider => '${provider}', ensure => present }
Cs_group { provider => '${provider}', ensure => present }
Cs_colocation { provider => '${provider}', ensure => present }
Cs_order { provider => '${provider}', ensure => present }
Cs_location { provider => '${provider}', ensure => present }
cs_property { 'no-quorum-policy': value => '${provider === 'pcs' ? 'freeze' : 'stop'}' }
-> cs_rsc_defaults { 'resource-stickiness': value => '${provider === 'pcs' ? '100' : '200'}' }
-> cs_primitive { '${prefix}vip':
  primitive_class => 'ocf', provided_by => 'heartbeat', primitive_type => 'Dummy',
  parameters => { 'fake' => 'a value' },
  operations => [ { 'monitor' => { 'interval' => '10s', 'timeout' => '20s' } }, { 'start' => { 'timeout' => '30s', 'interval' => '0s' } } ],
  metadata => { 'target-role' => 'Started' },
}
-> cs_primitive { '${prefix}web': primitive_class => 'ocf', provided_by => 'heartbeat', primitive_type => 'Dummy', operations => { 'monitor' => { 'interval' => '11s' } } }
-> cs_primitive { '${prefix}db': primitive_class => 'ocf', provided_by => 'heartbeat', primitive_type => 'Dummy', operations => { 'monitor' => { 'interval' => '12s' } } }
-> cs_primitive { '${prefix}dlm': primitive_class => 'ocf', provided_by => 'heartbeat', primitive_type => 'Dummy', operations => { 'monitor' => { 'interval' => '13s' } } }
-> cs_group { '${prefix}group': primitives => ['${prefix}vip', '${prefix}web'] }
-> cs_clone { '${prefix}dlm-clone': primitive => '${prefix}dlm', interleave => true }
-> cs_colocation { '${prefix}db-with-web': primitives => ['${prefix}db', '${prefix}group'], score => 'INFINITY' }
-> cs_order { '${prefix}web-before-db': first => '${prefix}group', second => '${prefix}db', symmetrical => false, kind => 'Mandatory' }
-> cs_location { '${prefix}db-on-n2': primitive => '${prefix}db', node_name => 'n2', score => '50' }
`

async function apply(file: string): Promise<Ended> {
  const folders = `--modulepath=${join(lab.folder, 'puppet-modules')} --confdir=/run/puppet --vardir=/run/puppet/var`
  // The module’s pcs provider is for Red Hat 7: elsewhere it lets pcs add operations that it takes away again the next time.
  const facts = 'FACTER_osfamily=RedHat FACTER_operatingsystemmajrelease=7 PCS_COMPAT=0.9'
  // 0: no change; 2: changes; 4 and 6: failures.
  return await script(lab, 'n1', `${facts} puppet apply --color=false --detailed-exitcodes ${folders} ${file}`)
}

/** What a run says that it has changed. */
const changes = (output: string): readonly string[] =>
  output.split('\n').flatMap((line) => /^Notice: \/Stage\[main\]\/Main\/(.*)$/.exec(line)?.[1] ?? [])

/** crmsh writes \`kind=Mandatory\` for the score that the module asks for, with Pacemaker's cibadmin too; the module looks for a score. */
const ownScore = "Cs_order[crmweb-before-db]/score: defined 'score' as 'INFINITY'"

describe.each(['pcs', 'crm'])('provider %s', (provider) => {
  test('the second run changes nothing, and says so', async () => {
    const file = join(lab.folder, `${provider}.pp`)
    writeFileSync(file, manifest(provider, provider))
    const { first, second } = await twice(lab, async () => await apply(file))
    expect(first.exitCode, first.output).toBe(2)
    expect(changes(second.output), second.output).toEqual(provider === 'pcs' ? [] : [ownScore])
    const shown = await must(lab, 'n1', 'cibadmin --query --scope resources')
    expect(shown).toContain(`id="${provider}group"`)
  })
})
