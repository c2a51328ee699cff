/** Tags, templates and roles in constraints. */
import { findResource, standIns } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import type { Message } from '../call/message.ts'

/** Which words of a command name resources; undefined: any word that is no option. */
const subjects: Readonly<Record<string, (plain: readonly string[]) => readonly (string | undefined)[]>> = {
  'constraint location': ([resource]) => [resource],
  'constraint location add': ([, resource]) => [resource],
  'constraint ticket add': (plain) => plain.slice(1).slice(-1),
  'constraint order': (plain) => plain,
  'constraint order set': (plain) => plain,
  'constraint colocation add': (plain) => plain,
  'constraint colocation set': (plain) => plain,
  'constraint ticket set': (plain) => plain,
}

/** Pacemaker lets a tag or a template stand for resources; pcs makes no such constraint, --force or not. */
export async function refuseStandIns(call: Call, name: string): Promise<void> {
  const named = subjects[name]
  if (named === undefined) return
  const plain = call.words.filter((word) => !word.includes('='))
  const { cib } = await call.cluster.readCib()
  const others = standIns(cib)
  const wrong = named(plain).flatMap((id) =>
    id !== undefined && others.has(id) && findResource(cib, id) === undefined ? [id] : [],
  )
  if (wrong.length > 0)
    throw new Refusal(
      ...[...new Set(wrong)].map(
        (id): Message => ({
          own: `'${id}' is no resource.`,
          about: { code: 'wrong-kind', id, kind: 'tag', wanted: 'resource' },
        }),
      ),
    )
}

export const exactRoles = ['Promoted', 'Started', 'Stopped', 'Unpromoted']
/** Words of older versions, which mean what they meant. */
const oldRoles = ['Master', 'Slave']

export const isExactRole = (role: string): boolean => [...exactRoles, ...oldRoles].includes(role)

/** Of rules and tickets pcs takes present words in any case. */
const isRoleInAnyCase = (role: string): boolean =>
  isExactRole(role) || exactRoles.includes(role.slice(0, 1).toUpperCase() + role.slice(1).toLowerCase())

export function refuseRoles(call: Call, name: string): void {
  const { words } = call
  const choices = name === 'constraint location' ? ['Promoted', 'Unpromoted'] : exactRoles
  const plain = words.filter((word) => !word.includes('='))
  const given = words.flatMap((word) => (word.startsWith('role=') ? [word.slice('role='.length)] : []))
  if (name === 'constraint ticket add' && plain.length === 3) given.push(plain[1] ?? '')
  const isOld = (role: string): boolean => call.speech.dialect === '0.11' && /^(master|slave)$/i.test(role)
  const isWord = name === 'constraint location' || name === 'constraint ticket add' ? isRoleInAnyCase : isExactRole
  const wrong = given.find((role) => !isWord(role) && !isOld(role))
  if (wrong !== undefined)
    throw new Refusal({
      own: `'${wrong}' is no role.`,
      about: { code: 'bad-choice', name: 'role', value: wrong, choices },
    })
}

const isScore = (text: string): boolean => /^[+-]?(INFINITY|\d+)$/.test(text)

/** A score as pcs takes it: in capital letters, and whole. Of a colocation of two the schema says so, which takes no plus. */
export function refuseScores(call: Call, name: string): void {
  const { words } = call
  const option = words.flatMap((word) => (word.startsWith('score=') ? [word.slice('score='.length)] : []))
  if (name === 'constraint colocation add') {
    if (option.some((score) => isInfinity(score) || /^\+\d/.test(score))) throw new Refusal(againstSchema)
    return
  }
  if (name === 'constraint order' && words.some((word) => /^kind=(mandatory|optional|serialize)$/.test(word)))
    throw new Refusal(againstSchema)
  const written = name === 'constraint location add' ? [...words.slice(3, 4).filter((word) => !word.includes('='))] : []
  const isByNode = name === 'constraint location' && (words[1] === 'prefers' || words[1] === 'avoids')
  const byNode = isByNode ? words.slice(2).flatMap((word) => (word.includes('=') ? [afterEquals(word)] : [])) : []
  const wrong = [...(isByNode ? byNode : option), ...written].find((score) => !isScore(score) && mightBeScore(score))
  if (wrong === undefined) return
  if (call.cluster.live === undefined && (isByNode || name === 'constraint location add'))
    call.tell({ code: 'nodes-not-validated' })
  throw new Refusal({ own: `'${wrong}' is no score.`, about: { code: 'bad-score', value: wrong } })
}

const afterEquals = (word: string): string => word.slice(word.indexOf('=') + 1)
const isInfinity = (text: string): boolean => /^[+-]?infinity$/i.test(text) && !isScore(text)
/** What the cluster would read as a score: the rest is refused elsewhere. */
const mightBeScore = (text: string): boolean => isInfinity(text) || /^[+-]?\d+\.\d*$/.test(text)
const againstSchema: Message = { own: 'The schema does not allow that.', about: { code: 'not-in-schema' } }
