import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ResourceId } from '../../../src/base/index.ts'
import { addScores, parseXml } from '../../../src/cib/index.ts'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { md5 } from '../../../src/cli/host/md5.ts'
import { type Printed, runLine } from '../../../src/cli/start/run.ts'
import { explainResource, type Schedule, schedule } from '../../../src/scheduler/index.ts'
import { scriptedTerminal } from '../../cli/scripted-terminal.ts'

/**
 * A folder for each cause: a small CIB, and questions (`$ systole why web`) with the answers as an administrator reads them.
 * `UPDATE_GOLDEN=1 npx vitest run test/scheduler/explain` rewrites the answers; a new case begins with its questions alone.
 */
const folder = join(import.meta.dirname, '../cases/why')
const cases = readdirSync(folder).sort()

async function ask(file: string, question: string): Promise<Printed> {
  return await runLine({
    commands: allCommands,
    line: question.split(' '),
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(file),
  })
}

function questionsIn(answers: string): readonly string[] {
  return [...answers.matchAll(/^\$ systole (why .*)$/gm)].map(([, question = '']) => question)
}

describe('why, cause by cause', () => {
  test('there are more than forty causes', () => expect(cases.length).toBeGreaterThan(40))

  for (const name of cases) {
    const file = join(folder, name, 'cib.xml')
    const golden = join(folder, name, 'why.txt')
    const questions = questionsIn(readFileSync(golden, 'utf8'))

    test(name, async () => {
      expect(questions).not.toEqual([])
      const answers = await Promise.all(
        questions.map(async (question) => {
          const { standardOutput, standardError } = await ask(file, question)
          return `$ systole ${question}\n${standardOutput}${standardError}`
        }),
      )
      const text = answers.join('\n')
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, text)
      expect(text).toBe(readFileSync(golden, 'utf8'))
    })

    test(`${name}: the same as JSON`, async () => {
      for (const question of questions) {
        const plain = await ask(file, question)
        const { standardOutput, standardError, exitCode } = await ask(file, `${question} --json`)
        expect(exitCode).toBe(plain.exitCode)
        const answer: unknown = JSON.parse(standardOutput === '' ? standardError : standardOutput)
        if (plain.exitCode === 0) expect(answer).toMatchObject({ text: plain.standardOutput.trimEnd() })
      }
    })
  }
})

/** Explanations are worth nothing where they are not the whole score. Nodes that cannot be used have scores of no account. */
describe('the sources of a score add up to it', () => {
  for (const name of cases)
    test(name, () => {
      const parsed = parseXml(readFileSync(join(folder, name, 'cib.xml'), 'utf8'))
      if (!parsed.ok) throw new Error(parsed.reports.map(({ message }) => message).join())
      const now = Math.floor(scriptedTerminal().now().getTime() / 1000)
      const decision = schedule({ cib: parsed.value, now, md5, explain: true })
      const resources = decision.status.resources.map(({ id }) => explainResource(decision, id))
      for (const { id, nodes } of resources.flatMap((resource) => resource?.instances ?? []))
        for (const { node, score, unavailable, contributions } of nodes)
          if (score !== undefined && unavailable === undefined && !isBlocked(decision, id))
            expect([id, node, addScores(0, ...contributions.map((part) => part.score))]).toEqual([id, node, score])
    })
})

/** What is blocked stays where it is, whatever its score. */
function isBlocked({ assignment }: Schedule, id: ResourceId): boolean {
  return assignment.primitives.get(id)?.blocked === true
}

describe('questions that have no answer', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'systole-why-'))
  afterAll(() => rmSync(scratch, { recursive: true }))
  const file = join(scratch, 'cib.xml')
  writeFileSync(file, readFileSync(join(folder, 'location-preference', 'cib.xml'), 'utf8'))

  const refused: readonly { readonly question: string; readonly says: RegExp }[] = [
    { question: 'why wbe', says: /no resource or node 'wbe'.*Did you mean 'web'/ },
    { question: 'why --fence n9', says: /no resource or node 'n9'/ },
    { question: 'why --move wbe n2', says: /no resource 'wbe'.*Did you mean 'web'/ },
    { question: 'why --move web n9', says: /no node 'n9'/ },
    { question: 'why --move --fence web', says: /exclude each other/ },
    { question: 'why', says: /missing/ },
  ]
  for (const { question, says } of refused)
    test(question, async () => {
      const { standardError, exitCode } = await ask(file, question)
      expect(exitCode).not.toBe(0)
      expect(standardError).toMatch(says)
    })
})
