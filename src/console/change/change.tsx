/**
 * A change: a command as it is typed on a node, what it would do by the real scheduler, and the button, which can be pressed once that has been seen. What is
 * done is what was shown: a configuration that somebody else has changed meanwhile is refused, and shown again.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StatusFacts } from '../../cli/index.ts'
import type { Answer, Api, GivenFiles } from '../base/api.ts'
import { Command as CommandText } from '../base/command.tsx'
import { linkTo } from '../base/route.ts'
import { type Command, commandsIn, confirmationOf, isOfPcs, type Read, readLine, splitWords } from './command-line.ts'
import { Forms } from './forms/forms.tsx'
import { quoted } from './forms/lines.ts'
import { Given } from './given-files.tsx'
import { type Effects, isSeen, type Preview, previewOf, refusalOf, Shown } from './preview.tsx'

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
  const [files, setFiles] = useState<GivenFiles>({})
  const commands = useCommands()
  const [seenFor, setSeenFor] = useState<{ readonly asked: object; readonly preview: Preview }>()
  const [typed, setTyped] = useState('')
  const [done, setDone] = useState<Done>()
  const [busy, setBusy] = useState(false)
  const begin = (text: string, along: GivenFiles = files): void => {
    setDone(undefined)
    setLine(text)
    setFiles(along)
  }
  const read = useMemo(() => withFiles(readLine(line, commands), files), [line, commands, files])
  useEffect(() => {
    setTyped('')
    if (read.kind !== 'request') return
    let isOver = false
    const timer = setTimeout(() => {
      void previewOf(api, read).then((preview) => {
        if (!isOver) setSeenFor({ asked: read, preview })
      })
    }, pauseMs)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, read, done])
  const preview: Preview = seenFor?.asked === read ? seenFor.preview : { kind: 'waiting' }
  const confirmation = read.kind === 'request' ? confirmationOf(read) : undefined
  const canDo =
    read.kind === 'request' && isSeen(preview) && !busy && (confirmation === undefined || typed === confirmation)
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
      setSeenFor({ asked: read, preview: refusalOf(error) })
    }
    setBusy(false)
  }
  return (
    <div class="page">
      <form onSubmit={(event) => void perform(event)} aria-labelledby="change-title">
        <h2 id="change-title">Change</h2>
        <Forms api={api} status={status} first={formOfLine[given] ?? ''} onLine={begin} />
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
        {read.kind === 'request' && read.command.takesFiles && (
          <Given files={files} onFiles={(chosen) => begin(named(line, chosen), { ...files, ...chosen })} />
        )}
        {read.kind === 'request' && done === undefined && <Shown preview={preview} />}
        {confirmation !== undefined && done === undefined && isSeen(preview) && (
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
        <Outcome done={done} command={read.command} words={read.words} onUndo={(text) => begin(text, {})} />
      )}
    </div>
  )
}

/** Only what the command may be given; the same as before where that is so. */
function withFiles(read: Read, files: GivenFiles): Read {
  if (read.kind !== 'request' || !read.command.takesFiles || Object.keys(files).length === 0) return read
  return { ...read, body: { ...read.body, files } }
}

/** A file that the line does not name yet is what the command is about. */
function named(line: string, files: GivenFiles): string {
  const words = splitWords(line) ?? []
  return [line.trim(), ...Object.keys(files).flatMap((name) => (words.includes(name) ? [] : [quoted(name)]))].join(' ')
}

/** Where a link begins with a form. */
const formOfLine: Readonly<Record<string, string>> = { 'rollout start': 'rollout-start' }

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

function Outcome({
  done: { answer, made },
  command,
  words,
  onUndo,
}: {
  readonly done: Done
  readonly command: Command
  readonly words: readonly string[]
  readonly onUndo: (line: string) => void
}) {
  const { exitCode, notes } = answer
  const message = answer.result?.message
  const undo = undoOf(command, words, { answer, made })
  return (
    <section class="done" aria-labelledby="done-title">
      <h3 id="done-title" class={exitCode === 0 ? 'good' : 'critical'}>
        {exitCode === 0 ? 'Done' : 'Not as wished'}
      </h3>
      {message !== undefined && <p>{message}</p>}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <p>
        {command.name.startsWith('rollout ') ? (
          <a href={linkTo('rollouts')}>See the rollout</a>
        ) : (
          <a href={linkTo('now')}>See it in the picture</a>
        )}
        {undo !== undefined && (
          <>
            {' '}
            <button type="button" onClick={() => onUndo(undo)}>
              Undo …
            </button>
          </>
        )}
      </p>
    </section>
  )
}

/** What takes it back: of the configuration this change alone, of a rollout all that it has done, of a drain the drain. */
function undoOf({ name, canPreview }: Command, words: readonly string[], { answer, made }: Done): string | undefined {
  if (name === 'node drain') return `node undrain ${words.map(quoted).join(' ')}`
  if (canPreview && made !== undefined) return `config revert ${made}`
  const id = answer.result?.id
  if (name === 'rollout start' && id !== undefined) return `rollout abort ${id} --no-wait`
  if (name === 'rollout pause' && id !== undefined) return `rollout resume ${id} --no-wait`
  return undefined
}
