/** The commands of the API are those of the command line: each has its endpoint or a reason why not, and the description is made from them. */
import { expect, test } from 'vitest'
import { allCommands } from '../../src/cli/index.ts'
import { changes, closedFlags, endpointsOf, reads, without, withoutDryRun } from '../../src/web/command-table.ts'
import { openApi } from '../../src/web/openapi.ts'

const offered = allCommands.filter(({ refuses }) => refuses === undefined)
const names = offered.map(({ path }) => path.join(' '))
const endpoints = endpointsOf(allCommands)

test('each command is read, changes something, or has a reason for its absence, and stands in one list', () => {
  const lists = [reads, changes, new Set(without.keys())]
  const places = (name: string): number => lists.filter((list) => list.has(name)).length
  expect(names.filter((name) => places(name) !== 1)).toEqual([])
  expect(lists.flatMap((list) => [...list]).filter((name) => !names.includes(name))).toEqual([])
  for (const reason of without.values()) expect(reason).toMatch(/^[A-Z].*\.$/)
})

test('a command that can show what it would cause changes something', () => {
  const previews = offered.filter(({ flags }) => flags?.some(({ name }) => name === 'preview'))
  expect(previews.map(({ path }) => path.join(' ')).filter((name) => reads.has(name))).toEqual([])
})

test('each command that changes something can show beforehand what it would cause, or says why not', () => {
  const changing = endpoints.filter(({ method }) => method === 'POST')
  const cannot = changing.filter(({ canPreview }) => !canPreview).map(({ command }) => command.path.join(' '))
  expect(cannot).toEqual([...withoutDryRun.keys()])
  for (const reason of withoutDryRun.values()) expect(reason).toMatch(/^[A-Z].*\.$/)
  // By its own option, and not only by a name in a list.
  const asked = changing.filter(({ canPreview, onlyShows }) => canPreview && !onlyShows)
  expect(asked.filter(({ command }) => !command.flags?.some(({ name }) => name === 'preview'))).toEqual([])
})

test('no option that reads or writes files of the host can be given', () => {
  const ofFiles = endpoints.flatMap(({ command, flags }) =>
    flags
      .filter(
        ({ value = '', completes, summary }) =>
          completes === 'file' || /file|folder|path/.test(value) || /standard input/.test(summary),
      )
      .map(({ name }) => `${command.path.join(' ')} --${name}`),
  )
  expect(ofFiles).toEqual([])
  expect(closedFlags.has('file')).toBe(true)
})

test('the description has every endpoint with its words, options and preview', () => {
  const { paths } = openApi(endpoints, '1.2.3') as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  }
  for (const { path, method } of endpoints)
    expect(Object.keys(paths[`/api/v1${path}`] ?? {})).toEqual([method.toLowerCase()])
  expect(paths['/api/v1/resource/create']?.post).toMatchObject({
    summary: 'Create a resource and start it where it can run',
    parameters: [{ name: 'dry-run' }, { name: 'If-Match' }],
  })
  expect(JSON.stringify(paths['/api/v1/resource/create'])).toContain('"wait":{"description":')
  expect(JSON.stringify(paths['/api/v1/stonith/fence'])).toContain('dry-run')
  expect(JSON.stringify(paths['/api/v1/cluster/token'])).not.toContain('dry-run')
  const ids = endpoints.map(({ command }) => command.path.join('_'))
  expect(new Set(ids).size).toBe(ids.length)
})
