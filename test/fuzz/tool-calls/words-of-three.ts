/** Pacemaker 3 says some things in other words than 2.1.5. Ours are those of 3. */
const exits: Readonly<Record<string, string>> = {
  ok: 'OK',
  error: 'Error occurred',
  'invalid parameter': 'Invalid parameter',
  'unimplemented feature': 'Unimplemented',
  'insufficient privileges': 'Insufficient privileges',
  'not installed': 'Not installed',
  'not configured': 'Not configured',
  'not running': 'Not running',
  promoted: 'Promoted',
  'promoted (failed)': 'Failed in promoted role',
  OCF_UNKNOWN: 'Interrupted by signal',
  unknown: 'Unknown exit status',
  degraded: 'Service is active but might fail soon',
  'promoted (degraded)': 'Service is promoted but might fail soon',
}

const outcomes: Readonly<Record<string, string>> = {
  pending: 'Pending',
  complete: 'Done',
  'Timed Out': 'Timed out',
  'NOT SUPPORTED': 'Unsupported',
}

const exit = Object.keys(exits).sort(longestFirst).map(escaped).join('|')
const outcome = Object.keys(outcomes).join('|')

function longestFirst(a: string, b: string): number {
  return b.length - a.length
}

function escaped(text: string): string {
  return text.replace(/[()]/g, String.raw`\$&`)
}

/** Where one of them stands: what comes before it, and what after. */
const places: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [new RegExp(`(\\b(?:rc_text|exitstatus|message)=")(${exit})(?=")`, 'g'), exits],
  [new RegExp(`((?:returned|on \\S+) ')(${exit})(?=')`, 'g'), exits],
  [new RegExp(`(\\b(?:rc=|returned )\\d+ \\()(${exit})(?=\\)|:)`, 'g'), exits],
  [new RegExp(`(\\b(?:status|execution_message)=["'])(${outcome})(?=["'])`, 'g'), outcomes],
  [new RegExp(`(could not be executed \\()(${outcome})(?=\\)|:)`, 'g'), outcomes],
  [new RegExp(`(\\(node=.*\\): )(${outcome})$`, 'gm'), outcomes],
]

export function inWordsOfThree(text: string): string {
  const words = places.reduce(
    (current, [place, names]) =>
      current.replace(place, (_, before: string, word: string) => `${before}${names[word] ?? word}`),
    text,
  )
  return words
    .replace(/(with an appropriate tool)$/gm, '$1.')
    .replace(/^(scope=\S+(?: id=\S+)?) +(?=name=)/gm, '$1 ')
    .replace(/^( {2}\* \S+):\s(?=(?:granted|revoked)\b)/gm, '$1\t')
}
