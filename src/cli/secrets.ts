/** Values that are not shown and not kept: the configuration's history shows commands to everybody. */
const secretWord = /^(--)?([a-z_-]*(passwd|password|secret|token|passphrase)|auth)$/i

export function isSecretName(name: string): boolean {
  return secretWord.test(name)
}

export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const at = word.indexOf('=')
    if (at > 0 && isSecretName(word.slice(0, at))) return `${word.slice(0, at)}=******`
    return words[index - 1] === '--token' ? '******' : word
  })
}
