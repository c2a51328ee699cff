/** The letters of a short secret stand in other words as well, whose gaps would tell it: of it only whole words are masked. */
export function masked(text: string, secret: string): string {
  if (secret.length >= shortSecret) return text.replaceAll(secret, mask)
  return text
    .split(/\b/)
    .map((word) => (word === secret ? mask : word))
    .join('')
}

const mask = '[secret]'
/** Characters. */
const shortSecret = 4
