/** A resource or fence device is created: its agent's metadata say which parameters there are and what they mean. */
import { useState } from 'preact/hooks'
import { useAsked } from '../../base/asked.ts'
import type { Around } from './around.ts'
import { listIn } from './form.ts'
import { Labelled } from './labelled.tsx'
import { type Created, createLine, fenceLine, mistakeIn } from './lines.ts'
import { Parameters } from './parameters.tsx'
import { SimpleField } from './simple-field.tsx'
import { Words } from './words.tsx'

const empty: Created = { id: '', agent: '', parameters: {}, monitor: '10s', as: 'one', group: '' }

const kinds: Readonly<Record<Created['as'], string>> = {
  one: 'once in the cluster',
  clone: 'on every node (clone)',
  promotable: 'on every node, promoted on one',
  group: 'at the end of a group',
}

const kindOf = {
  resource: {
    title: 'Create a resource',
    list: '/resource/list',
    describe: '/resource/describe',
    agent: 'ocf:heartbeat:IPaddr2',
    monitor: '10s',
  },
  'fence device': {
    title: 'Create a fence device',
    list: '/stonith/list',
    describe: '/stonith/describe',
    agent: 'fence_ipmilan',
    monitor: '60s',
  },
} as const

export function CreateForm({ api, status, onLine, of }: Around & { readonly of: keyof typeof kindOf }) {
  const kind = kindOf[of]
  const isFence = of === 'fence device'
  const [created, setCreated] = useState<Created>({ ...empty, monitor: kind.monitor })
  const [hosts, setHosts] = useState('')
  const [wrong, setWrong] = useState<ReadonlySet<string>>(new Set())
  const { answer: agents } = useAsked<readonly { readonly name: string }[]>(api, {
    path: kind.list,
    query: [['nodesc', 'true']],
  })
  const isKnown = agents?.some(({ name }) => name === created.agent) === true
  const set = (more: Partial<Created>, mistakes = wrong, on = hosts): void => {
    const next = { ...created, ...more }
    setCreated(next)
    setWrong(mistakes)
    setHosts(on)
    const isReady =
      mistakes.size === 0 && next.id !== '' && next.agent !== '' && (next.as !== 'group' || next.group !== '')
    onLine(!isReady ? '' : isFence ? fenceLine(next, listIn(on)) : createLine(next))
  }
  return (
    <fieldset class="fields">
      <legend>{kind.title}</legend>
      <Words title="Name" required value={created.id} onValue={(id) => set({ id })} />
      <Words
        title="Agent"
        required
        value={created.agent}
        placeholder={kind.agent}
        offers={(agents ?? []).map(({ name }) => name)}
        onValue={(agent) => set({ agent, parameters: {} }, new Set())}
      />
      {isKnown && (
        <Parameters
          api={api}
          path={kind.describe}
          agent={created.agent}
          values={created.parameters}
          onValue={({ name, type }, value) => {
            const others = [...wrong].filter((one) => one !== name)
            const mistakes = new Set(mistakeIn(type, value) === undefined ? others : [...others, name])
            set({ parameters: { ...created.parameters, [name]: value } }, mistakes)
          }}
        />
      )}
      <Words
        title="Look every"
        help="The interval of its monitor; empty: as the agent says."
        value={created.monitor}
        onValue={(monitor) => set({ monitor })}
      />
      {isFence ? (
        <SimpleField
          api={api}
          status={status}
          field={{
            name: 'hosts',
            title: 'It switches off',
            help: 'None: those nodes that the device names itself.',
            of: 'node',
            isMany: true,
          }}
          value={hosts}
          onValue={(on) => set({}, wrong, on)}
        />
      ) : (
        <Place created={created} status={status} onChange={set} />
      )}
    </fieldset>
  )
}

/** Where it runs. */
function Place({
  created,
  status,
  onChange,
}: {
  readonly created: Created
  readonly status: Around['status']
  readonly onChange: (more: Partial<Created>) => void
}) {
  const groups = [
    ...new Set(
      status.resources.flatMap(({ inside, kinds: around }) => inside.filter((_, at) => around[at] === 'group')),
    ),
  ]
  return (
    <>
      <Labelled title="It runs">
        {(ties) => (
          <select
            {...ties}
            value={created.as}
            onChange={(event) => onChange({ as: event.currentTarget.value as Created['as'] })}
          >
            {Object.entries(kinds).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {created.as === 'group' && (
        <Words
          title="Group"
          required
          help="One that is there, or the name of a new one."
          value={created.group}
          offers={groups}
          onValue={(group) => onChange({ group })}
        />
      )}
    </>
  )
}
