/** What pcs says of a mistake, by its code and the command. Several of one code come together, as pcs puts some into one sentence. */
import { parseDurationMs } from '../../base/index.ts'
import { clusterOption } from '../../cib/index.ts'
import type { About, CallNames } from '../call/message.ts'
import { aboutAgents, creates } from './about-agents.ts'
import { aboutIds } from './about-ids.ts'
import { isLongOption, optionsBegunBy } from './long-options.ts'
import { notFound } from './not-found.ts'
import { one, quoted, type Said } from './said.ts'
import { sentenceInsteadOfUsage, usageBelow, usageOf, wholeUsage } from './usage.ts'

/** Undefined where nothing is known that pcs would say. */
export function sentencesOf(abouts: readonly About[], call: CallNames): Said | undefined {
  const [first] = abouts
  if (first === undefined) return undefined
  const found =
    aboutTheCall(first, call) ?? notFound(abouts, call) ?? aboutIds(first, call) ?? aboutValues(abouts, first, call)
  return found
}

function aboutTheCall(about: About, call: CallNames): Said | undefined {
  switch (about.code) {
    case 'said-by-pcs':
      return {
        before: about.before ?? [],
        errors: about.errors,
        after: about.after ?? [],
        closes: about.closes ?? false,
      }
    case 'wrong-call': {
      const sentence = sentenceInsteadOfUsage(call)
      const hint = about.hint === undefined ? [] : [`Hint: ${about.hint}`]
      const errors = about.error === undefined ? [] : [about.error]
      return sentence === undefined ? { errors, after: [...hint, ...usageOf(call)] } : one(sentence)
    }
    case 'unknown-command':
      return { errors: [], after: usageBelow(about.known, about.isArea) }
    case 'unknown-flag':
      return isLongOption(about.flag.replace(/^--/, ''), call.dialect)
        ? one(`Specified option '${about.flag}' is not supported in this command`)
        : { errors: [`option ${about.flag} ${whyUnknown(about.flag, call)}`], after: ['', wholeUsage] }
    case 'flag-needs-value':
      return {
        errors: [`option ${about.flag.length === 1 ? '-' : '--'}${about.flag} requires argument`],
        after: ['', wholeUsage],
      }
    case 'flag-takes-no-value':
      return { errors: [`option --${about.flag} must not have an argument`], after: ['', wholeUsage] }
    case 'no-pair':
      return one(
        about.word.startsWith('=')
          ? `missing key in '${about.word}' option`
          : `missing value of '${about.word}' option`,
      )
    case 'pair-twice':
      return one(
        `duplicate option '${about.name}' with different values ${quoted([...about.values].sort()).replace("', '", "' and '")}`,
      )
    case 'needs-running-cluster':
      return one("Specified option '-f' is not supported in this command")
    case 'wait-without-cluster':
      return one("Cannot use '-f' together with '--wait'")
    case 'bad-wait':
      return one(`'${about.value}' is not a valid number of seconds to wait`)
    case 'no-operation-given':
      return one("When using 'op' you must specify an operation name and at least one option")
    default:
      return undefined
  }
}

/** Options of a constraint of sets: pcs ends at the first mistake among them. */
const setOptions: ReadonlySet<string> = new Set(['kind', 'symmetrical', 'loss-policy'])

/** Commands whose options are validated one by one, so that a closing sentence follows. */
const validates =
  /^(resource (create|bundle|defaults|op defaults)|stonith (create|level|op defaults|defaults)|property|constraint ticket add|alert)/

function aboutValues(abouts: readonly About[], about: About, call: CallNames): Said | undefined {
  for (const sayOf of [aboutChoices, aboutAgents, aboutOperations, aboutCombinations, aboutOptions, aboutTwice]) {
    const said = sayOf(abouts, about, call)
    if (said !== undefined) return said
  }
  return undefined
}

function aboutChoices(abouts: readonly About[], about: About, { typed, words }: CallNames): Said | undefined {
  const isSet =
    /^constraint (order|colocation|ticket)( set)?$/.test(typed) && (typed.endsWith(' set') || words[0] === 'set')
  switch (about.code) {
    case 'bad-score':
      return one(
        `invalid score '${about.value}', use integer or INFINITY or -INFINITY`,
        /defaults| rule/.test(`${typed} ${words.join(' ')}`),
      )
    case 'bad-choice':
      if (typed === 'constraint location add' && about.name === 'resource-discovery')
        return one(
          `invalid resource-discovery value '${about.value}', allowed values are: ${choicesOf(about.choices)}, use --force to override`,
        )
      // pcs 0.11 has a sentence of its own for the one option that it looks at itself.
      if (
        /^constraint order( start| promote| demote| stop)?$/.test(typed) &&
        !isSet &&
        about.name === 'symmetrical' &&
        Array.isArray(about.choices)
      )
        return one(`invalid symmetrical value '${about.value}', allowed values are: true, false`)
      if (typed === 'constraint colocation add' && about.name === 'role')
        return one(`invalid role value '${about.value}', allowed values are: ${choicesOf(about.choices)}`)
      return one(
        `'${about.value}' is not a valid ${about.name} value, use ${choicesOf(about.choices)}`,
        (isSet && !setOptions.has(about.name)) ||
          validates.test(typed) ||
          (typed === 'constraint location' && words[1] === 'rule'),
      )
    case 'unknown-names': {
      const names = about.names.length === 1 ? `option '${about.names[0]}'` : `options: ${quoted(about.names)}`
      if (/defaults set create$/.test(typed))
        return one(`invalid ${names}, allowed options are: ${quoted(about.known)}, use --force to override`, true)
      if (typed === 'constraint location add') return one(`bad option '${about.names[0]}', use --force to override`)
      if (/^(alert|stonith level)/.test(typed)) return { errors: about.names.map((name) => `Unknown option '${name}'`) }
      const where = about.what.startsWith('A set in') ? 'set ' : ''
      return one(
        `invalid ${where}${names}, allowed options are: ${quoted(about.known)}`,
        where !== '' || validates.test(typed),
      )
    }
    case 'given-twice': {
      const ids = quoted(abouts.flatMap((other) => (other.code === 'given-twice' ? [other.id] : [])))
      if (typed.startsWith('tag')) return one(`Ids to add must be unique, duplicate ids: ${ids}`, true)
      if (typed.startsWith('acl ')) return one(`Role ${ids} is already assigned to '${words[0] ?? ''}'`)
      if (typed.startsWith('resource group'))
        return one(`Resources to add or remove must be unique, duplicate resources: ${ids}`, true)
      return undefined
    }
    default:
      return undefined
  }
}

function aboutOperations(_abouts: readonly About[], about: About, { typed }: CallNames): Said | undefined {
  switch (about.code) {
    case 'unknown-operation':
      return one(
        `'${about.name}' is not a valid operation name value, use ${quoted(about.known)}, use --force to override`,
        true,
      )
    case 'bad-duration':
      return one(
        `'${about.value}' is not a valid ${about.name} value, use time interval (e.g. 1, 2s, 3m, 4h, ...)`,
        true,
      )
    case 'bad-capacity':
      return one(`Value of utilization attribute must be integer: '${about.name}=${about.value}'`)
    case 'required-missing': {
      const names = about.names.length === 1 ? ` '${about.names[0]}' is` : `s ${quoted(about.names)} are`
      return one(`required option${names} missing`, typed.startsWith('alert'))
    }
    default:
      return undefined
  }
}

function aboutCombinations(_abouts: readonly About[], about: About, { typed }: CallNames): Said | undefined {
  switch (about.code) {
    case 'before-and-after':
      return one(
        typed.startsWith('tag')
          ? 'Cannot specify both --before and --after'
          : 'you cannot specify both --before and --after',
      )
    case 'all-and-names':
      return one('Cannot specify both --all and a list of nodes.')
    case 'no-node-in-file':
      return one('Node(s) must be specified if -f is used')
    case 'one-place-only':
      return one(`you can specify only one of clone, promotable, bundle or ${about.inWords ? '' : '--'}group`)
    case 'bad-format':
      return one(
        `Unknown value '${about.value}' for '--output-format' option. Supported values are: ${quoted(about.known)}`,
      )
    case 'member-already':
      return one(`Cannot add resource '${about.id}', it is already present in group '${about.group}'`, true)
    case 'runs-nowhere':
      return one('You must specify a node when moving/banning a stopped resource')
    default:
      return undefined
  }
}

function aboutOptions(abouts: readonly About[], about: About, { typed }: CallNames): Said | undefined {
  switch (about.code) {
    case 'unknown-option': {
      const names = abouts.flatMap((other) => (other.code === 'unknown-option' ? [other.name] : []))
      const kind = optionKind(about.where)
      if (kind === undefined) return undefined
      const option = names.length === 1 ? `option '${names[0]}'` : `options: ${quoted(names)}`
      if (kind === 'resource operation') return unknownOperationOption(names, option, typed)
      const known = mentioned(kind, about.known)
      return one(`invalid ${kind} ${option}, allowed options are: ${quoted(known)}, use --force to override`, true)
    }
    case 'bad-value': {
      const force = typed === 'property set' && !plainTimes.has(about.name) ? ', use --force to override' : ''
      return one(
        `'${about.value}' is not a valid ${about.name} value, use ${expectedValues(about.expected, about.name)}${force}`,
        validates.test(typed),
      )
    }
    case 'not-in-schema':
      return one('Unable to update cib\nCall failed: Update does not conform to the configured schema')
    case 'options-exclude':
      return one(
        `Only one of ${about.kind} options ${[...about.names]
          .sort()
          .map((name) => `'${name}'`)
          .join(' and ')} can be used`,
        true,
      )
    case 'rule-syntax':
      return one(
        `'${about.rule}' is not a valid rule expression, parse error near or after line 1 column ${about.column}\n  ${about.rule}\n  ${'-'.repeat(about.column - 1)}^`,
        true,
      )
    default:
      return undefined
  }
}

function aboutTwice(abouts: readonly About[], about: About, { typed }: CallNames): Said | undefined {
  switch (about.code) {
    case 'operation-alike': {
      const lines = abouts.flatMap((other) => (other.code === 'operation-alike' ? [other.line] : []))
      return one(
        `operation ${about.operation} already specified for ${about.resource}, use --force to override:\n${lines.join('\n')}`,
      )
    }
    case 'operation-twice': {
      const [name = '', interval = ''] = /^(\S+).*? interval=(\S+)/.exec(about.line)?.slice(1) ?? []
      const seconds = Math.floor((parseDurationMs(interval) ?? 0) / 1000)
      return one(`operation ${name} with interval ${seconds}s already specified for ${about.resource}:\n${about.line}`)
    }
    case 'one-bundle':
      return one('you have to specify exactly one bundle')
    case 'promotable-twice':
      return one('you cannot specify both promotable option and promotable keyword')
    case 'side-without-group':
      return one(`you cannot use --${about.side} without --group`)
    case 'no-operation-name':
      return one(
        creates(typed)
          ? "When using 'op' you must specify an operation name after 'op'"
          : `${about.word} does not appear to be a valid operation action`,
      )
    case 'cannot-promote': {
      const where = about.resource === undefined ? '' : ` of resource '${about.resource}'`
      const group = about.group === undefined ? '' : ` in group '${about.group}'`
      return one(
        `Clone option 'promotable' is not compatible with '${about.agent}' resource agent${where}${group}, use --force to override`,
        creates(typed) || about.group !== undefined,
      )
    }
    case 'cannot-be-unique':
    case 'cannot-be-promoted':
      return one(
        `Clone option '${about.code === 'cannot-be-unique' ? 'globally-unique' : 'promotable'}' is not compatible with '${about.agent}' resource agent of resource '${about.id}'`,
      )
    case 'bad-ticket-name':
      return one(`booth ticket name '${about.ticket}' is not valid, use up to 63 alphanumeric characters or dash`, true)
    case 'property-not-set':
      return one(
        about.names.length === 1
          ? `Cannot remove property ${quoted(about.names)}, it is not present in property set '${about.set}', use --force to override`
          : `Cannot remove properties ${quoted(about.names)}, they are not present in property set '${about.set}', use --force to override`,
        true,
      )
    default:
      return undefined
  }
}

export const operationOptions = [
  'OCF_CHECK_LEVEL',
  'description',
  'enabled',
  'id',
  'interval',
  'interval-origin',
  'name',
  'on-fail',
  'record-pending',
  'role',
  'start-delay',
  'timeout',
]

/** A new resource is looked at as a whole; an operation that is added or changed stops at the first. */
function unknownOperationOption(names: readonly string[], option: string, typed: string): Said {
  if (creates(typed))
    return one(`invalid resource operation ${option}, allowed options are: ${quoted(operationOptions)}`, true)
  return one(`${names[0] ?? ''} is not a valid op option (use --force to override)`)
}

/** Names of ours that pcs does not list among those that it allows. */
const unmentioned: ReadonlyMap<string, readonly string[]> = new Map([
  ['container', ['id', 'masters']],
  ['network', ['id', 'add-host']],
  [
    'cluster property',
    [
      // What the cluster writes itself, what Pacemaker does not list, and our own options and names.
      ...['cluster-infrastructure', 'cluster-name', 'dc-version', 'have-watchdog', 'last-lrm-refresh'],
      ...['crmd-transition-delay', 'crmd-finalization-timeout', 'crmd-integration-timeout', 'remove-after-stop'],
      ...['fencing-action', 'fencing-reaction', 'fencing-enabled', 'fencing-timeout', 'fencing-max-attempts'],
      ...['fencing-watchdog-timeout', 'fence-remote-without-quorum', 'cancel-removed-actions', 'stop-removed-actions'],
      ...[
        'stop-removed-resources',
        'facts-interval',
        'watchdog-device',
        'watchdog-timeout',
        'sbd-devices',
        'secret-names',
        'trace-collector',
      ],
      ...['hardware-health', 'hardware-health-interval', 'hardware-health-recovery'],
      ...['config-history-max', 'config-history-max-age', 'config-history-max-size'],
      ...['service-dns', 'service-http'],
    ],
  ],
])

/** Without what pcs does not list. */
export const mentioned = (kind: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => !unmentioned.get(kind)?.includes(name))

/** What pcs calls the options of, by what we call them. */
function optionKind(where: string): string | undefined {
  if (where === 'cluster option') return 'cluster property'
  if (where === 'operation option') return 'resource operation'
  if (/^(container|network) option$/.test(where)) return where.replace(' option', '')
  if (where.includes('port mapping')) return 'port-map'
  return where.includes('storage mapping') ? 'storage-map' : undefined
}

/** Times that may be written as Pacemaker writes them, `PT1H`, too. */
const plainTimes: ReadonlySet<string> = new Set(['stonith-watchdog-timeout', 'fencing-watchdog-timeout'])

function expectedValues(expected: string, name: string): string {
  if (expected.startsWith('a percentage')) return "a non-negative integer followed by '%' (e.g. 0%, 50%, 200%, ...)"
  if (/duration|time/.test(expected) && clusterOption(name) !== undefined && !plainTimes.has(name))
    return 'time interval (e.g. 1, 2s, 3m, 4h, PT1H2M3S, ...)'
  const [, choices] = /^one of (.*)$/.exec(expected) ?? []
  if (choices !== undefined) return quoted(choices.split(', ').filter((word) => word !== 'reset-remote'))
  if (expected === 'true or false') return booleans
  if (/duration|time/.test(expected)) return 'time interval (e.g. 1, 2s, 3m, 4h, ...)'
  return /number|score/.test(expected) ? 'an integer or INFINITY or -INFINITY' : expected
}

export const truths = ['0', '1', 'false', 'n', 'no', 'off', 'on', 'true', 'y', 'yes']
export const booleans = `a pacemaker boolean value: ${quoted(truths)}`
function choicesOf(choices: readonly string[] | string): string {
  if (typeof choices !== 'string') return quoted(choices)
  return choices === 'boolean' ? booleans : choices
}

const whyUnknown = (flag: string, { dialect }: CallNames): string =>
  optionsBegunBy(flag.replace(/^--/, ''), dialect).length > 1 ? 'not a unique prefix' : 'not recognized'
