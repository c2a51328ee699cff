/** `crm_resource --query-xml --output-as=xml`: the state of what was asked for comes before its definition, wherever it stands. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FileWorld } from '../../src/tools/file/file-world.ts'
import { runTool } from '../../src/tools/index.ts'

const path = join(import.meta.dirname, 'cases/colocated.xml')
const stateOf = async (resource: string): Promise<string | undefined> => {
  const call = { tool: 'crm_resource', arguments: ['-r', resource, '--query-xml', '--output-as=xml'] }
  const { output } = await runTool(call, new FileWorld({ path }))
  return /<resource_config>\s*<(\w+ id="[^"]*")/.exec(output)?.[1]
}

const cases: readonly { readonly what: string; readonly asked: string; readonly shown: string }[] = [
  { what: 'a primitive', asked: 'a', shown: 'resource id="a"' },
  { what: 'a member of a group', asked: 'g1', shown: 'resource id="g1"' },
  { what: 'an instance of a unique clone', asked: 'each:2', shown: 'resource id="each:2"' },
]
for (const { what, asked, shown } of cases)
  test(`${what} has its own state`, async () => expect(await stateOf(asked)).toBe(shown))
