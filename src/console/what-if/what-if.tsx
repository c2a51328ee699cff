/** What the cluster would do if nodes were lost, operations failed or a command was given: the answer of `simulate`, beside the present. Nothing is changed. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { ActionFacts, NodeFacts, ResourceFacts, StatusFacts } from '../../cli/index.ts'
import { type Api, ApiProblem, type Query } from '../base/api.ts'
import { linkTo } from '../base/route.ts'
import { Matrix } from '../now/matrix.tsx'
import { columnsOf, isFenceDevice, rowsOf } from '../now/picture.ts'
import { TransitionGraph } from './transition-graph.tsx'

interface Simulated {
  readonly modifications: readonly string[]
  readonly changes: readonly {
    readonly what: string
    readonly subject: string
    readonly details?: string
    readonly reason?: string
    readonly blocked: boolean
  }[]
  readonly actions: readonly ActionFacts[]
  /** Assumed failures that nothing comes to. */
  readonly unusedFailures: readonly string[]
  readonly after: { readonly nodes: readonly NodeFacts[]; readonly resources: readonly ResourceFacts[] }
}

type Assumption = 'as now' | 'node-fail' | 'node-down' | 'node-up'
const assumptions: Readonly<Record<Assumption, string>> = {
  'as now': 'as now',
  'node-fail': 'lost (power cut)',
  'node-down': 'left cleanly',
  'node-up': 'online',
}

interface Question {
  readonly nodes: Readonly<Record<string, Assumption>>
  readonly command: string
  readonly failure: string
}

const nothing: Question = { nodes: {}, command: '', failure: '' }

function queryOf({ nodes, command, failure }: Question): Query {
  return [
    ...Object.entries(nodes).flatMap(([node, assumed]) => (assumed === 'as now' ? [] : [[assumed, node] as const])),
    ...(command.trim() === '' ? [] : [['with', command.trim().replace(/^(systole|pcs)\s+/, '')] as const]),
    ...(failure.trim() === ''
      ? []
      : [[isSeenFailing.test(failure) ? 'op-inject' : 'op-fail', failure.trim()] as const]),
  ]
}

/** A recurring monitor finds something failed now; what is done once can only fail on the way. */
const isSeenFailing = /_monitor_[1-9]\d*@/

export function WhatIf({ api, status }: { readonly api: Api; readonly status: StatusFacts }) {
  const [question, setQuestion] = useState(nothing)
  const { answer, refusal } = useSimulation(api, question, status)
  const isAsked = queryOf(question).length > 0
  return (
    <div class="page what-if">
      <form aria-labelledby="what-if-title" onSubmit={(event) => event.preventDefault()}>
        <h2 id="what-if-title">What if</h2>
        <Nodes question={question} nodes={status.nodes} onQuestion={setQuestion} />
        <label class="line">
          <span>This command was given</span>
          <input
            type="text"
            placeholder="constraint location web prefers n2=100"
            spellcheck={false}
            value={question.command}
            onInput={(event) => setQuestion({ ...question, command: event.currentTarget.value })}
          />
        </label>
        <label class="line">
          <span>
            This operation fails{' '}
            <span class="muted">
              (resource_operation_interval@node=exit code; a start on the way, or a monitor now: web_monitor_10000@n2=7)
            </span>
          </span>
          <input
            type="text"
            placeholder="web_start_0@n2=1"
            spellcheck={false}
            value={question.failure}
            onInput={(event) => setQuestion({ ...question, failure: event.currentTarget.value })}
          />
        </label>
        <div class="buttons">
          <button type="button" disabled={!isAsked} onClick={() => setQuestion(nothing)}>
            Discard
          </button>
          {question.command.trim() !== '' && refusal === undefined && (
            <a href={linkTo('change', question.command.trim())}>Apply this command …</a>
          )}
        </div>
      </form>
      {refusal !== undefined && (
        <p class="effects refusal" role="alert">
          {refusal.replace(ofOption, '')}
        </p>
      )}
      {answer !== undefined && <Result answer={answer} status={status} />}
    </div>
  )
}

function Nodes({
  question,
  nodes,
  onQuestion,
}: {
  readonly question: Question
  readonly nodes: readonly NodeFacts[]
  readonly onQuestion: (question: Question) => void
}) {
  return (
    <fieldset class="assumed">
      <legend>Nodes</legend>
      {nodes.map(({ name }) => (
        <label key={name}>
          {name}
          <select
            value={question.nodes[name] ?? 'as now'}
            onChange={(event) => {
              const chosen = event.currentTarget.value as Assumption
              onQuestion({ ...question, nodes: { ...question.nodes, [name]: chosen } })
            }}
          >
            {Object.entries(assumptions).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  )
}

/** The field is named here, not the option of the command line. */
const ofOption = /^--(?:with|op-fail|op-inject) (?:'[^']*': )?/

const pauseMs = 250

/** Asked again when the question or the cluster changes. */
function useSimulation(
  api: Api,
  question: Question,
  status: StatusFacts,
): { readonly answer?: Simulated; readonly refusal?: string } {
  const [found, setFound] = useState<{ readonly answer?: Simulated; readonly refusal?: string }>({})
  const { resources, nodes, version } = status
  useEffect(() => {
    const end = new AbortController()
    const ask = async (): Promise<void> => {
      try {
        setFound({ answer: (await api.read<Simulated>('/simulate', queryOf(question), end.signal)).result })
      } catch (error) {
        if (end.signal.aborted) return
        setFound({ refusal: error instanceof ApiProblem ? error.message : 'The answer cannot be read.' })
      }
    }
    const timer = setTimeout(() => void ask(), pauseMs)
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [api, question, resources, nodes, version])
  return found
}

function Result({ answer, status }: { readonly answer: Simulated; readonly status: StatusFacts }) {
  const { changes, actions, after } = answer
  return (
    <>
      <section aria-labelledby="would-title">
        {answer.unusedFailures.map((sentence) => (
          <p key={sentence} class="warning">
            {sentence.replace(ofOption, '')}
          </p>
        ))}
        <h2 id="would-title">{changes.length === 0 ? 'The cluster would do nothing.' : 'The cluster would'}</h2>
        <ol class="would">
          {changes.map(({ what, subject, details, reason, blocked }) => (
            <li key={`${what} ${subject} ${details ?? ''}`}>
              <strong>{what}</strong> {subject} {details}
              {reason !== undefined && <span class="muted"> {reason}</span>}
              {blocked && <span class="critical"> blocked</span>}
            </li>
          ))}
        </ol>
        <TransitionGraph actions={actions} />
      </section>
      <div class="beside">
        <Side title="Now" nodes={status.nodes} resources={status.resources} />
        <Side title="Afterwards" nodes={after.nodes} resources={after.resources} />
      </div>
    </>
  )
}

function Side({
  title,
  nodes,
  resources,
}: {
  readonly title: string
  readonly nodes: readonly NodeFacts[]
  readonly resources: readonly ResourceFacts[]
}) {
  const rows = useMemo(() => rowsOf(resources.filter((one) => !isFenceDevice(one))), [resources])
  const { columns } = useMemo(() => columnsOf(nodes), [nodes])
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Matrix
        name={`${title}: resources by node`}
        rows={rows}
        nodes={columns}
        keep={() => true}
        isSearching={false}
        selected={undefined}
      />
    </section>
  )
}
