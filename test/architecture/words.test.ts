import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { inProse, inShell, inSource, literalsOf, unreleased } from './words.ts'

const top = resolve(import.meta.dirname, '../..')

/** Texts that Pacemaker or pcs defines, generated pages, records of the past, and the guide itself with its examples. */
const otherHands =
  /^src\/(tools\/(cib\/cluster-options|time)|cli\/(as-pcs|pcs-words|pcs-form)|cib\/options|status\/print)|^docs\/(adr|reference)\/|^docs\/(deeds|pcs|conformance|benchmarks|benchmarks-scheduler|style-of-words)\.md$/

const below = (folder: string, end: string): readonly string[] =>
  readdirSync(join(top, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`)

const pages = [...below('docs', '.md'), 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']
const scripts = ['agents/lib', 'agents/fence', 'agents/ocf/systole', 'packaging/debian'].flatMap((folder) =>
  readdirSync(join(top, folder)).map((name) => `${folder}/${name}`),
)

function findingsOf(file: string, text: string): ReturnType<typeof inProse> {
  if (file === 'CHANGELOG.md') return inProse(unreleased(text))
  if (/\.(?:tsx?|mjs)$/.test(file)) return inSource(text)
  return file.endsWith('.md') ? inProse(text) : inShell(text)
}

const found = [...below('src', '.ts'), ...below('src/console', '.tsx'), ...scripts, ...pages, 'CHANGELOG.md']
  .filter((file) => !otherHands.test(file))
  .flatMap((file) => {
    const findings = findingsOf(file, readFileSync(join(top, file), 'utf8'))
    return findings.map(({ line, words, instead }) => `${file}:${line}: '${words}': ${instead}`)
  })

test('text for people is plain English (docs/style-of-words.md)', () => {
  expect(found).toEqual([])
})

test('each pattern is found in a literal and in prose, and good sentences pass', () => {
  const bad = [
    'What was edited is in place.',
    'The daemon tells the state.',
    "'x' is no token.",
    'It stays, as that is so already.',
    'The node shall leave.',
    'Then mend the device.',
    'It starts the resource anew.',
    'Nothing had to be changed.',
    'Then give your word for it.',
    'For pcs’s sake it is taken.',
    'The time-out is too short.',
    'It was changed by somebody else.',
    'The token is not valid any more.',
    'Certificates are accepted no more.',
    'The file shows what came of it.',
    'At most so many operations are shown.',
    'The output is printed as it comes.',
    'It is shown to whoever asks.',
  ]
  for (const text of bad) {
    expect(inSource(`say("${text}")`), text).toHaveLength(1)
    expect(inProse(`> ${text}`), text).toHaveLength(1)
  }
  expect(inShell('# it is no text\nreason "port $1 is no number"\n')).toHaveLength(1)
  const good = [
    'There is no node n1.',
    'What is lost? Nothing.',
    'It is no longer a member.',
    'Nothing to change: …',
    'No more than 3.',
  ]
  for (const text of good) expect([...inSource(`say("${text}")`), ...inProse(text)], text).toEqual([])
})

test('literals are read out of code with templates, patterns and comments', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a program
  const code = "const a = /'/.test(b) ? `x ${f({ c: 'in it' })} y` : 'd\\'e' // it's\nfoo(1 / 2, \"last\") /* don't */"
  expect(literalsOf(code).map(({ text }) => text)).toEqual(['in it', 'x _ y', "d\\'e", 'last'])
})
