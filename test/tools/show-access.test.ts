/** `cibadmin --query --user USER --show-access`: what Debian's cibadmin of Pacemaker 3.0 prints for the same file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callerFiles } from '../../src/tools/file/caller-files.ts'
import { replyTo } from '../../src/tools/file/run-command.ts'
import type { ToolReply } from '../../src/tools/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-access-'))
afterAll(() => rmSync(folder, { recursive: true }))

const acls = `    <acls>
      <acl_role id="r">
        <acl_permission id="p1" kind="write" xpath="/cib"/>
        <acl_permission id="p2" kind="deny" xpath="//resources"/>
        <acl_permission id="p3" kind="read" xpath="//primitive"/>
        <acl_permission id="p4" kind="deny" xpath="//nvpair[@name='password']"/>
      </acl_role>
      <acl_target id="alice">
        <role id="r"/>
      </acl_target>
    </acls>
  </configuration>
  <status/>
`
const attributes = 'crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="5" num_updates="0" admin_epoch="0"'
const head = `  <configuration>
    <crm_config/>
    <nodes/>
`
writeFileSync(
  join(folder, 'cib.xml'),
  `<cib ${attributes}>
${head}    <resources>
      <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
        <instance_attributes id="i">
          <nvpair id="pw" name="password" value="a&gt;b"/>
        </instance_attributes>
      </primitive>
    </resources>
    <constraints/>
${acls}</cib>
`,
)

async function cibadmin(...words: readonly string[]): Promise<ToolReply> {
  const environment = { CIB_file: join(folder, 'cib.xml') }
  return await replyTo({ tool: 'cibadmin', arguments: words, files: callerFiles(environment) }, environment)
}

const space = (access: string): string =>
  ` xmlns:pcmk-access-${access}="http://clusterlabs.org/ns/pacemaker/access/${access}"`

test('in namespaces, an element is marked where something else holds than around it', async () => {
  const reply = await cibadmin('-Q', '-U', 'alice', '--show-access=namespace')
  expect(reply).toMatchObject({ exitCode: 0, errors: '' })
  expect(reply.output).toBe(`<!-- ACLs as evaluated for user alice -->
<pcmk-access-writable:cib ${attributes}${space('writable')}${space('readable')}${space('denied')}>
${head}    <pcmk-access-denied:resources>
      <pcmk-access-readable:primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
        <instance_attributes id="i">
          <pcmk-access-denied:nvpair id="pw" name="password" value="a&gt;b"/>
        </instance_attributes>
      </pcmk-access-readable:primitive>
    </pcmk-access-denied:resources>
    <constraints/>
${acls}</pcmk-access-writable:cib>
`)
})

test('as text, which is the form where none is given and nobody looks at a terminal', async () => {
  const expected = `<!-- ACLs as evaluated for user alice -->
vvv---[ WRITABLE ]---vvv
<cib ${attributes}>
${head}    
    vvv---[ ~DENIED~ ]---vvv
    <resources>
      
      vvv---[ READABLE ]---vvv
      <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
        <instance_attributes id="i">
          
          vvv---[ ~DENIED~ ]---vvv
          <nvpair id="pw" name="password" value="a&gt;b"/>
        </instance_attributes>
      </primitive>
    </resources>
    <constraints/>
${acls}</cib>
`
  expect((await cibadmin('-Q', '-U', 'alice', '--show-access=text')).output).toBe(expected)
  expect((await cibadmin('-Q', '-U', 'alice', '-S')).output).toBe(expected)
})

test('in colours every element has its own', async () => {
  const { output } = await cibadmin('-Q', '-U', 'alice', '--show-access=color')
  const lines = output.replaceAll('\u001b', '^').split('\n')
  expect(lines.slice(5, 14)).toEqual([
    '    ^[31m<resources>',
    '      ^[34m<primitive id="web" class="ocf" provider="pacemaker" type="Dummy">',
    '        ^[34m<instance_attributes id="i">',
    '          ^[31m<nvpair id="pw" name="password" value="a&gt;b"/>^[0m',
    '        ^[34m</instance_attributes>^[0m',
    '      ^[34m</primitive>^[0m',
    '    ^[31m</resources>^[0m',
    '    ^[32m<constraints/>^[0m',
    '    ^[32m<acls>',
  ])
})

test('somebody without a role may do nothing', async () => {
  const { output } = await cibadmin('-Q', '-U', 'bob', '-S')
  expect(output.match(/vvv---.*$/gm)).toEqual(['vvv---[ ~DENIED~ ]---vvv'])
})

const refusals: readonly { readonly words: string; readonly exitCode: number; readonly errors: string }[] = [
  { words: '-Q -S', exitCode: 64, errors: 'cibadmin: The supplied command requires -U user specified.\n' },
  {
    words: '-Q -U alice --show-access=loud',
    exitCode: 64,
    errors: "cibadmin: Invalid value 'loud' for option '--show-access'\n",
  },
  {
    words: '-Q -U root -S',
    exitCode: 78,
    errors: 'cibadmin: Could not evaluate access per request (root, error: Already in requested state)\n',
  },
  {
    words: '-Q -U alice -S -o resources',
    exitCode: 78,
    errors:
      'cibadmin: Could not evaluate access per request (alice, error: Update does not conform to the configured schema)\n',
  },
  { words: '-Q -U alice -S -A //nothing', exitCode: 105, errors: 'Call failed: No such device or address\n' },
]
test.each(refusals)('cibadmin $words is refused', async ({ words, exitCode, errors }) => {
  expect(await cibadmin(...words.split(' '))).toMatchObject({ exitCode, errors, output: '' })
})
