/**
 * A change: a command as it is typed on a node, what it would do by the real scheduler, and the button, which can be pressed once that has been seen. What is
 * done is what was shown: a configuration that somebody else has changed meanwhile is refused, and shown again.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StatusFacts } from '../../cli/index.ts'
import { type Answer, type Api, ApiProblem } from '../base/api.ts'
import { Command as CommandText } from '../base/command.tsx'
import { linkTo } from '../base/route.ts'
import { type Command, commandsIn, confirmationOf, isOfPcs, type Read, readLine } from './command-line.ts'
import { Forms } from './forms/forms.tsx'

interface Effects {
  readonly message?: string
  readonly actions?: readonly { readonly text: string }[]
  readonly leftStopped?: readonly { readonly resource: string; readonly causes: readonly string[] }[]
}

type Preview =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly sentences: readonly string[] }
  | { readonly kind: 'shown'; readonly effects: Effects; readonly version: string | undefined }
  /** The command has no dry run; what is known beforehand is said in words. */
  | { readonly kind: 'none'; readonly text: string }

interface Done {
  readonly answer: Answer<Effects>
  /** The version of the configuration that this change has made: its undo takes back this one, whatever others change later. */
  readonly made: string | undefined
}

const pauseMs = 250

export function Change({
  api,
  status,
  line: given,
}: {
  readonly api: Api
  readonly status: StatusFacts
  readonly line: string
}) {
  const [line, setLine] = useState(given)
  const commands = useCommands()
  const [seenFor, setSeenFor] = useState<{ readonly line: string; readonly preview: Preview }>()
  const [typed, setTyped] = useState('')
  const [done, setDone] = useState<Done>()
  const [busy, setBusy] = useState(false)
  const begin = (text: string): void => {
    setDone(undefined)
    setLine(text)
  }
  const read = useMemo(() => readLine(line, commands), [line, commands])
  useEffect(() => {
    setTyped('')
    if (read.kind !== 'request') return
    let isOver = false
    const timer = setTimeout(() => {
      void previewOf(api, read).then((preview) => {
        if (!isOver) setSeenFor({ line, preview })
      })
    }, pauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, read, done])
  const preview: Preview = seenFor?.line === line ? seenFor.preview : { kind: 'waiting' }
  const confirmation = read.kind === 'request' ? confirmationOf(read) : undefined
  const isSeen = preview.kind === 'shown' || preview.kind === 'none'
  const canDo = read.kind === 'request' && isSeen && !busy && (confirmation === undefined || typed === confirmation)
  const perform = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (!canDo || read.kind !== 'request') return
    setBusy(true)
    setDone(undefined)
    const ifVersion = preview.kind === 'shown' ? preview.version : undefined
    try {
      const answer = await api.act<Effects>(read.command.path, read.body, { ifVersion })
      setDone({ answer, made: answer.version === ifVersion ? undefined : answer.version?.replaceAll('"', '') })
    } catch (error) {
      setSeenFor({ line, preview: refusalOf(error) })
    }
    setBusy(false)
  }
  return (
    <div class="page">
      <form onSubmit={(event) => void perform(event)} aria-labelledby="change-title">
        <h2 id="change-title">Change</h2>
        <Forms api={api} status={status} onLine={begin} />
        <label class="line">
          <span>
            Command, as on a node <span class="muted">(with the words of pcs)</span>
          </span>
          <span class="prompt">
            <code aria-hidden="true">systole</code>
            <input
              type="text"
              value={line}
              list="commands"
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => begin(event.currentTarget.value)}
            />
          </span>
          <datalist id="commands">
            {commands.map(({ name, summary }) => (
              <option key={name} value={name}>
                {summary}
              </option>
            ))}
          </datalist>
        </label>
        <Help read={read} />
        {read.kind === 'request' && done === undefined && <Shown preview={preview} />}
        {confirmation !== undefined && done === undefined && isSeen && (
          <label class="confirm">
            This cannot be taken back. Type <strong>{confirmation}</strong> to confirm:
            <input
              type="text"
              autocomplete="off"
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={!canDo || done !== undefined}>
            {busy ? 'Working …' : 'Do it'}
          </button>
          {read.kind === 'request' && <Lines line={line} isPcs={isOfPcs(read)} />}
        </div>
      </form>
      {done !== undefined && read.kind === 'request' && (
        <Outcome
          done={done}
          canRevert={read.command.canPreview}
          onRevert={(version) => begin(`config revert ${version}`)}
        />
      )}
    </div>
  )
}

function useCommands(): readonly Command[] {
  const [commands, setCommands] = useState<readonly Command[]>([])
  useEffect(() => {
    void fetch('/api/openapi.json')
      .then(async (response) => setCommands(commandsIn(await response.json())))
      .catch(() => setCommands([]))
  }, [])
  return commands
}

/** The same on a node, to copy. */
function Lines({ line, isPcs }: { readonly line: string; readonly isPcs: boolean }) {
  const words = line.trim().replace(/^(systole|pcs)\s+/, '')
  return (
    <>
      <CommandText text={`systole ${words}`} />
      {isPcs && <CommandText text={`pcs ${words}`} />}
    </>
  )
}

function Help({ read }: { readonly read: Read }) {
  if (read.kind === 'unfinished') return <p class="muted">{read.sentence}</p>
  return (
    <p class="muted">
      {read.command.summary}. <code>{read.command.usage}</code>
    </p>
  )
}

async function previewOf(api: Api, read: Extract<Read, { readonly kind: 'request' }>): Promise<Preview> {
  const { command, body, words } = read
  try {
    if (command.canPreview) {
      const { result, version } = await api.act<Effects>(command.path, body, { dryRun: true })
      return { kind: 'shown', effects: result, version }
    }
    if (command.name !== 'stonith fence')
      return { kind: 'none', text: 'This command cannot show its effect beforehand.' }
    const node = words[0] ?? ''
    if (node === '') return { kind: 'refused', sentences: ['Specify the node to fence.'] }
    const query = [
      ['word', node],
      ['fence', 'true'],
    ] as const
    return { kind: 'none', text: (await api.read<{ readonly text: string }>('/why', query)).result.text }
  } catch (error) {
    return refusalOf(error)
  }
}

const refusalOf = (error: unknown): Preview => ({
  kind: 'refused',
  sentences: error instanceof ApiProblem ? error.sentences : ['The answer cannot be read.'],
})

function Shown({ preview }: { readonly preview: Preview }) {
  switch (preview.kind) {
    case 'waiting':
      return <p class="muted">Asking the scheduler what it would do …</p>
    case 'refused':
      return (
        <div class="effects refusal" role="alert">
          {preview.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )
    case 'none':
      return <pre class="effects">{preview.text}</pre>
    case 'shown':
      return <EffectList effects={preview.effects} />
  }
}

function EffectList({ effects: { actions = [], leftStopped = [] } }: { readonly effects: Effects }) {
  return (
    <div class="effects" role="status">
      <h3>{actions.length === 0 ? 'No resource would be touched.' : 'It would'}</h3>
      <ul>
        {actions.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {leftStopped.length > 0 && (
        <>
          <h3 class="critical">This would run nowhere</h3>
          <ul>
            {leftStopped.map(({ resource, causes }) => (
              <li key={resource}>
                {resource}
                {causes.length > 0 && `: ${causes.join('; ')}`}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Outcome({
  done: { answer, made },
  canRevert,
  onRevert,
}: {
  readonly done: Done
  readonly canRevert: boolean
  readonly onRevert: (version: string) => void
}) {
  const { exitCode, notes } = answer
  const message = answer.result?.message
  return (
    <section class="done" aria-labelledby="done-title">
      <h3 id="done-title" class={exitCode === 0 ? 'good' : 'critical'}>
        {exitCode === 0 ? 'Done' : 'Not as wished'}
      </h3>
      {message !== undefined && <p>{message}</p>}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <p>
        <a href={linkTo('now')}>See it in the picture</a>
        {canRevert && made !== undefined && (
          <>
            {' '}
            <button type="button" onClick={() => onRevert(made)}>
              Undo …
            </button>
          </>
        )}
      </p>
    </section>
  )
}
