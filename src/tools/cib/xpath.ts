/**
 * XPath 1.0 on a CIB, by the package `xpath`. A path that ends in an attribute finds the elements that have it, as cibadmin prints them;
 * one that finds a number or a text finds nothing to print.
 */
import xpathEngine from 'xpath'
import { failed, ok, type Result } from '../../base/index.ts'
import { childElements, type XmlElement } from '../../cib/index.ts'
import { XpathDocument, XpathNode } from './xpath-nodes.ts'

/** The elements that a path finds, in the order of the document. */
export function selectXpath(
  root: XmlElement,
  path: string,
  { onlyFromRoot = false }: { readonly onlyFromRoot?: boolean } = {},
): Result<readonly XmlElement[], string> {
  try {
    // The package's types want all of DOM; it asks for what xpath-nodes.ts has.
    const document = new XpathDocument(root)
    const found = xpathEngine.select(path, (onlyFromRoot ? besideTheTree(document) : document) as unknown as Node)
    if (!Array.isArray(found)) return failed(`The path ${path} finds no elements.`)
    const elements = (found as readonly unknown[]).flatMap((node) => (node instanceof XpathNode ? [node.source] : []))
    return ok([...new Set(elements)])
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split('\n')
    return failed(`The path ${path} is not understood: ${reason}`)
  }
}

/** For cibadmin a path that does not begin at the root begins nowhere, and finds nothing. Permissions have always been read from the root here. */
const besideTheTree = (ownerDocument: XpathDocument): object => ({
  nodeType: 1,
  nodeName: '',
  childNodes: [],
  attributes: [],
  firstChild: null,
  nextSibling: null,
  parentNode: null,
  ownerDocument,
})

/** `/cib/configuration/resources/primitive[@id='web']`. */
export function elementPath(root: XmlElement, target: XmlElement): string | undefined {
  const { id } = root.attributes
  // The root needs no id to be found.
  const own = `/${root.name}${id === undefined || root.name === 'cib' ? '' : `[@id='${id}']`}`
  if (root === target) return own
  for (const child of childElements(root)) {
    const below = elementPath(child, target)
    if (below !== undefined) return `${own}${below}`
  }
  return undefined
}
