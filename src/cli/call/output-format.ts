/** `--output-format text|cmd|json`: one answer in three forms. `cmd` are commands that make the same again. */
import { type Call, done, type Outcome, Refusal } from './command.ts'
import { shellLine } from './shell-words.ts'

export const formatFlag = {
  name: 'output-format',
  value: 'text|cmd|json',
  summary: 'Print as text, as the commands that create the same configuration, or as JSON',
} as const

export interface Forms {
  readonly text: () => string
  /** The sentence for an empty text. pcs says nothing then, and scripts count on it. */
  readonly nothing?: string
  readonly json: unknown
  /** What `--output-format json` gives out where pcs has published a form; `--json` keeps Systole's own. */
  readonly pcsJson?: () => unknown | Promise<unknown>
  /** Command lines without the program's name. */
  readonly cmd?: () => Promise<readonly (readonly string[])[]>
  /** The same as pcs lays them out, for who calls this as pcs. */
  readonly pcsCmd?: () => string
}

export async function inFormat(call: Call, forms: Forms): Promise<Outcome> {
  const format = call.flags.get('output-format') ?? 'text'
  switch (format) {
    case 'text':
      return done(textOf(call, forms), forms.json)
    case 'json': {
      if (!forms.pcsJson) return done(`${JSON.stringify(forms.json, null, 2)}\n`, forms.json)
      const form = byIds(await forms.pcsJson())
      return done(`${JSON.stringify(form)}\n`, form)
    }
    case 'cmd': {
      if (forms.pcsCmd && call.speech.program === 'pcs') return done(forms.pcsCmd(), forms.json)
      if (!forms.cmd)
        throw new Refusal('The output is not available as commands. Specify --output-format text or json.')
      const lines = (await forms.cmd()).map((words) => shellLine([call.speech.program, ...words]))
      return done(lines.map((line) => `${line}\n`).join(''), { commands: lines })
    }
    default:
      throw new Refusal({
        own: `'${String(format)}' is not an output format. Specify text, cmd or json.`,
        about: { code: 'bad-format', value: String(format), known: ['cmd', 'json', 'text'] },
      })
  }
}

function textOf(call: Call, { text, nothing }: Forms): string {
  const written = text()
  return written === '' && nothing !== undefined && call.speech.program === 'systole' ? `${nothing}\n` : written
}

/** pcs lists the pairs of a set by their ids in JSON, and by their names in text. */
function byIds(form: unknown): unknown {
  if (Array.isArray(form)) return form.map(byIds)
  if (typeof form !== 'object' || form === null) return form
  const entries = Object.entries(form).map(([key, value]): [string, unknown] => [
    key,
    key === 'nvpairs' && Array.isArray(value) ? value.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)) : byIds(value),
  ])
  return Object.fromEntries(entries)
}

const idOf = (pair: unknown): string =>
  typeof pair === 'object' && pair !== null && 'id' in pair ? String(pair.id) : ''
