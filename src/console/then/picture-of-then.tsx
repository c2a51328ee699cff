/** The cluster as it was at a moment, and what was different at another one. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { NodeFacts, PictureThen, ResourceFacts, TimelineEvent } from '../../cli/index.ts'
import type { Api } from '../base/api.ts'
import { useAsked } from '../base/asked.ts'
import { Command } from '../base/command.tsx'
import { Shape } from '../base/mark.tsx'
import { clock, timeOf } from '../base/time.ts'
import { Matrix } from '../now/matrix.tsx'
import { columnsOf, isFenceDevice, rowsOf, stateOfNode } from '../now/picture.ts'

const pauseMs = 150

export function PictureOfThen({ api, event }: { readonly api: Api; readonly event: TimelineEvent }) {
  const revision = useQuiet(event.revision)
  const [other, setOther] = useState<TimelineEvent>()
  const query = [['word', String(revision)]] as const
  const { answer, refusal } = useAsked<PictureThen>(api, { path: '/timeline/show', query })
  return (
    <section aria-labelledby="then-title">
      <div class="section-head">
        <h3 id="then-title">The cluster at {clock(timeOf(event), true)}</h3>
        <span class="push" />
        <button type="button" onClick={() => setOther(other === undefined ? event : undefined)}>
          {other === undefined ? 'Compare with …' : 'End the comparison'}
        </button>
      </div>
      {refusal !== undefined && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      {answer !== undefined && <Told picture={answer} />}
      {other !== undefined && <Differences api={api} other={other} revision={revision} />}
      {answer !== undefined && <Places nodes={answer.nodes} resources={answer.resources} />}
      <p>
        <Command text={`systole timeline show ${event.revision}`} />
      </p>
    </section>
  )
}

function Told({ picture }: { readonly picture: PictureThen }) {
  const { dc, version, readWith, change, decision, fencing, withoutQuorum, event } = picture
  return (
    <dl class="facts">
      {event !== null && <Fact name="Just now">{event.text}</Fact>}
      <Fact name="DC">{dc ?? 'not known'}</Fact>
      {decision !== null && <Fact name="Decided last">{decision}</Fact>}
      {fencing.length > 0 && <Fact name="Under way">{fencing.join('; ')}</Fact>}
      {withoutQuorum.length > 0 && <Fact name="Without quorum">{withoutQuorum.join(', ')}</Fact>}
      <Fact name="Configuration">
        {version === null ? 'not known' : `version ${version}`}
        {change !== null && `, ${change.user}@${change.node}: ${change.command}`}
        {version !== readWith && `; the picture is made with version ${readWith}`}
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Places({
  nodes,
  resources,
}: {
  readonly nodes: readonly NodeFacts[]
  readonly resources: readonly ResourceFacts[]
}) {
  const rows = useMemo(() => rowsOf(resources.filter((one) => !isFenceDevice(one))), [resources])
  const { columns } = useMemo(() => columnsOf(nodes), [nodes])
  return (
    <>
      <ul class="node-words">
        {columns.map((node) => {
          const { mark, word } = stateOfNode(node, [])
          return (
            <li key={node.name}>
              <Shape mark={mark} /> {node.name} <span class="muted">{word}</span>
            </li>
          )
        })}
      </ul>
      <Matrix
        name="Resources by node at that moment"
        rows={rows}
        nodes={columns}
        keep={() => true}
        isSearching={false}
        selected={undefined}
      />
    </>
  )
}

interface Compared {
  readonly differences: readonly { readonly name: string; readonly before: string; readonly after: string }[]
}

function Differences({
  api,
  other,
  revision,
}: {
  readonly api: Api
  readonly other: TimelineEvent
  readonly revision: number
}) {
  const words = [other.revision, revision].sort((a, b) => a - b)
  const query = words.map((word) => ['word', String(word)] as const)
  const { answer } = useAsked<Compared>(api, { path: '/timeline/compare', query })
  return (
    <div class="effects" role="status">
      <h4>
        {other.revision === revision
          ? 'Pick another moment to compare with this one.'
          : `Differences from ${clock(timeOf(other), true)}`}
      </h4>
      {answer !== undefined && other.revision !== revision && (
        <ul>
          {answer.differences.length === 0 && <li>nothing</li>}
          {answer.differences.map(({ name, before, after }) => (
            <li key={name}>
              {name}: {before} → {after}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** As the value is once it has not changed for a moment: a slider passes many. */
function useQuiet<T>(value: T): T {
  const [quiet, setQuiet] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return quiet
}
