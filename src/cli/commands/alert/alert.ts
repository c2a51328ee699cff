import {
  addRecipient,
  childElement,
  childElements,
  configurationElement,
  createAlert,
  deleteAlerts,
  deleteRecipients,
  updateAlert,
  updateRecipient,
  withoutSecrets,
  type XmlElement,
} from '../../../cib/index.ts'
import { judgesAsPcs } from '../../as-pcs/speech.ts'
import { type Call, type Command, changeFlags, Refusal } from '../../call/command.ts'
import { formatFlag, inFormat } from '../../call/output-format.ts'
import { changeCib } from '../../change/change.ts'
import { chosen } from '../../grammar/chosen.ts'
import { onlyKnown } from '../../grammar/constraint-words.ts'
import { expectWords, parsePairs, splitSections, wrongCall } from '../../grammar/words.ts'
import { formContext, nvsetForms, pairWords } from '../../pcs-form/nvset.ts'
import { rebuildingCommands } from '../../replay/index.ts'
import { type AlertFacts, alertFacts } from './facts.ts'
import { checked } from './shipped.ts'

export const alertConfig: Command = {
  path: ['alert', 'config'],
  bare: [['alert']],
  aliases: [['alert', 'show']],
  usage: '[--output-format text|cmd|json]',
  summary: 'Show the alert agents that the cluster calls for events',
  flags: [formatFlag],
  run: async (call) => {
    const { cib } = await call.cluster.readCib()
    const alerts = chosen(alertFacts(withoutSecrets(cib, formContext(call, cib).isHidden)), call.words, 'alert')
    return await inFormat(call, {
      text: () => (alerts.length === 0 ? noAlerts(call) : `Alerts:\n${alerts.map(describeAlert).join('')}`),
      nothing: 'No alerts are defined.',
      json: alerts,
      pcsJson: () =>
        alertsForm(
          cib,
          call,
          alerts.map(({ id }) => id),
        ),
      cmd: () => rebuildingCommands(call, cib, { sections: ['alerts'], ids: alerts.map(({ id }) => id) }),
    })
  },
}

/** pcs said so until 0.12. */
const noAlerts = ({ speech }: Call): string =>
  speech.program === 'pcs' && speech.dialect === '0.11' ? 'Alerts:\n No alerts defined\n' : ''

const valueUsage = '[description=<text>] [options <name>=<value>...] [meta <name>=<value>...]'

export const alertCreate: Command = {
  path: ['alert', 'create'],
  usage: `path=<program> [id=<id>] ${valueUsage}`,
  summary: 'Create an alert: the cluster calls a program for every event',
  details:
    'Options are passed to the program as environment variables. Meta-attributes: timeout, timestamp-format, enabled, and of Systole alone retry-for (1h), how long a call is tried again for, and repeat-interval (0), within which the same is only counted. Mail, webhooks and SNMP come with Systole: see systole alert agents.',
  examples: [
    'systole alert create path=/usr/share/pacemaker/alerts/alert_file.sh id=log meta timeout=15s',
    'systole alert create path=/usr/share/systole/alerts/alert_smtp id=mail options smtp_host=mail.example.com meta repeat-interval=10min',
  ],
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    const { own, values } = readValues(call, ['path', 'id', 'description'])
    const [path, id] = [own.get('path'), own.get('id')]
    if (path === undefined) {
      const sentence = 'The program is missing: path=<program>.'
      if (call.words.length === 0) throw new Refusal(wrongCall(sentence))
      throw new Refusal({ own: sentence, about: { code: 'required-missing', names: ['path'] } })
    }
    return await changeCib(call, {
      edit: (cib) => checked(createAlert(cib, { path, ...values, ...(id === undefined ? {} : { id }) })),
      message: ({ created }) => `The alert ${created[0] ?? ''} calls ${path}.`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const alertUpdate: Command = {
  path: ['alert', 'update'],
  usage: `<alert> [path=<program>] ${valueUsage}`,
  summary: 'Change an alert; an empty value removes an option',
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: fewest(call), usage: 'alert update <alert> <name>=<value>...' })
    const [id = '', ...words] = call.words
    const { own, values } = readValues({ ...call, words }, ['path', 'description'])
    // pcs keeps the program where an empty one is named.
    const path = judgesAsPcs(call.speech) ? own.get('path') || undefined : own.get('path')
    return await changeCib(call, {
      edit: (cib) => checked(updateAlert(cib, { id, ...values, ...(path === undefined ? {} : { path }) }), id),
      message: () => `Changed the alert ${id}.`,
    })
  },
}

export const alertDelete: Command = {
  path: ['alert', 'delete'],
  aliases: [['alert', 'remove']],
  usage: '<alert>...',
  summary: 'Delete alerts with their recipients',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'alert delete <alert>...' })
    return await changeCib(call, {
      edit: (cib) => deleteAlerts(cib, { ids: call.words }),
      message: () => `Deleted: ${call.words.join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

export const alertRecipientAdd: Command = {
  path: ['alert', 'recipient', 'add'],
  usage: `<alert> value=<recipient> [id=<id>] ${valueUsage}`,
  summary: 'Add a recipient to an alert',
  flags: changeFlags,
  completes: ['anything'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 2, usage: 'alert recipient add <alert> value=<recipient>' })
    const [alert = '', ...words] = call.words
    const { own, values } = readValues({ ...call, words }, ['value', 'id', 'description'])
    const [value, id] = [own.get('value'), own.get('id')]
    if (value === undefined) throw new Refusal('The recipient is missing: value=<recipient>.')
    return await changeCib(call, {
      edit: (cib) =>
        checked(
          addRecipient(cib, {
            alert,
            value,
            force: call.flags.has('force'),
            ...values,
            ...(id === undefined ? {} : { id }),
          }),
          alert,
        ),
      message: ({ created }) => `The alert ${alert} is called for ${value} (${created[0] ?? ''}).`,
      facts: ({ created }) => ({ created }),
    })
  },
}

export const alertRecipientUpdate: Command = {
  path: ['alert', 'recipient', 'update'],
  usage: `<recipient id> [value=<recipient>] ${valueUsage}`,
  summary: 'Change a recipient of an alert',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: fewest(call), usage: 'alert recipient update <recipient id> <name>=<value>...' })
    const [id = '', ...words] = call.words
    const { own, values } = readValues({ ...call, words }, ['value', 'description'])
    const value = own.get('value')
    return await changeCib(call, {
      edit: (cib) => checked(updateRecipient(cib, { id, ...values, ...(value === undefined ? {} : { value }) }), id),
      message: () => `Changed the recipient ${id}.`,
    })
  },
}

export const alertRecipientDelete: Command = {
  path: ['alert', 'recipient', 'delete'],
  aliases: [['alert', 'recipient', 'remove']],
  usage: '<recipient id>...',
  summary: 'Delete recipients of alerts',
  flags: changeFlags,
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, usage: 'alert recipient delete <recipient id>...' })
    return await changeCib(call, {
      edit: (cib) => deleteRecipients(cib, { ids: call.words }),
      message: () => `Deleted: ${call.words.join(', ')}.`,
      facts: ({ removed }) => ({ removed }),
    })
  },
}

/** pcs takes an update that changes nothing. */
const fewest = ({ speech }: Call): number => (judgesAsPcs(speech) ? 1 : 2)

function readValues(
  call: Call,
  known: readonly string[],
): {
  readonly own: ReadonlyMap<string, string>
  readonly values: {
    readonly options: Readonly<Record<string, string>>
    readonly meta: Readonly<Record<string, string>>
    readonly description?: string
  }
} {
  const sections = splitSections(call.words, ['options', 'meta'])
  const of = (keyword: string): ReadonlyMap<string, string> =>
    parsePairs(
      sections.filter((section) => section.keyword === keyword).flatMap(({ words }) => words),
      keyword === '' ? 'values of an alert' : keyword,
    )
  const own = of('')
  onlyKnown(own, known, 'This')
  const description = own.get('description')
  return {
    own,
    values: {
      options: Object.fromEntries(of('options')),
      meta: Object.fromEntries(of('meta')),
      ...(description === undefined ? {} : { description }),
    },
  }
}

function describeAlert(alert: AlertFacts): string {
  const recipients = alert.recipients.map(
    (recipient) => `   Recipient: ${recipient.id} (value=${recipient.value})\n${details(recipient, '    ')}`,
  )
  return [
    ` Alert: ${alert.id} (path=${alert.path})\n${details(alert, '  ')}`,
    ...(recipients.length > 0 ? ['  Recipients:\n', ...recipients] : []),
  ].join('')
}

function details(item: Pick<AlertFacts, 'options' | 'meta' | 'description'>, indent: string): string {
  const pairs = (title: string, values: Readonly<Record<string, string>>): string => {
    const words = pairWords(values).toSorted()
    return words.length === 0 ? '' : `${indent}${title}: ${words.join(' ')}\n`
  }
  const description = item.description === undefined ? '' : `${indent}Description: ${item.description}\n`
  return description + pairs('Options', item.options) + pairs('Meta options', item.meta)
}

/** As `pcs alert config --output-format json` gives it out. */
function alertsForm(cib: XmlElement, call: Call, ids: readonly string[]): unknown {
  const section = childElement(configurationElement(cib), 'alerts')
  const sets = (of: XmlElement): object => ({
    meta_attributes: nvsetForms(of, 'meta_attributes', formContext(call, cib)),
    instance_attributes: nvsetForms(of, 'instance_attributes', formContext(call, cib)),
  })
  const alerts = (section === undefined ? [] : childElements(section, 'alert')).filter(({ attributes }) =>
    ids.includes(attributes.id ?? ''),
  )
  return {
    alerts: alerts.map((alert) => ({
      id: alert.attributes.id ?? '',
      path: alert.attributes.path ?? '',
      description: alert.attributes.description ?? null,
      recipients: childElements(alert, 'recipient').map((recipient) => ({
        id: recipient.attributes.id ?? '',
        value: recipient.attributes.value ?? '',
        description: recipient.attributes.description ?? null,
        ...sets(recipient),
      })),
      ...sets(alert),
    })),
  }
}
