import { expect, test } from 'vitest'
import { agreeBySites, boothFacts, instanceOf, type RunBooth } from '../../src/cli/commands/booth/booth.ts'

/** What `booth` says to each first word; every call is kept. */
function booth(says: Readonly<Record<string, string | number>>): { readonly run: RunBooth; readonly calls: string[] } {
  const calls: string[] = []
  const run: RunBooth = (words) => {
    calls.push(words.join(' '))
    const said = says[words[0] ?? '']
    if (said === undefined) return Promise.resolve(undefined)
    return Promise.resolve(
      typeof said === 'number'
        ? { exitCode: said, standardOutput: '', standardError: 'no connection\n' }
        : { exitCode: 0, standardOutput: said, standardError: '' },
    )
  }
  return { run, calls }
}

test('booth status shows tickets, peers and the daemon, as pcs does', async () => {
  const { run, calls } = booth({ status: 'booth_state=started\n', list: 'ticket: t\n', peers: 'Site 10.0.0.1\n' })
  expect(await boothFacts(run, 'booth')).toMatchObject({
    text: 'TICKETS:\nticket: t\n\nPEERS:\nSite 10.0.0.1\n\nDAEMON STATUS:\nbooth_state=started\n\n',
  })
  expect(calls).toEqual(['status -c booth', 'list -c booth', 'peers -c booth'])
})

test('a daemon that does not run is no failure, one that does not answer is', async () => {
  const quiet = booth({ status: 7, list: '', peers: '' })
  expect(await boothFacts(quiet.run, 'booth')).toMatchObject({ kind: 'done', text: '' })
  const broken = booth({ status: 'x', list: 1, peers: '' })
  await expect(boothFacts(broken.run, 'west')).rejects.toThrow(/did not report the tickets of 'west': no connection/)
})

test('a host without the program says so', async () => {
  await expect(boothFacts(booth({}).run, 'booth')).rejects.toThrow(/not installed on this host/)
})

test('a ticket is granted by the sites, to the one that is named', async () => {
  const { run, calls } = booth({ grant: 'asked', revoke: 1 })
  const asked = { ticket: 't', site: '10.0.0.2', name: 'booth' }
  expect(await agreeBySites(run, { ...asked, verb: 'grant' })).toMatchObject({ kind: 'done' })
  expect(calls).toEqual(['grant -s 10.0.0.2 -c booth t'])
  await expect(agreeBySites(run, { ...asked, site: undefined, verb: 'revoke' })).rejects.toThrow(/no connection/)
})

test('tickets are changed by hand only where no instance of booth is set up', () => {
  expect(instanceOf(undefined, [])).toBeUndefined()
  expect(instanceOf(undefined, ['booth', 'site'])).toBe('booth')
  expect(instanceOf('site', ['booth', 'site'])).toBe('site')
  expect(() => instanceOf(undefined, ['site'])).toThrow(/no instance 'booth'.*Write --name=site\./)
  expect(() => instanceOf('sit', ['booth', 'site'])).toThrow(/sit\.conf is missing.*--name=booth or --name=site/)
  expect(() => instanceOf('site', [])).toThrow(/site\.conf is missing.*Omit --name/)
})
