/** A new alert: the options of those that come with Systole are what `alert agents` says; any other program has none here. */
import { useState } from 'preact/hooks'
import { useAsked } from '../../base/asked.ts'
import type { Around } from './around.ts'
import { type Alert, alertLine } from './lines.ts'
import { Words } from './words.tsx'

interface Agent {
  readonly path: string
  readonly summary: string
  readonly options: readonly { readonly name: string; readonly summary: string; readonly default?: string }[]
}

const secret = /(?:password|secret|token|community)$/

export function AlertForm({ api, onLine }: Around) {
  const [alert, setAlert] = useState<Alert>({ id: '', path: '', options: {}, meta: {} })
  const { answer, refusal } = useAsked<{ readonly agents: readonly Agent[] }>(api, { path: '/alert/agents' })
  const agent = answer?.agents.find(({ path }) => path === alert.path)
  const set = (more: Partial<Alert>): void => {
    const next = { ...alert, ...more }
    setAlert(next)
    onLine(next.path === '' ? '' : alertLine(next))
  }
  const meta = (name: string, value: string): void => set({ meta: { ...alert.meta, [name]: value } })
  return (
    <fieldset class="fields">
      <legend>Alert: create</legend>
      {refusal !== undefined && <p class="refusal">{refusal}</p>}
      <Words
        title="Program"
        required
        value={alert.path}
        placeholder="/usr/share/systole/alerts/alert_smtp"
        help={agent?.summary ?? 'Its absolute path, the same on every node.'}
        offers={(answer?.agents ?? []).map(({ path }) => path)}
        onValue={(path) => set({ path, options: {} })}
      />
      <Words title="Name" help="Empty: the cluster chooses one." value={alert.id} onValue={(id) => set({ id })} />
      {agent?.options.map(({ name, summary, default: usual }) => (
        <Words
          key={name}
          title={name}
          help={summary}
          isHidden={secret.test(name)}
          placeholder={usual === undefined ? '' : `default: ${usual}`}
          value={alert.options[name] ?? ''}
          onValue={(value) => set({ options: { ...alert.options, [name]: value } })}
        />
      ))}
      <Words
        title="Timeout"
        help="How long one call of the program may take."
        placeholder="default: 30s"
        value={alert.meta.timeout ?? ''}
        onValue={(value) => meta('timeout', value)}
      />
      <Words
        title="The same again after"
        help="Within this time the same is only counted."
        placeholder="default: each event"
        value={alert.meta['repeat-interval'] ?? ''}
        onValue={(value) => meta('repeat-interval', value)}
      />
    </fieldset>
  )
}
