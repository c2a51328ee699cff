/** What a deployed overcloud has before instances are made highly available. */
export const overcloud: readonly (readonly string[])[] = [
  'resource create haproxy ocf:heartbeat:Dummy --clone',
  'resource create galera ocf:heartbeat:Stateful --master',
  'resource create rabbitmq ocf:heartbeat:Dummy --clone',
  ...['ip-192.0.2.10', 'ip-192.0.2.11', 'ip-192.0.2.12'].map((id) => `resource create ${id} ocf:heartbeat:Dummy`),
  ...[
    'openstack-core',
    'openstack-glance-api',
    'neutron-metadata-agent',
    'neutron-server',
    'openstack-nova-conductor',
    'openstack-ceilometer-notification',
  ].map((id) => `resource create ${id} ocf:heartbeat:Dummy --clone interleave=true`),
].map((line) => line.split(' '))
export const overcloudNodes = [0, 1, 2].map((number) => `overcloud-controller-${number}`)
