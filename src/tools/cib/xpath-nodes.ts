/**
 * A CIB as the DOM nodes that an XPath engine walks: what XPath asks of a document, an element, an attribute and a text, and nothing else.
 * Children and attributes are made when they are asked for, because most of a CIB's history never is.
 */
import type { XmlElement } from '../../cib/index.ts'

const nodeTypes = { element: 1, attribute: 2, text: 3, document: 9 } as const

export abstract class XpathNode {
  readonly namespaceURI = null
  readonly prefix = null
  abstract readonly nodeType: number
  abstract readonly nodeName: string
  /** The element that is found with it. */
  abstract readonly source: XmlElement
  readonly parentNode: XpathNode | undefined
  /** Its place among the children of its parent. */
  readonly index: number
  readonly #document: XpathDocument | undefined
  #children: readonly XpathNode[] | undefined

  constructor(place: { readonly parent?: XpathNode; readonly index: number; readonly document?: XpathDocument }) {
    this.parentNode = place.parent
    this.index = place.index
    this.#document = place.document
  }

  protected abstract makeChildren(): readonly XpathNode[]

  get ownerDocument(): XpathDocument | undefined {
    return this.#document
  }

  get localName(): string {
    return this.nodeName
  }

  get childNodes(): readonly XpathNode[] {
    this.#children ??= this.makeChildren()
    return this.#children
  }

  get firstChild(): XpathNode | null {
    return this.childNodes[0] ?? null
  }

  get lastChild(): XpathNode | null {
    return this.childNodes.at(-1) ?? null
  }

  get nextSibling(): XpathNode | null {
    return this.parentNode?.childNodes[this.index + 1] ?? null
  }

  get previousSibling(): XpathNode | null {
    return this.index === 0 ? null : (this.parentNode?.childNodes[this.index - 1] ?? null)
  }

  /** DOM's 2 and 4: the other one comes before, or after. */
  compareDocumentPosition(other: XpathNode): number {
    const [own, others] = [this.way(), other.way()]
    const at = own.findIndex((step, depth) => step !== others[depth])
    return at === -1 || (own[at] ?? 0) < (others[at] ?? -1) ? 4 : 2
  }

  /** Places from the root down. */
  way(): readonly number[] {
    return [...(this.parentNode?.way() ?? []), this.index]
  }
}

export class XpathDocument extends XpathNode {
  readonly nodeType = nodeTypes.document
  readonly nodeName = '#document'
  readonly source: XmlElement

  constructor(root: XmlElement) {
    super({ index: 0 })
    this.source = root
  }

  get documentElement(): XpathNode | null {
    return this.firstChild
  }

  protected makeChildren(): readonly XpathNode[] {
    return [new XpathElement(this.source, { parent: this, index: 0, document: this })]
  }
}

interface Place {
  readonly parent: XpathNode
  readonly index: number
  readonly document: XpathDocument
}

class XpathElement extends XpathNode {
  readonly nodeType = nodeTypes.element
  readonly source: XmlElement
  readonly #place: Place
  #attributes: AttributeList | undefined

  constructor(source: XmlElement, place: Place) {
    super(place)
    this.source = source
    this.#place = place
  }

  get nodeName(): string {
    return this.source.name
  }

  get attributes(): AttributeList {
    const { document } = this.#place
    this.#attributes ??= AttributeList.from(
      Object.entries(this.source.attributes),
      ([name, value], index) => new XpathAttribute({ name, value, owner: this, index, document }),
    ) as AttributeList
    return this.#attributes
  }

  protected makeChildren(): readonly XpathNode[] {
    const { document } = this.#place
    return this.source.children
      .filter(({ kind }) => kind !== 'comment')
      .map((child, index) =>
        child.kind === 'element'
          ? new XpathElement(child, { parent: this, index, document })
          : new XpathText(child.text, this, { parent: this, index, document }),
      )
  }
}

/** By number, and by the method that DOM has for it. */
class AttributeList extends Array<XpathAttribute> {
  item(index: number): XpathAttribute | null {
    return this[index] ?? null
  }
}

class XpathAttribute extends XpathNode {
  readonly nodeType = nodeTypes.attribute
  readonly nodeName: string
  readonly nodeValue: string
  readonly ownerElement: XpathElement

  constructor(given: {
    readonly name: string
    readonly value: string
    readonly owner: XpathElement
    readonly index: number
    readonly document: XpathDocument
  }) {
    super({ index: given.index, document: given.document })
    this.nodeName = given.name
    this.nodeValue = given.value
    this.ownerElement = given.owner
  }

  get value(): string {
    return this.nodeValue
  }

  /** Before the children of its element. */
  override way(): readonly number[] {
    return [...this.ownerElement.way(), -1, this.index]
  }

  get source(): XmlElement {
    return this.ownerElement.source
  }

  protected makeChildren(): readonly XpathNode[] {
    return []
  }
}

class XpathText extends XpathNode {
  readonly nodeType = nodeTypes.text
  readonly nodeName = '#text'
  readonly nodeValue: string
  readonly #owner: XpathElement

  constructor(text: string, owner: XpathElement, place: Place) {
    super(place)
    this.nodeValue = text
    this.#owner = owner
  }

  get data(): string {
    return this.nodeValue
  }

  get source(): XmlElement {
    return this.#owner.source
  }

  protected makeChildren(): readonly XpathNode[] {
    return []
  }
}
