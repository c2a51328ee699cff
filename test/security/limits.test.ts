/** Words that are too large, or no words at all, on nodes with etcd: each is refused with a sentence, and the history stays as short as it may be. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await lab.start()
  await lab.formCluster()
}, 120_000)

afterAll(async () => await lab.close(), 60_000)

const inShell = async (node: string, line: string): Promise<string> =>
  await lab.inNode(node, 'bash', '-c', `${line} 2>&1; echo "exit $?"`)

test('the history keeps the last versions, whichever node writes them', async () => {
  await lab.systole('n1', 'property', 'set', 'config-history-max=12')
  for (let change = 0; change < 16; change++)
    await lab.systole(`n${1 + (change % 3)}`, 'property', 'set', `cluster-delay=${60 + change}s`)
  const history = JSON.parse(await lab.systole('n2', 'config', 'history', '--json')) as readonly {
    readonly version: number
  }[]
  expect(history).toHaveLength(12)
  const last = history.at(-1)?.version ?? 0
  expect(history.map(({ version }) => version)).toEqual(Array.from({ length: 12 }, (_, index) => last - 11 + index))
})

test('an expression that a thread would never be done with takes no time', async () => {
  await inShell('n1', `${lab.folder}/systole/shims/attrd_updater -n ${'a'.repeat(60)} -U 1`)
  const begun = performance.now()
  expect(await inShell('n1', `${lab.folder}/systole/shims/attrd_updater -P '^(a+)+$x' -D`)).toContain('exit 0')
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test('an attribute with a control character is refused, and status works everywhere', async () => {
  expect(await inShell('n1', `${lab.folder}/systole/shims/attrd_updater -n bad -U $'\\x01'`)).toContain(
    'holds the control character U+0001',
  )
  for (const node of ['n1', 'n2', 'n3']) expect((await lab.status(node)).quorum.quorate).toBe(true)
})

test('a value of a megabyte is refused, by the daemon that is asked', async () => {
  const socket = `head -c 1000000 /dev/zero | tr '\\0' a > /tmp/big; perl -e 'open F, "/tmp/big"; $v = <F>; socket(S,1,1,0); connect(S, pack("Sa*x",1,"/run/systole/tools.sock")); syswrite(S, join("", map {"$_\\0"} 1,"attrd_updater","","","-n","big","-U",$v)); shutdown(S,1); print while <S>'`
  expect(await inShell('n1', socket)).toContain('The value of big has 1000000 bytes. The limit is 65536.')
})
