/** pcs 0.12 keeps resources and fence devices apart; its older words take each for the other, and so do our own. */
import { findResource, type XmlElement } from '../cib/index.ts'
import { type Call, Refusal } from './command.ts'

/** Of these only the first word is a resource. */
const oneResource = ['update', 'meta', 'op add', 'op delete', 'op remove']
const silent = ['manage', 'unmanage', 'clone', 'promotable', 'move', 'move-with-constraint', 'ban']
/** Of one resource. */
const single = ['clear', 'relations']
const forResources = [
  ...oneResource,
  ...silent,
  ...single,
  'relocate dry-run',
  'enable',
  'disable',
  'safe-disable',
  'delete',
  'remove',
]
const forDevices = [...oneResource, 'enable', 'disable', 'delete', 'remove']

/** Refuses, where the program is called as pcs and speaks 0.12, a command of the one for the other. */
export async function keepKindsApart(typed: readonly string[], call: Call): Promise<void> {
  const { speech, words } = call
  const [area = ''] = typed
  const verb = ['op', 'group', 'relocate'].includes(typed[1] ?? '') ? `${typed[1]} ${typed[2] ?? ''}` : (typed[1] ?? '')
  const verbs = area === 'resource' ? forResources : area === 'stonith' ? forDevices : []
  if (speech.program !== 'pcs' || speech.dialect !== '0.12' || !verbs.includes(verb)) return
  const named = oneResource.includes(verb) ? words.slice(0, 1) : words
  const { cib } = await call.cluster.readCib()
  const isWrong = area === 'resource' ? isDevice : isResource
  const wrong = named.filter((id) => isWrong(cib, id))
  if (wrong.length === 0) return
  const said = sentence(area, verb, wrong)
  throw new Refusal({ own: said, about: { code: 'said-by-pcs', errors: [said], closes: single.includes(verb) } })
}

function sentence(area: string, verb: string, wrong: readonly string[]): string {
  const [what, other] = area === 'resource' ? ['stonith resource', 'stonith'] : ['resource', 'resource']
  const advice = `Please use 'pcs ${other} ${verb}' instead.`
  if (verb === 'delete' || verb === 'remove') {
    const ids = wrong.map((id) => `'${id}'`).join(', ')
    return `This command cannot remove ${what}${wrong.length > 1 ? 's' : ''}: ${ids}. Use 'pcs ${other} remove' instead.`
  }
  if (single.includes(verb)) return `This command does not accept ${what}.`
  return `This command does not accept ${what}s.${[...silent, 'relocate dry-run'].includes(verb) ? '' : ` ${advice}`}`
}

function isDevice(cib: XmlElement, id: string): boolean {
  return findResource(cib, id)?.attributes.class === 'stonith'
}

function isResource(cib: XmlElement, id: string): boolean {
  return findResource(cib, id) !== undefined && !isDevice(cib, id)
}
