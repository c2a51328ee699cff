/** What a machine would answer differently the next time, or another machine. */

const askings: readonly RegExp[] = [
  /\b(?:Date\.now|performance\.|Math\.random|fetch\(|process\.|console\.|globalThis|Intl\.|import\.meta|Atomics\.wait)/,
  /\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/,
  // Of now, or by the zone of the host.
  /\bnew Date(?:\(\)|\b(?!\())|(?<!new )(?<!\.)\bDate\(|\bnew Date\([^()]*,|\.get(?:Hours|Minutes|Seconds|Day|Date|Month|FullYear)\(|getTimezoneOffset/,
  // By the language of the host.
  /\.localeCompare\([^,()]*\)|\.toLocale\w*\(/,
  /\b(?:crypto|webcrypto)\.|\brandomUUID\b|\bnew (?:WebSocket|EventSource|XMLHttpRequest|Worker|BroadcastChannel)\b/,
  /\brequire\(|\beval\(|\bnew Function\b/,
]

/** The first that a file asks, comments aside, in which everything may be named. */
export function askedOfMachine(source: string): string | undefined {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '')
  return askings.flatMap((pattern) => pattern.exec(code)?.[0] ?? [])[0]
}
