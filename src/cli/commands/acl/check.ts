/** `acl check`: what the roles of a user let that user read and change, by the rules that the daemon enforces. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Access,
  type AclPermission,
  accessTo,
  aclIsOn,
  childElement,
  childElements,
  configurationElement,
  mayRead,
  permissionsOf,
  readConfiguration,
  superusers,
  type XmlElement,
} from '../../../cib/index.ts'
import { elementPath, selectXpath } from '../../../tools/index.ts'
import { type Call, type Command, done, type Outcome, Refusal } from '../../call/command.ts'
import { expectWords } from '../../grammar/words.ts'

export const aclCheck: Command = {
  path: ['acl', 'check'],
  usage: '<user> [<xpath>]',
  summary: 'Show what a user may read and change, optionally only for the elements that an XPath selects',
  details:
    "Prints one line for each element whose permission differs from its parent's. Uses the groups that the user has on this host, and lists those that the ACLs name. The answer is the same whether access control is enabled or not.",
  flags: [],
  examples: ['systole acl check alice', 'systole acl check alice \'//primitive[@id="web"]\''],
  run: async (call) => await run(call),
}

interface Line {
  readonly path: string
  readonly may: 'write' | 'read' | 'nothing'
}

async function run(call: Call): Promise<Outcome> {
  expectWords(call.words, { atLeast: 1, atMost: 2, usage: 'acl check <user> [<xpath>]' })
  const [name = '', xpath] = call.words
  const { cib } = await call.cluster.readCib()
  // Those that the configuration does not name have no effect, and are nobody's business who reads the configuration from elsewhere.
  const named = new Set(aclGroupsIn(cib))
  const groups = (await groupsOf(name)).filter((group) => named.has(group))
  const enabled = aclIsOn(readConfiguration(cib))
  const isSuperuser = superusers.includes(name)
  const permissions = isSuperuser ? everything : (permissionsOf(cib, { name, groups }) ?? [])
  const access = accessTo(cib, permissions, (tree, path) => {
    const found = selectXpath(tree, path)
    return found.ok ? found.value : undefined
  })
  const lines =
    xpath === undefined
      ? [{ path: '/cib', may: mayOf(access, cib) }, ...changesIn(cib, access)]
      : found(cib, access, xpath)
  const facts = { user: name, groups, enabled, lines }
  const head = enabled
    ? ''
    : 'Access control is disabled: every member of the group haclient may do everything. With access control enabled:\n'
  const roleless = !isSuperuser && permissions.length === 0 ? `${name} has no permission.\n` : ''
  return done(`${head}${roleless}${lines.map(({ path, may }) => `${may.padEnd(8)}${path}\n`).join('')}`, facts)
}

const everything: readonly AclPermission[] = [{ id: '', role: '', kind: 'write', on: { by: 'element', name: 'cib' } }]

function mayOf(access: Access, element: XmlElement): Line['may'] {
  const kind = access.of(element)
  return kind === 'write' ? 'write' : mayRead(kind) ? 'read' : 'nothing'
}

/** Below an element those that differ from what encloses them. */
function changesIn(cib: XmlElement, access: Access): readonly Line[] {
  const below = (parent: XmlElement): readonly Line[] =>
    childElements(parent).flatMap((child) => {
      const may = mayOf(access, child)
      const own = may === mayOf(access, parent) ? [] : [{ path: elementPath(cib, child) ?? child.name, may }]
      return [...own, ...below(child)]
    })
  return below(cib)
}

function found(cib: XmlElement, access: Access, xpath: string): readonly Line[] {
  const selected = selectXpath(cib, xpath)
  if (!selected.ok) throw new Refusal(...selected.reports.map((report) => `${report}.`))
  if (selected.value.length === 0) throw new Refusal(`${xpath} selects nothing in the CIB.`)
  return selected.value.map((element) => ({
    path: elementPath(cib, element) ?? element.name,
    may: mayOf(access, element),
  }))
}

function aclGroupsIn(cib: XmlElement): readonly string[] {
  const section = childElement(configurationElement(cib), 'acls')
  const groups = section === undefined ? [] : childElements(section, 'acl_group')
  return groups.map(({ attributes: { id = '', name = id } }) => name)
}

/** None for a user whom this host does not know. */
async function groupsOf(user: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('id', ['-Gnz', '--', user]).catch(() => ({ stdout: '' }))
  return stdout.split('\0').filter((group) => group !== '')
}
