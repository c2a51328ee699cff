/** A playbook of Task-Core's driver `ansible_runner`, as a command. */
import { isMap } from '../base/index.ts'
import type { Component } from './component.ts'

/**
 * Where a playbook and an inventory are is known on the node: in the working folder, or where they say. Without an inventory the cluster's own is taken, which is
 * the command `systole inventory`.
 */
const script = `
cd "$1" || exit 1
playbook=$2 inventory=$3
shift 3
[ -z "$inventory" ] && [ -e inventory.yaml ] && inventory=inventory.yaml
own=
if [ -z "$inventory" ]; then
  own=$(mktemp) || exit 1
  trap 'rm -f "$own"' EXIT
  printf '#!/bin/sh\\nexec systole inventory "$@"\\n' > "$own"
  chmod 700 "$own"
  inventory=$own
fi
[ -e ansible.cfg ] && export ANSIBLE_CONFIG="$PWD/ansible.cfg"
for one in ACTION_PLUGINS:action CALLBACK_PLUGINS:callback FILTER_PLUGINS:filter LIBRARY:modules LOOKUP_PLUGINS:lookup; do
  export "ANSIBLE_\${one%:*}=$PWD/\${one#*:}:/usr/share/ansible/plugins/\${one#*:}"
done
export ANSIBLE_ROLES_PATH="$PWD/roles:/usr/share/ansible/roles:/etc/ansible/roles"
command -v ansible-playbook > /dev/null || { echo 'There is no ansible-playbook on this node. Install ansible-core.' >&2; exit 127; }
ansible-playbook -i "$inventory" "$@" "$playbook"
`

/** `beside`: the folder of the service file, from where a relative `working_dir` leads. */
export function ansibleComponent(task: Readonly<Record<string, unknown>>, beside: string): Component {
  const { playbook, inventory = '', working_dir, runner_options, global_fact_cache } = task
  const named = typeof working_dir === 'string' ? working_dir : '.'
  const folder = named.startsWith('/') ? named : `${beside}/${named}`
  const options = isMap(runner_options) ? runner_options : {}
  const words = [
    ...(options.extravars === undefined ? [] : ['-e', JSON.stringify(options.extravars)]),
    ...(options.limit === undefined ? [] : ['--limit', String(options.limit)]),
    ...(options.tags === undefined ? [] : ['--tags', String(options.tags)]),
    ...(options.skip_tags === undefined ? [] : ['--skip-tags', String(options.skip_tags)]),
    ...(options.forks === undefined ? [] : ['--forks', String(options.forks)]),
    ...(typeof options.verbosity === 'number' && options.verbosity > 0 ? [`-${'v'.repeat(options.verbosity)}`] : []),
  ]
  const facts =
    global_fact_cache === false
      ? []
      : ['ANSIBLE_CACHE_PLUGIN=jsonfile', 'ANSIBLE_CACHE_PLUGIN_CONNECTION=~/.ansible/fact_cache']
  return {
    verb: 'EXEC',
    label: `ansible-playbook ${String(playbook)}`,
    options: {},
    words: ['env', ...facts, '/bin/sh', '-c', script, 'play', folder, String(playbook), String(inventory), ...words],
  }
}
