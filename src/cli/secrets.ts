/** Words of a command line whose values must not be kept: the configuration's history shows commands to everybody. */
const secretNames = /^(--)?(passwd|password|[a-z_]*secret|token|[a-z_]*passphrase|auth)=/i

export function withoutSecrets(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const match = secretNames.exec(word)
    if (match) return `${match[0]}******`
    return words[index - 1] === '--token' ? '******' : word
  })
}
