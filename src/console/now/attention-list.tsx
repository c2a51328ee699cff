/** What somebody should know: the sentences of `status`, each with the command that shows why or ends it. */
import type { Attention } from '../../cli/index.ts'
import { Command } from '../base/command.tsx'
import { linkTo } from '../base/route.ts'
import { withAges } from '../base/time.ts'
import { useTurn } from '../base/turn.ts'

/** So that ages are not older than they say. */
const againMs = 5000

const words: Readonly<Record<Attention['level'], string>> = { critical: 'Critical', warning: 'Warning', note: 'Note' }
const signs: Readonly<Record<Attention['level'], string>> = { critical: '■', warning: '▲', note: '·' }

export function AttentionList({ attention }: { readonly attention: readonly Attention[] }) {
  useTurn(againMs)
  const urgent = attention.filter(({ level }) => level !== 'note')
  const notes = attention.filter(({ level }) => level === 'note')
  return (
    <section class="attention" aria-labelledby="attention-title">
      <h2 id="attention-title" class="sr">
        What needs attention
      </h2>
      <div role="status">
        {urgent.length === 0 && <p class="all-well">Nothing needs attention.</p>}
        <ul>
          {urgent.map((one) => (
            <Line key={`${one.level} ${one.text}`} one={one} />
          ))}
        </ul>
      </div>
      {notes.length > 0 && (
        <details>
          <summary>
            {notes.length} {notes.length === 1 ? 'note' : 'notes'}
          </summary>
          <ul>
            {notes.map((one) => (
              <Line key={one.text} one={one} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function Line({ one: { level, text, resources, nodes, next } }: { readonly one: Attention }) {
  const [about] = [...resources, ...nodes]
  return (
    <li class={level}>
      <span class="sign">
        <span aria-hidden="true">{signs[level]}</span> {words[level]}
      </span>
      <span class="sentence">{withAges(text, Date.now())}</span>
      <span class="next">
        {about !== undefined && <a href={linkTo('now', about)}>why {about}</a>}
        {next.map((command) => (
          <Command key={command} text={command} />
        ))}
      </span>
    </li>
  )
}
