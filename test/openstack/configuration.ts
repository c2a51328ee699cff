/**
 * The configuration files of a controller's services, which the deployment's scripts write besides typing `pcs` lines: what
 * Debian's packages need to run as those scripts mean it. Written for few processes: three controllers share one machine.
 */
import { readFileSync } from 'node:fs'

export interface Controller {
  readonly name: string
  /** In the cluster's network, over which databases and brokers replicate. */
  readonly address: string
  /** In the network of the VIPs, where the load balancers find the services. */
  readonly publicAddress: string
}

export const vips = { db: '192.168.124.201', rabbitmq: '192.168.124.202', keystone: '192.168.124.203' }
export const passwords = { admin: 'keystonetest', keystone: 'keystonetest', rows: 'rowstest' }

/** By path. `owner` must read the file, and nobody else. */
export interface ConfigurationFile {
  readonly path: string
  readonly text: string
  readonly owner?: 'keystone' | 'rabbitmq'
  readonly mode?: number
}

export function configurationFiles(own: Controller, all: readonly Controller[]): readonly ConfigurationFile[] {
  return [
    { path: '/etc/haproxy/haproxy.cfg', text: haproxy(all) },
    { path: '/etc/mysql/mariadb.conf.d/70-controller.cnf', text: galera(own) },
    { path: '/etc/systemd/system/clustercheck.service', text: clusterCheckUnit(own) },
    { path: '/etc/clustercheck.py', text: readFileSync(`${import.meta.dirname}/clustercheck.py`, 'utf8') },
    { path: '/etc/rabbitmq/rabbitmq.conf', text: rabbitmq(own) },
    { path: '/etc/rabbitmq/rabbitmq-env.conf', text: rabbitmqEnvironment },
    { path: '/var/lib/rabbitmq/.erlang.cookie', text: 'CONTROLPLANE', owner: 'rabbitmq', mode: 0o400 },
    { path: '/etc/memcached.conf', text: `-d\n-m 32\n-p 11211\n-u memcache\n-l ${own.publicAddress}\n` },
    { path: '/etc/keystone/keystone.conf', text: keystone(all), owner: 'keystone', mode: 0o640 },
    { path: '/etc/keystone/keystone-uwsgi.ini', text: keystoneServer },
    { path: '/etc/systemd/system/keystone.service.d/address.conf', text: keystoneAddress(own) },
  ]
}

/** One database takes the writes of all; the next is asked only once it is gone. */
function haproxy(all: readonly Controller[]): string {
  const servers = (port: number, options: string) =>
    all.map(({ name, publicAddress }) => `    server ${name} ${publicAddress}:${port} check inter 1s ${options}`)
  return [
    'global',
    '    daemon',
    '    nbthread 1',
    '    stats socket /run/haproxy-admin.sock',
    'defaults',
    '    mode tcp',
    '    maxconn 2000',
    '    timeout connect 2s',
    '    timeout client 10s',
    '    timeout server 10s',
    '    option redispatch',
    'frontend vip-db',
    `    bind ${vips.db}:3306`,
    '    timeout client 90m',
    '    default_backend galera',
    'frontend vip-rabbitmq',
    '    option clitcpka',
    `    bind ${vips.rabbitmq}:5672`,
    '    timeout client 900m',
    '    default_backend rabbitmq',
    'frontend vip-keystone',
    `    bind ${vips.keystone}:5000`,
    '    default_backend keystone',
    'backend galera',
    '    option httpchk',
    '    option tcpka',
    '    stick-table type ip size 1000',
    '    stick on dst',
    '    timeout server 90m',
    ...servers(3306, 'port 9200 backup on-marked-down shutdown-sessions'),
    'backend rabbitmq',
    '    option srvtcpka',
    '    balance roundrobin',
    '    timeout server 900m',
    ...servers(5672, 'on-marked-down shutdown-sessions'),
    'backend keystone',
    '    option httpchk GET /v3',
    '    balance roundrobin',
    ...servers(5000, ''),
    '',
  ].join('\n')
}

/** The agent reads the addresses of the cluster from here, and gives its own on the command line. */
function galera({ address, publicAddress }: Controller): string {
  return `[mysqld]
skip-name-resolve=1
bind-address=${publicAddress}
binlog_format=ROW
default_storage_engine=InnoDB
innodb_autoinc_lock_mode=2
innodb_buffer_pool_size=48M
innodb_flush_log_at_trx_commit=1
max_connections=200
wsrep_on=1
wsrep_provider=/usr/lib/galera/libgalera_smm.so
wsrep_provider_options="gcache.size=32M;gmcast.listen_addr=tcp://${address}:4567"
wsrep_node_address=${address}
wsrep_cluster_name=galera_cluster
wsrep_cluster_address=gcomm://
wsrep_sst_method=rsync
`
}

function clusterCheckUnit({ publicAddress }: Controller): string {
  return `[Unit]
Description=Tells load balancers whether the database takes writes
[Service]
ExecStart=/usr/bin/python3 /etc/clustercheck.py ${publicAddress} 9200
Restart=always
`
}

/** A partition is the cluster's matter, which fences: a broker that pauses in a minority never comes back under its agent. */
function rabbitmq({ publicAddress }: Controller): string {
  return `listeners.tcp.1 = ${publicAddress}:5672
loopback_users = none
cluster_partition_handling = ignore
tcp_listen_options.keepalive = true
heartbeat = 6
`
}

const rabbitmqEnvironment = `SERVER_ADDITIONAL_ERL_ARGS="+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none"
CTL_ERL_ARGS="+S 1:1 +sbwt none"
`

function keystone(all: readonly Controller[]): string {
  return `[DEFAULT]
log_dir = /var/log/keystone
log_file = keystone.log
transport_url = rabbit://guest:guest@${vips.rabbitmq}:5672/
[database]
connection = mysql+pymysql://keystone:${passwords.keystone}@${vips.db}/keystone?charset=utf8
max_retries = -1
max_pool_size = 4
connection_recycle_time = 300
[cache]
enabled = true
backend = oslo_cache.memcache_pool
memcache_servers = ${all.map(({ publicAddress }) => `${publicAddress}:11211`).join(',')}
memcache_socket_timeout = 0.5
memcache_dead_retry = 30
[token]
provider = fernet
expiration = 14400
[fernet_tokens]
key_repository = /etc/keystone/fernet-keys/
[credential]
key_repository = /etc/keystone/credential-keys/
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_dirs = /etc/keystone/policy.d
`
}

/** Debian's own, with one process instead of eight, and without AppArmor, which the lab's kernel may not have. */
const keystoneServer = `[uwsgi]
buffer-size = 65535
rem-header = Content-Length
master = true
thunder-lock = true
plugins = python3
lazy-apps = true
paste-logger = true
no-orphans = true
die-on-term = true
enable-threads = true
processes = 1
threads = 6
listen = 100
logto = /var/log/keystone/uwsgi.log
name = keystone-api
chdir = /var/lib/keystone
wsgi-file = /usr/bin/keystone-wsgi-public
`

/** Debian's unit listens on every address, the VIP's among them, which is the load balancer's. */
function keystoneAddress({ publicAddress }: Controller): string {
  return `[Service]
ExecStart=
ExecStart=/usr/bin/uwsgi_python3 --http-socket ${publicAddress}:5000 --ini /etc/keystone/keystone-uwsgi.ini
`
}
