/** Rollout files with a mistake each. */

/** A right file, in which one line is replaced. */
export const right = [
  'rollout: shop', // 1
  'version: "2.4"',
  'nodes:',
  '  - role: db', // 4
  'waves:',
  '  max-unavailable: 1', // 6
  '  order: [db, web]',
  'steps:', // 8
  '  hold: drain',
  '  actions:', // 10
  '    - name: install',
  '      run: [apt-get, install, shop]', // 12
  '      timeout: 10min',
  '      exit-codes: {"2": ok}', // 14
  'on-failure: halt',
  'window: {from: "22:00", to: "05:00"}', // 16
  'confirm-within: 1h',
]
export const withLine = (line: number, text: string): string =>
  right.map((old, at) => (at === line - 1 ? text : old)).join('\n')

/** Which line, what is written there, and where and what the mistake is. */
export const wrong: readonly (readonly [line: number, text: string, at: number, field: string, sentence: RegExp])[] = [
  [1, 'rollout: "two words"', 1, 'rollout', /'two words' is not a name/],
  [1, 'rollout:', 1, 'rollout', /Nothing is not a name/],
  [1, 'rolout: shop', 1, 'rolout', /no field 'rolout' here\. Did you mean 'rollout'/],
  [1, 'rollout: [a]', 1, 'rollout', /A list is not a name/],
  [2, 'version: 2.40', 2, 'version', /2\.4 is not a version in quotes\. Put it in quotes/],
  [2, 'version: ""', 2, 'version', /empty/],
  [2, 'version: "a/b"', 2, 'version', /'a\/b' is not a version/],
  [2, '', 1, '', /The field 'version' is missing/],
  [4, '  - {}', 4, 'nodes[0]', /Specify one of name, role, where/],
  [4, '  - {role: db, name: n1}', 4, 'nodes[0]', /Specify one of name, role, where/],
  [4, '  - rolle: db', 4, 'nodes[0].rolle', /Did you mean 'role'/],
  [4, '  - where: rack', 4, 'nodes[0].where', /'rack' is to be followed by one of eq/],
  [4, '  - where: rack eq', 4, 'nodes[0].where', /'rack eq' needs a value/],
  [4, '  - where: (rack eq a', 4, 'nodes[0].where', /a '\)' is missing/],
  [4, '  - where: rack eq a b', 4, 'nodes[0].where', /'b' is not expected here/],
  [4, '  - name: []', 4, 'nodes[0].name', /The list is empty/],
  [4, '  - name: [n1, 2]', 4, 'nodes[0].name[1]', /2 is not a name\. Put it in quotes/],
  [4, '  - db', 4, 'nodes[0]', /'db' is not one of name, role, where/],
  [5, 'wave:', 5, 'wave', /Did you mean 'waves'/],
  [6, '  max-unavailable: -1', 6, 'waves.max-unavailable', /-1 is not a number of nodes from 0 to 1000/],
  [6, '  max-unavailable: one', 6, 'waves.max-unavailable', /'one' is not a number of nodes/],
  [6, '  max-unavailable: 1.5', 6, 'waves.max-unavailable', /1\.5 is not a number of nodes/],
  [6, '  limits: [{role: db}]', 6, 'waves.limits[0]', /'max-unavailable' is missing/],
  [6, '  limits: [{max-unavailable: 1}]', 6, 'waves.limits[0]', /Specify max-unavailable with one of/],
  [6, '  limits: [{where: a zz b, max-unavailable: 1}]', 6, 'waves.limits[0].where', /followed by one of/],
  [7, '  order: [db, db]', 7, 'waves.order[1]', /'db' is in the list twice/],
  [7, '  order: db', 7, 'waves.order', /'db' is not a list of roles/],
  [7, 'requires: [{role: db}]', 7, 'requires[0]', /'min' is missing/],
  [7, 'requires: [{role: db, min: 0}]', 7, 'requires[0].min', /0 is not a number of nodes from 1 to 1000/],
  [7, 'requires: [{role: db, min: 1}, {role: db, min: 2}]', 7, 'requires[1].role', /'db' is in the list twice/],
  [
    7,
    'requires: [{service: db, min: 1}, {service: db, min: 2}]',
    7,
    'requires[1].service',
    /'db' is in the list twice/,
  ],
  [7, 'requires: [{service: db, role: db, min: 1}]', 7, 'requires[0]', /./],
  [7, 'requires: {db: 2}', 7, 'requires', /not a list of requirements/],
  [8, 'step:', 8, 'step', /Did you mean 'steps'/],
  [9, '  hold: stanby', 9, 'steps.hold', /Choose drain, standby, maintenance, none/],
  [9, '  hold-timeout: 5 parsecs', 9, 'steps.hold-timeout', /'5 parsecs' is not a duration\. Examples: 30s/],
  [9, '  hold-timeout: 0s', 9, 'steps.hold-timeout', /too short/],
  [9, '  hold-timeout: 900h', 9, 'steps.hold-timeout', /longer than seven days/],
  [9, '  release-timeout: 30', 9, 'steps.release-timeout', /30 is not a duration\. Put it in quotes/],
  [10, '  before:', 8, 'steps', /'actions' is missing/],
  [12, '      runs: ls', 12, 'steps.actions[0].runs', /Did you mean 'run'/],
  [12, '      run: []', 12, 'steps.actions[0].run', /The list is empty/],
  [12, '      run: ""', 12, 'steps.actions[0].run', /The text is empty/],
  [12, '      run: [""]', 12, 'steps.actions[0].run', /The program has no name/],
  [12, '      run: [sleep, 5]', 12, 'steps.actions[0].run[1]', /5 is not an argument in quotes\. Put it in quotes/],
  [12, '      run: {a: b}', 12, 'steps.actions[0].run', /A map is neither a command nor a program/],
  [12, '      run: "a\\0b"', 12, 'steps.actions[0].run', /NUL/],
  [12, '      playbook: site.yml', 12, 'steps.actions[0].playbook', /'site.yml' is not an absolute path/],
  [12, '      retries: 1', 11, 'steps.actions[0]', /Specify run, or playbook\./],
  [13, '      playbook: /srv/site.yml', 12, 'steps.actions[0].run', /Specify run, or playbook, not both/],
  [13, '      inventory: /srv/hosts', 13, 'steps.actions[0].inventory', /'inventory' is for a playbook only/],
  [13, '      undo-playbook: /srv/back.yml', 13, 'steps.actions[0].undo-playbook', /for a playbook only/],
  [13, '      timeout: soon', 13, 'steps.actions[0].timeout', /'soon' is not a duration/],
  [13, '      retries: 1000', 13, 'steps.actions[0].retries', /1000 is not a number of retries from 0 to 100/],
  [13, '      reboots: "yes"', 13, 'steps.actions[0].reboots', /'yes' is not true or false/],
  [13, '      env: {SYSTOLE_ROLLOUT: x}', 13, 'steps.actions[0].env.SYSTOLE_ROLLOUT', /reserved/],
  [13, '      env: {a-b: x}', 13, 'steps.actions[0].env.a-b', /no field 'a-b' here/],
  [13, '      env: {A: 1}', 13, 'steps.actions[0].env.A', /1 is not a text in quotes/],
  [14, '      exit-codes: {"300": ok}', 14, 'steps.actions[0].exit-codes.300', /no field '300' here/],
  [14, '      exit-codes: {"2": okay}', 14, 'steps.actions[0].exit-codes.2', /Choose ok, failed/],
  [15, 'on-failure: retry', 15, 'on-failure', /Choose halt, node-back, wave-back/],
  [16, 'window: {from: "22:00", to: "22:00"}', 16, 'window.to', /ends when it begins/],
  [16, 'window: {from: "24:00", to: "05:00"}', 16, 'window.from', /'24:00' is not a time of day/],
  [16, 'window: {from: "22:00"}', 16, 'window', /'to' is missing/],
  [16, 'window: {from: "22:00", to: "05:00", days: [friday]}', 16, 'window.days[0]', /Choose sun, mon/],
  [17, 'confirm-within: never', 17, 'confirm-within', /'never' is not a duration/],
  [17, 'rollout: again', 17, '', /unique/],
  [17, '\tconfirm-within: 1h', 17, '', /tab|indent/i],
  [17, 'confirm-within: [1h', 17, '', /Flow|flow|\]/],
  [17, 'confirm-within: *nobody', 1, '', /./],
]
