/** What a document is made of: elements, texts and comments, none of which changes. */

/** 1-based line and column in the text that was read. Elements made by an edit have none. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface XmlElement {
  readonly kind: 'element'
  readonly name: string
  /** In the order in which they were written. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlNode[]
  readonly place?: Place
}

export interface XmlText {
  readonly kind: 'text' | 'comment'
  readonly text: string
  /** Printed as a CDATA section: a document inside another one, which people read too. */
  readonly asCdata?: true
}

export type XmlNode = XmlElement | XmlText
