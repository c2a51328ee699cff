import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginWithResources, configuration, lab, nodes, otherThan, tool, version } from './lab/held.ts'

/** Drains and moves. What is left of them when somebody dies in the middle: `npm run e2e:nodes`. */
beforeAll(beginWithResources, 180_000)

afterAll(() => lab.close(), 60_000)

test('a drained node runs nothing, everybody sees by whom and why, and the configuration stays what it is', async () => {
  const [from = ''] = await lab.whereIs('web', 'n1')
  const [before, epoch] = [await configuration('n1'), await version('n1')]
  const said = await lab.systole('n1', 'node', 'drain', from, '--reason=kernel update', '--for=2h', '--wait')
  expect(said).toMatch(
    new RegExp(`^${from} is drained by root since .*: kernel update. To end it: systole node undrain`),
  )
  expect(await lab.whereIs('web', 'n2')).not.toContain(from)
  const line = new RegExp(`${from} is drained by root since .*: kernel update`)
  expect(await lab.systole('n3', 'status')).toMatch(line)
  expect(await lab.systole('n3', 'why', from)).toMatch(line)
  expect(await lab.systole('n3', 'hold', 'list')).toMatch(/drain-n\d .* until /)
  expect(await tool('n2', 'crm_mon', '-1')).toContain(`Node ${from}: standby`)
  expect(await tool('n2', 'crm_standby', '-N', from, '-G')).toContain('value=on')
  for (const unstandby of [
    ['systole', 'node', 'unstandby', from],
    ['pcs', 'node', 'unstandby', from],
    ['crm_standby', '-N', from, '-v', 'off'],
    ['crm_standby', '-N', from, '-D'],
  ])
    await expect(tool('n2', ...unstandby), unstandby.join(' ')).rejects.toMatchObject({
      cause: { stderr: expect.stringMatching(line) as unknown },
    })
  expect(await version('n2')).toBe(epoch)
  await lab.systole('n2', 'node', 'undrain', from, '--wait')
  expect(await configuration('n1')).toBe(before)
  expect(await version('n1')).toBe(epoch)
  expect(await lab.systole('n1', 'hold', 'list')).toBe('Nothing is held.\n')
})

test("an operator's own standby stays when a drain ends", async () => {
  await lab.systole('n1', 'node', 'drain', 'n3', '--wait')
  await tool('n1', 'crm_standby', '-N', 'n3', '-v', 'on')
  await lab.systole('n1', 'node', 'undrain', 'n3', '--wait')
  expect((await lab.status('n1')).nodes.find(({ name }) => name === 'n3')?.standby).toBe(true)
  await lab.systole('n1', 'node', 'unstandby', 'n3', '--wait')
  expect((await lab.status('n1')).nodes.find(({ name }) => name === 'n3')?.standby).toBe(false)
})

test('a drain that leaves a resource nowhere to run says so, and is made by force only', async () => {
  await expect(lab.systole('n1', 'node', 'drain', ...nodes)).rejects.toThrow(/web would run nowhere.*--force/)
  expect(await lab.systole('n1', 'hold', 'list')).toBe('Nothing is held.\n')
  expect(await lab.systole('n1', 'node', 'drain', 'n2', '--preview')).toContain('Preview: nothing was changed.')
})

test('a move makes no version of the configuration, and what clears moves ends one that is under way', async () => {
  const [from = ''] = await lab.whereIs('slow', 'n1')
  const to = otherThan(from)
  const [before, epoch] = [await configuration('n1'), await version('n1')]
  expect(await lab.systole('n1', 'resource', 'move', 'slow', to)).toContain(`slow runs on ${to}.`)
  expect(await configuration('n1')).toBe(before)
  const moving = lab.systole('n1', 'resource', 'move', 'slow', from)
  await lab.until('it is held', async () => (await lab.systole('n2', 'hold', 'list')).includes('slow is held on'))
  expect(await configuration('n2')).toContain('rsc_location id="hold-')
  await tool('n2', 'crm_resource', '--clear', '-r', 'slow')
  expect(await lab.systole('n2', 'hold', 'list')).toBe('Nothing is held.\n')
  // It moved before it was cleared, or says that it did not.
  await moving.catch((error: unknown) =>
    expect(error).toMatchObject({ cause: { stdout: expect.stringContaining('slow did not move to') as unknown } }),
  )
  expect(await configuration('n1')).toBe(before)
  expect(await version('n1')).toBe(epoch)
})
