/** The parameters of an agent, as its metadata say; those that must be given first. */
import type { Api } from '../../base/api.ts'
import { useAsked } from '../../base/asked.ts'
import { type Parameter, ParameterField } from './parameter-field.tsx'

interface Metadata {
  readonly name: string
  readonly shortDescription: string
  readonly longDescription: string
  readonly parameters: readonly Parameter[]
}

/** The cluster gives these to a fence agent by itself. */
const givenByCluster = new Set(['action', 'option', 'plug', 'port', 'nodename'])

export function Parameters({
  api,
  path,
  agent,
  values,
  onValue,
}: {
  readonly api: Api
  readonly path: '/resource/describe' | '/stonith/describe'
  readonly agent: string
  readonly values: Readonly<Record<string, string>>
  readonly onValue: (parameter: Parameter, value: string) => void
}) {
  const { answer, refusal } = useAsked<Metadata>(api, { path, query: [['word', agent]] })
  if (refusal !== undefined) return <p class="refusal">{refusal}</p>
  if (answer === undefined) return <p class="muted">Reading what the agent says …</p>
  const isFence = path === '/stonith/describe'
  const usable = answer.parameters
    .filter(({ name, deprecated }) => !deprecated && !(isFence && name === 'action'))
    .map((parameter) => (isFence && givenByCluster.has(parameter.name) ? { ...parameter, required: false } : parameter))
  const field = (parameter: Parameter) => (
    <ParameterField
      key={parameter.name}
      parameter={parameter}
      value={values[parameter.name] ?? ''}
      onValue={(value) => onValue(parameter, value)}
    />
  )
  const others = usable.filter(({ required }) => !required)
  const isGiven = others.some(({ name }) => (values[name] ?? '') !== '')
  return (
    <>
      <div class="about-agent muted">
        <p>{answer.shortDescription}</p>
        {answer.longDescription.trim() !== '' && (
          <details>
            <summary>What the agent says of itself</summary>
            <p>{answer.longDescription}</p>
          </details>
        )}
      </div>
      {usable.filter(({ required }) => required).map(field)}
      {others.length > 0 && (
        <details open={others.length <= 4 || isGiven}>
          <summary>
            Parameters that may be omitted <span class="muted">({others.length})</span>
          </summary>
          <div class="fields">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}
