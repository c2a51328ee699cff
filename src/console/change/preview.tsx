/** What a change would do, before it can be made: by its dry run, or for what has none by what is known beforehand. */
import { type Api, ApiProblem } from '../base/api.ts'
import { cardsOf, type RolloutsAnswer } from '../rollouts/cards.ts'
import { effectOf } from '../rollouts/effects.ts'
import { RolloutCard } from '../rollouts/rollout-card.tsx'
import { type Plan, PlanOfRollout } from '../rollouts/rollout-plan.tsx'
import type { Read } from './command-line.ts'

export interface Effects {
  readonly message?: string
  /** What it would do beside the actions, in words. */
  readonly would?: string
  /** Of a rollout. */
  readonly id?: string
  readonly actions?: readonly { readonly text: string }[]
  readonly leftStopped?: readonly { readonly resource: string; readonly causes: readonly string[] }[]
}

export type Preview =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly sentences: readonly string[] }
  | { readonly kind: 'shown'; readonly effects: Effects; readonly version: string | undefined }
  | { readonly kind: 'plan'; readonly plan: Plan; readonly isForced: boolean }
  | { readonly kind: 'rollout'; readonly sentences: readonly string[]; readonly answer: RolloutsAnswer }
  /** The command has no dry run; what is known beforehand is said in words. */
  | { readonly kind: 'none'; readonly text: string }

/** Enough is known for the button. */
export function isSeen(preview: Preview): boolean {
  if (preview.kind === 'plan') return preview.isForced || preview.plan.refusals.length === 0
  return preview.kind === 'shown' || preview.kind === 'none' || preview.kind === 'rollout'
}

type Asked = Extract<Read, { readonly kind: 'request' }>

export async function previewOf(api: Api, read: Asked): Promise<Preview> {
  const { command, body, words } = read
  try {
    if (command.name === 'rollout start') return await planOf(api, read)
    const [, word] = /^rollout (pause|resume|abort|confirm)$/.exec(command.name) ?? []
    if (word !== undefined) return await rolloutOf(api, word, words[0])
    if (command.canPreview) {
      const { result, version } = await api.act<Effects>(command.path, body, { dryRun: true })
      const why = command.name === 'stonith fence' ? await fencingOf(api, words[0] ?? '') : undefined
      return { kind: 'shown', effects: why === undefined ? result : { ...result, would: why }, version }
    }
    return { kind: 'none', text: 'This command cannot show its effect beforehand.' }
  } catch (error) {
    return refusalOf(error)
  }
}

/** How it would be done, by which devices. */
async function fencingOf(api: Api, node: string): Promise<string> {
  const query = [
    ['word', node],
    ['fence', 'true'],
  ] as const
  return (await api.read<{ readonly text: string }>('/why', query)).result.text
}

async function planOf(api: Api, { body, words }: Asked): Promise<Preview> {
  if (words.length === 0) return { kind: 'refused', sentences: ['Specify the rollout file.'] }
  const { result } = await api.act<Plan>('/rollout/plan', {
    words,
    ...(body.files !== undefined && { files: body.files }),
  })
  return { kind: 'plan', plan: result, isForced: body.flags?.force === true }
}

async function rolloutOf(api: Api, word: string, id: string | undefined): Promise<Preview> {
  const { result } = await api.read<RolloutsAnswer>('/rollout/status', id === undefined ? [] : [['word', id]])
  return { kind: 'rollout', sentences: effectOf(word, result), answer: result }
}

export const refusalOf = (error: unknown): Preview => ({
  kind: 'refused',
  sentences: error instanceof ApiProblem ? error.sentences : ['The answer cannot be read.'],
})

export function Shown({ preview }: { readonly preview: Preview }) {
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
    case 'plan':
      return <PlanOfRollout plan={preview.plan} />
    case 'rollout':
      return (
        <div class="effects" role="status">
          {preview.sentences.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {cardsOf(preview.answer).map((card) => (
            <RolloutCard key={card.id} card={card} isAsked />
          ))}
        </div>
      )
  }
}

function EffectList({ effects: { would, actions = [], leftStopped = [] } }: { readonly effects: Effects }) {
  return (
    <div class="effects" role="status">
      {would !== undefined && <pre>{would}</pre>}
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
