/** OpenStack's services as Debian packages them, each alone: a database in a file, no other service behind it. */

export interface Deployment {
  readonly agent: string
  readonly user: string
  /** Of which the node has its own. */
  readonly folders: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** Lines of a shell, before its first start. */
  readonly prepare: readonly string[]
  readonly command: string
  readonly log: string
  /** Where the agent's default is not it. */
  readonly checkedUrl?: string
  readonly url: string
  /** With which its API answers. */
  readonly code: string
}

/** Debian's uwsgi has eight processes for each service, and AppArmor, which the machine may not have. */
const fewProcesses = (project: string): string =>
  `sed -i -e 's/^processes.*/processes = 1/' -e 's/,apparmor//' -e '/^apparmor-profile/d' /etc/${project}/*uwsgi.ini`

const asUser = (user: string, line: string): string => `setpriv --reuid ${user} --regid ${user} --init-groups ${line}`

const database = (project: string): string => `sqlite:////var/lib/${project}/lab.sqlite`

/** One whose program and files have the project's name, as the init scripts of the packages start it. */
function project(
  agent: string,
  of: {
    readonly file: string
    readonly text: string
    readonly prepare: readonly string[]
    readonly port: number
    readonly path?: string
    readonly code: string
    /** The package's init script, where it has not the agent's name. */
    readonly script?: string
  },
): Deployment {
  const user = agent.split('-')[0] ?? agent
  return {
    agent,
    user,
    folders: [`/etc/${user}`, `/var/lib/${user}`, `/var/log/${user}`],
    files: { [`/etc/${user}/${of.file}`]: of.text },
    prepare: [fewProcesses(user), ...of.prepare.map((line) => asUser(user, line))],
    command: `/etc/init.d/${of.script ?? agent} systemd-start`,
    log: `/var/log/${user}/lab.log`,
    url: `http://127.0.0.1:${of.port}${of.path ?? '/'}`,
    code: of.code,
  }
}

export const deployments: readonly Deployment[] = [
  project('keystone', {
    file: 'keystone.conf',
    text: `[database]\nconnection = ${database('keystone')}\n`,
    prepare: [
      'keystone-manage db_sync',
      'keystone-manage fernet_setup --keystone-user keystone --keystone-group keystone',
    ],
    port: 5000,
    path: '/v3',
    code: '200',
  }),
  project('placement-api', {
    file: 'placement.conf',
    text: `[api]\nauth_strategy = noauth2\n[placement_database]\nconnection = ${database('placement')}\n`,
    prepare: ['placement-manage db sync'],
    port: 8778,
    code: '200',
  }),
  project('glance-api', {
    file: 'glance-api.conf',
    text: `[database]\nconnection = ${database('glance')}\n`,
    prepare: ['glance-manage db_sync'],
    port: 9292,
    code: '300',
  }),
  project('cinder-api', {
    file: 'cinder.conf',
    text: `[DEFAULT]\nauth_strategy = noauth\ntransport_url = fake:/\n[database]\nconnection = ${database('cinder')}\n`,
    prepare: ['cinder-manage db sync'],
    port: 8776,
    code: '300',
  }),
  project('heat-api', {
    file: 'heat.conf',
    text: `[DEFAULT]\ntransport_url = fake:/\n[database]\nconnection = ${database('heat')}\n`,
    prepare: ['heat-manage db_sync'],
    port: 8004,
    code: '300',
  }),
  project('nova-api', {
    file: 'nova.conf',
    text: `[DEFAULT]\ntransport_url = fake:/\n[api]\nauth_strategy = noauth2\n[api_database]\nconnection = ${database('nova')}-api\n[database]\nconnection = ${database('nova')}\n`,
    prepare: ['nova-manage api_db sync', 'nova-manage cell_v2 map_cell0', 'nova-manage db sync'],
    port: 8774,
    code: '200',
  }),
  project('neutron-server', {
    file: 'neutron.conf',
    text: `[DEFAULT]\nauth_strategy = noauth\ncore_plugin = ml2\nservice_plugins =\ntransport_url = fake:/\n[database]\nconnection = ${database('neutron')}\n[oslo_concurrency]\nlock_path = /var/lib/neutron\n`,
    // Its migrations alter constraints, which a database in a file cannot: the tables are made as Neutron's own tests make them.
    prepare: [
      `/usr/bin/python3 -c "from sqlalchemy import create_engine; from neutron.db.migration.models import head; head.get_metadata().create_all(create_engine('${database('neutron')}'))"`,
    ],
    script: 'neutron-api',
    port: 9696,
    code: '200',
  }),
  swiftProxy(),
  horizon(),
]

/** It wants rings, though nothing of what it is asked here lies on a disk. */
function swiftProxy(): Deployment {
  const rings = ['account', 'container', 'object'].flatMap((ring) => [
    `swift-ring-builder /etc/swift/${ring}.builder create 4 1 1`,
    `swift-ring-builder /etc/swift/${ring}.builder add r1z1-127.0.0.1:6200/disk 1`,
    `swift-ring-builder /etc/swift/${ring}.builder rebalance`,
  ])
  return {
    agent: 'swift-proxy',
    user: 'swift',
    folders: ['/etc/swift', '/var/lib/swift', '/var/log/swift'],
    files: {
      '/etc/swift/swift.conf': '[swift-hash]\nswift_hash_path_suffix = lab\n',
      '/etc/swift/proxy-server.conf': `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = 8080
[pipeline:main]
pipeline = healthcheck proxy-server
[app:proxy-server]
use = egg:swift#proxy
[filter:healthcheck]
use = egg:swift#healthcheck
`,
    },
    prepare: [fewProcesses('swift'), ...rings],
    log: '/var/log/swift/lab.log',
    command: '/usr/bin/swift-proxy-server /etc/swift/proxy-server.conf',
    url: 'http://127.0.0.1:8080/healthcheck',
    code: '200',
  }
}

/** At the root of a server of its own: Debian's other package puts it into an Apache's. Its settings take requests for `localhost` only. */
function horizon(): Deployment {
  const url = 'http://localhost:8000/auth/login/'
  const server =
    '/usr/bin/uwsgi_python3 --uid www-data --gid www-data --http-socket 127.0.0.1:8000 --master --die-on-term'
  return {
    agent: 'horizon',
    user: 'www-data',
    folders: ['/var/lib/openstack-dashboard'],
    files: {},
    prepare: [],
    log: '/var/lib/openstack-dashboard/lab.log',
    command: `${server} --lazy-apps --wsgi-file /usr/share/openstack-dashboard/wsgi.py`,
    checkedUrl: url,
    url,
    code: '200',
  }
}
