/**
 * Characters that come from outside and are not for a terminal: control characters, by which it is told to move, to colour, to answer or to
 * title itself (also as the one character U+009B), and the marks by which a text is shown in another order than it is read. XML
 * cannot carry the first thirty-two at all (Extensible Markup Language 1.0, section 2.2).
 */

/** Without tab and line feed, which every text has. */
const commands =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u

/**
 * For a terminal or a log, whatever the text is made of: `\u001b` stands for the character. In a string of JSON that means the
 * character, so that this may be applied to a whole text of JSON.
 */
export function printable(text: string): string {
  return text.replace(commands, (character) =>
    Array.from({ length: character.length }, (_, at) => unicodeName(character.charCodeAt(at), '\\u')).join(''),
  )
}

/** `U+0001` of the first character that a CIB, being XML, cannot hold. */
export function firstNotInXml(text: string): string | undefined {
  const found = notInXml.exec(text)
  return found === null ? undefined : unicodeName(found[0].charCodeAt(0), 'U+').toUpperCase()
}

const unicodeName = (code: number, before: string): string => before + code.toString(16).padStart(4, '0')
