/** What pcs 0.11 said otherwise than 0.12: by the line that 0.12 says. */

interface Row {
  readonly now: RegExp
  readonly before: (found: RegExpExecArray) => readonly string[]
}

const eachOf = (list: string): readonly string[] => [...list.matchAll(/'([^']*)'/g)].map(([, id = '']) => id)

const rows: readonly Row[] = [
  {
    // Each resource that is not there to be deleted had a line; Ansible's modules look for its words.
    now: /^Error: Unable to find (?:stonith )?resources?: ('.*')$/,
    before: ([, list = '']) => eachOf(list).map((id) => `Error: Resource '${id}' does not exist.`),
  },
  {
    now: /^Error: Unable to find constraints or constraint rules: (.*)$/,
    before: ([, list = '']) => eachOf(list).map((id) => `Error: Unable to find constraint - '${id}'`),
  },
  {
    now: /^Error: Unable to find location constraints: '([^']*)'/,
    before: ([, id = '']) => [`Error: resource location id: ${id} not found.`],
  },
  {
    now: /^Error: Unable to find colocation constraint with source resource/,
    before: () => ['Error: No matching resources found in ordering list'],
  },
  {
    now: /^(Error: '.*' is not a valid level value, use) 1\.\.9$/,
    before: ([, said = '']) => [`${said} a positive integer`],
  },
]

export function inOlderWords(line: string): readonly string[] {
  for (const { now, before } of rows) {
    const found = now.exec(line)
    if (found) return before(found)
  }
  return line.startsWith('Hint: Syntax has changed from previous version') ? [] : [line]
}
