import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const project = resolve(import.meta.dirname, '../..')
const systole = `${project}/bin/systole -f ${project}/test/cli/cases/start.xml`

test('a reader that has had enough ends the command without a word', () => {
  // `true` has ended before the command writes anything.
  const { stdout, stderr } = spawnSync('bash', ['-c', `${systole} cluster cib | true; echo "\${PIPESTATUS[0]}"`], {
    encoding: 'utf8',
  })
  expect({ stdout, stderr }).toEqual({ stdout: '141\n', stderr: '' })
})

test('a reader that reads to the end gets all of it', () => {
  const { stdout, status } = spawnSync('bash', ['-c', `${systole} cluster cib | tail -1; exit "\${PIPESTATUS[0]}"`], {
    encoding: 'utf8',
  })
  expect([stdout, status]).toEqual(['</cib>\n', 0])
})
