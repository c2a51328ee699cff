/** Evaluates the XPaths of permissions: an administrator's path may take longer than a node can stand still. */
import { parentPort } from 'node:worker_threads'
import { defined } from '../../base/index.ts'
import { childElements, type XmlElement } from '../../cib/index.ts'
import { selectXpath } from '../../tools/index.ts'
import type { Selected, ToSelect } from './select-messages.ts'

const port = defined(parentPort ?? undefined, 'the port to the main thread')

port.on('message', ({ cib, xpaths }: ToSelect) => {
  const places = new Map<XmlElement, number>()
  const number = (element: XmlElement): void => {
    places.set(element, places.size)
    for (const child of childElements(element)) number(child)
  }
  number(cib)
  const selected: Selected = xpaths.map((xpath) => {
    const found = selectXpath(cib, xpath)
    return found.ok ? found.value.flatMap((element) => places.get(element) ?? []) : undefined
  })
  port.postMessage(selected)
})
