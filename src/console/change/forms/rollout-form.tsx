/** A rollout: its file, written here or read from a disk. The plan by the real scheduler stands below before it can be started. */
import { useState } from 'preact/hooks'
import type { Around } from './around.ts'
import { Labelled } from './labelled.tsx'
import { joined } from './lines.ts'
import { Words } from './words.tsx'

export function RolloutForm({ onLine }: Pick<Around, 'onLine'>) {
  const [name, setName] = useState('rollout.yaml')
  const [text, setText] = useState('')
  const set = (file: string, content: string): void => {
    setName(file)
    setText(content)
    const isWhole = file !== '' && content.trim() !== ''
    onLine(isWhole ? joined(['rollout', 'start', file, '--no-wait']) : '', isWhole ? { [file]: content } : {})
  }
  return (
    <fieldset class="fields">
      <legend>Rollout: start</legend>
      <Words
        title="File"
        value={name}
        required
        help="Its name, as the command on a node would name it."
        onValue={(value) => set(value, text)}
      />
      <Labelled title="Read it from this computer">
        {(ties) => (
          <input
            {...ties}
            type="file"
            accept=".yaml,.yml,.json"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              if (file !== undefined) void file.text().then((content) => set(file.name, content))
            }}
          />
        )}
      </Labelled>
      <div class="field wide">
        <Labelled title="Text of the file" required help="Nodes, how many at once, and the commands with their undo.">
          {(ties) => (
            <textarea
              {...ties}
              rows={14}
              spellcheck={false}
              required
              value={text}
              onInput={(event) => set(name, event.currentTarget.value)}
            />
          )}
        </Labelled>
        {text === '' && (
          <button type="button" onClick={() => set(name, example)}>
            Begin with an example
          </button>
        )}
      </div>
    </fieldset>
  )
}

const example = `rollout: shop
version: "2.4"
nodes: all
steps:
  hold: drain
  actions:
    - name: upgrade
      run: apt-get install -y shop=2.4-1
      undo: apt-get install -y --allow-downgrades shop=2.3-1
  validate:
    - name: version
      run: test "$(shop --version)" = 2.4
`
