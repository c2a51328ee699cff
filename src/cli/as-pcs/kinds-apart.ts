/** pcs 0.12 keeps resources and fence devices apart; its older words take each for the other, and so do our own. */
import { findResource, type XmlElement } from '../../cib/index.ts'
import { type Call, Refusal } from '../call/command.ts'
import { refuseTwice } from './calls.ts'
import { judgesAsPcs } from './speech.ts'

/** Of these only the first word is a resource. */
const oneResource = ['update', 'meta', 'op add', 'op delete', 'op remove']
const silent = ['manage', 'unmanage', 'clone', 'promotable', 'move', 'ban']
/** Of one resource. */
const single = ['clear', 'relations', 'move-with-constraint']
const plainly = ['utilization', 'relocate dry-run']
const forResources = [
  ...oneResource,
  ...silent,
  ...single,
  ...plainly,
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
  if (!judgesAsPcs(speech) || !verbs.includes(verb)) return
  const named = oneResource.includes(verb) || verb === 'utilization' ? words.slice(0, 1) : words
  const { cib } = await call.cluster.readCib()
  const isWrong = area === 'resource' ? isDevice : isResource
  const wrong = named.filter((id) => isWrong(cib, id))
  if (verb === 'delete' || verb === 'remove') refuseTwice(call)
  if (wrong.length === 0) return
  if (speech.dialect === '0.11') {
    const old = oldAdvice(area, verb)
    if (old !== undefined) call.tell({ code: 'deprecated', text: old, long: true })
    if (area === 'resource' && (verb === 'clone' || verb === 'promotable')) refuseCloneOfDevice(call, wrong[0] ?? '')
    return
  }
  const said = sentence(area, verb, wrong)
  throw new Refusal({ own: said, about: { code: 'said-by-pcs', errors: [said], closes: single.includes(verb) } })
}

function refuseCloneOfDevice(call: Call, id: string): void {
  const said = `No need to clone stonith resource '${id}', any node can use a stonith resource (unless specifically banned) regardless of whether the stonith resource is running on that node or not`
  if (call.flags.has('force')) call.tell({ code: 'forced', messages: [said] })
  else throw new Refusal(`${said}, use --force to override`)
}

/** pcs 0.11 does it, and says that it will not for ever. */
function oldAdvice(area: string, verb: string): string | undefined {
  if (['delete', 'remove', ...single].includes(verb)) return undefined
  const [what, other] = area === 'resource' ? ['stonith resources', 'stonith'] : ['resources', 'resource']
  const isSilent = [...silent, ...plainly].includes(verb)
  return `Ability of this command to accept ${what} is deprecated and will be removed in a future release.${isSilent ? '' : ` Please use 'pcs ${other} ${verb.replace('remove', 'delete')}' instead.`}`
}

function sentence(area: string, verb: string, wrong: readonly string[]): string {
  const [what, other] = area === 'resource' ? ['stonith resource', 'stonith'] : ['resource', 'resource']
  const advice = `Please use 'pcs ${other} ${verb}' instead.`
  if (verb === 'delete' || verb === 'remove') {
    const ids = [...wrong]
      .sort()
      .map((id) => `'${id}'`)
      .join(', ')
    return `This command cannot remove ${what}${wrong.length > 1 ? 's' : ''}: ${ids}. Use 'pcs ${other} remove' instead.`
  }
  if (single.includes(verb)) return `This command does not accept ${what}.`
  return `This command does not accept ${what}s.${[...silent, ...plainly].includes(verb) ? '' : ` ${advice.replace('op remove', 'op delete')}`}`
}

function isDevice(cib: XmlElement, id: string): boolean {
  return findResource(cib, id)?.attributes.class === 'stonith'
}

function isResource(cib: XmlElement, id: string): boolean {
  return findResource(cib, id) !== undefined && !isDevice(cib, id)
}
