/** The log as a real systemd-journald and a real rsyslogd have received it, each in mounts of its own. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { messageKinds } from '../../src/daemon/host/message-kinds.ts'

const project = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'systole-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = 'node scripts/run.mjs test/daemon/log-kinds-main.ts'
const inOwnMounts = (script: string): string =>
  execFileSync('unshare', ['-m', '--propagation', 'private', 'bash', '-euc', script], {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const alertFailed = messageKinds.get('an alert could not be sent')

const guide = readFileSync(join(project, 'docs/guides/logs.md'), 'utf8')
/** As it is typed there, with a program that reads nothing but JSON. */
const lineOfGuide = /^ {4}(journalctl .*\| jq [^#]*?) +#/m.exec(guide)?.[1] ?? 'false'

test('the journal has fields, an id for each kind of message, and explains it; secrets and other lines’ fields stay out', () => {
  writeFileSync(
    join(folder, 'catalog'),
    execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/catalog.ts'], { cwd: project }),
  )
  const [json = '', messages = '', explained = ''] = inOwnMounts(`
    mount -t tmpfs tmpfs /run
    mkdir -p /run/systemd/journal /run/log/journal
    /lib/systemd/systemd-journald & journald=$!
    trap 'kill $journald' EXIT
    for attempt in $(seq 100); do [ -S /run/systemd/journal/socket ] && break; sleep 0.1; done
    # What is on standard output was not taken by the journal.
    [ "$(${write} journal | wc -c)" = 0 ]
    read="journalctl --directory=/run/log/journal SYSLOG_IDENTIFIER=systoled"
    for attempt in $(seq 100); do [ "$($read -o json | wc -l)" -ge 3 ] && break; sleep 0.1; done
    $read -o json
    echo =====
    # What systemd itself says of the unit, and a daemon on standard error, is no JSON.
    logger -t systoled 'Started systoled.service'
    journalctl() { command journalctl --directory=/run/log/journal "$@"; }
    ${lineOfGuide}
    echo =====
    mount -t tmpfs tmpfs /usr/lib/systemd/catalog
    mount -t tmpfs tmpfs /var/lib/systemd/catalog
    cp "$FOLDER/catalog" /usr/lib/systemd/catalog/systole.catalog
    journalctl --update-catalog
    journalctl --directory=/run/log/journal -x MESSAGE_ID=${alertFailed?.id ?? ''}
  `).split('=====\n')
  expect(messages).toBe('"an alert could not be sent"\n')
  const entries = json
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
  expect(entries).toMatchObject([
    {
      MESSAGE_ID: alertFailed?.id,
      PRIORITY: '4',
      SYSTOLE_NODE: 'n1',
      SYSTOLE_ABOUT_NODE: 'n2',
      SYSTOLE_ALERT: 'mail',
      SYSTOLE_WHY: 'one\ntwo',
      SYSTOLE_PASSWORD: '[secret]',
    },
    { PRIORITY: '6', SYSTOLE_TRANSITION_KEY: '1:2:0' },
    { PRIORITY: '3', MESSAGE_ID: messageKinds.get('the daemon ends because of a bug')?.id },
  ])
  expect(entries[1]).not.toHaveProperty('MESSAGE_ID')
  expect(entries[1]).not.toHaveProperty('SYSTOLE_ALERT')
  expect(JSON.parse(entries[0]?.MESSAGE ?? '')).toMatchObject({ msg: 'an alert could not be sent', alert: 'mail' })
  expect(json).not.toContain('hunter2')
  expect(explained).toContain('Subject: An alert could not be sent')
  expect(explained).toContain('systole alert test mail')
})

const rsyslog = (settings: string, target: string): string => `
  mount -t tmpfs tmpfs "$FOLDER"
  mknod -m 666 "$FOLDER/null" c 1 3; mknod -m 666 "$FOLDER/urandom" c 1 9; ln -s /proc/self/fd "$FOLDER/fd"
  cat > "$FOLDER/conf" <<X
module(load="imuxsock" ${settings})
template(name="t" type="string" string="%pri%|%hostname%|%app-name%|%msgid%|%msg%\\n")
action(type="omfile" file="$FOLDER/out" template="t")
X
  mount --bind "$FOLDER" /dev
  rsyslogd -n -f "$FOLDER/conf" -i "$FOLDER/pid" & receiver=$!
  trap 'kill $receiver; wait $receiver' EXIT
  for attempt in $(seq 100); do [ -S /dev/log ] && break; sleep 0.1; done
  # Without a word of its own the daemon finds syslog, as its output leads nowhere.
  ${target} ${write} > /dev/null
  for attempt in $(seq 100); do [ "$(grep -c '"node":"n1"' "$FOLDER/out")" -ge 3 ] && break; sleep 0.1; done
  cat "$FOLDER/out"
`

test.each([
  ['RFC 5424, of itself', 'SysSock.UseSpecialParser="off"', 'unset SYSTOLE_LOG_TO;', 'alert-failed', '-'],
  ['the older form, on request', '', 'SYSTOLE_LOG_TO=syslog-3164', '-', '-'],
])('syslog is told how grave each message is, and whose: %s', (_, settings, target, kind, none) => {
  const host = execFileSync('hostname', { encoding: 'utf8' }).trim().split('.')[0] ?? ''
  const lines = inOwnMounts(rsyslog(settings, target))
    .split('\n')
    .filter((line) => line.includes('"node":"n1"'))
    .map((line) => line.split('|'))
  expect(lines.map(([pri, name, program, id]) => [pri, name?.split('.')[0], program, id])).toEqual([
    ['28', host, 'systoled', kind],
    ['30', host, 'systoled', none],
    ['27', host, 'systoled', kind === '-' ? '-' : 'ends-by-bug'],
  ])
  expect(JSON.parse(lines[0]?.[4] ?? '')).toMatchObject({ msg: 'an alert could not be sent', password: '[secret]' })
})

test('a word that names no target is refused with those that there are', () => {
  expect(() =>
    execFileSync(process.execPath, ['scripts/run.mjs', 'test/daemon/log-kinds-main.ts'], {
      cwd: project,
      env: { ...process.env, SYSTOLE_LOG_TO: 'file' },
      stdio: 'pipe',
    }),
  ).toThrow(/SYSTOLE_LOG_TO is 'file'. Set it to journal, syslog, syslog-3164, stdout/)
})

test('the guide names each kind with its id, and the daemon writes each of these messages', () => {
  const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| `([0-9a-f]{32})` \| (.*) \|$/gm)].map(([, ...cells]) => cells)
  expect(rows).toEqual([...messageKinds.values()].map(({ name, id, message }) => [name, id, message]))
  expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length)
  const elsewhere = ['-rhF', '--include=*.ts', '--exclude=message-kinds.ts', '-f', '-', 'src']
  const input = [...messageKinds.keys()].join('\n')
  const source = execFileSync('grep', elsewhere, { cwd: project, encoding: 'utf8', input })
  for (const message of messageKinds.keys()) expect(source, message).toContain(`'${message}'`)
})

test('a file that a daemon appends to is rotated while it writes', () => {
  const log = join(folder, 'rotated/systoled.log')
  const shown = inOwnMounts(`
    mkdir -p "$FOLDER/rotated"
    sed 's|/var/log/systoled.log|${log}|; /^.var.lib/,/^}/d' packaging/systole.logrotate > "$FOLDER/conf"
    chmod 644 "$FOLDER/conf"
    # As an init script has it: opened once, for appending.
    exec 3>> ${log}
    echo first >&3
    logrotate --force --state "$FOLDER/state" "$FOLDER/conf"
    echo second >&3
    cat ${log}; echo ==; zcat -f ${log}.1*
  `)
  expect(shown).toBe('second\n==\nfirst\n')
})
