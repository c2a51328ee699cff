/** The configuration of a cluster that nobody has configured yet: its name and its nodes. */
import { element, featureSet, pacemakerVersion, printXml, schemaName } from '../../cib/index.ts'
import type { ClusterFile } from '../node-list/cluster-file.ts'

export function firstConfiguration(file: ClusterFile): string {
  const option = (name: string, value: string) =>
    element('nvpair', { id: `cib-bootstrap-options-${name}`, name, value })
  const options = element('cluster_property_set', { id: 'cib-bootstrap-options' }, [
    option('have-watchdog', 'false'),
    option('dc-version', pacemakerVersion),
    option('cluster-infrastructure', 'systole'),
    option('cluster-name', file.clusterName),
  ])
  // As pcs does for a new cluster: with any stickiness at all, what was moved stays, and a node that returns takes nothing back.
  const defaults = element('meta_attributes', { id: 'build-resource-defaults' }, [
    element('nvpair', { id: 'build-resource-stickiness', name: 'resource-stickiness', value: '1' }),
  ])
  const nodes = file.nodes.map(({ id, name }) => element('node', { id, uname: name }))
  return printXml(
    element(
      'cib',
      { crm_feature_set: featureSet, 'validate-with': schemaName, admin_epoch: '0', epoch: '1', num_updates: '0' },
      [
        element('configuration', {}, [
          element('crm_config', {}, [options]),
          element('nodes', {}, nodes),
          element('resources'),
          element('constraints'),
          element('rsc_defaults', {}, [defaults]),
        ]),
      ],
    ),
  )
}
