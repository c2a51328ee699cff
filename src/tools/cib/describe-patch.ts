/** A difference of two CIBs in lines, as crm_shadow --diff prints it: `+` changed, `++` new, `--` gone, `+~` moved. */
import { childElement, childElements, printXml, type XmlElement } from '../../cib/index.ts'

export function describePatch(patch: XmlElement): string {
  const version = childElement(patch, 'version')
  const lines = [
    `Diff: --- ${versionText(version, 'source')} 2`,
    // Where Pacemaker would put a digest.
    `Diff: +++ ${versionText(version, 'target')} (null)`,
    ...childElements(patch, 'change').flatMap(describeChange),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function versionText(version: XmlElement | undefined, which: 'source' | 'target'): string {
  const { admin_epoch, epoch, num_updates } = (version && childElement(version, which))?.attributes ?? {}
  return [admin_epoch, epoch, num_updates].map((part) => part ?? '0').join('.')
}

function describeChange(change: XmlElement): readonly string[] {
  const { operation, path = '', position = '' } = change.attributes
  switch (operation) {
    case 'delete':
      return [`-- ${path}`]
    case 'move':
      return [`+~ ${path} moved to offset ${position}`]
    case 'create':
      return childElements(change).flatMap((made) => created(path, made))
    default:
      return modified(path, change)
  }
}

function created(path: string, made: XmlElement): readonly string[] {
  const [first = '', ...rest] = printXml(made).trimEnd().split('\n')
  const indent = ' '.repeat(`${path}:  `.length)
  return [`++ ${path}:  ${first}`, ...rest.map((line) => `++ ${indent}${line}`)]
}

function modified(path: string, change: XmlElement): readonly string[] {
  const list = childElement(change, 'change-list')
  const attributes = (list ? childElements(list, 'change-attr') : []).map((one) => one.attributes)
  const set = attributes.filter(({ operation }) => operation === 'set')
  const unset = attributes.filter(({ operation }) => operation === 'unset')
  return [
    ...(set.length === 0 ? [] : [`+  ${path}:  ${set.map(({ name, value }) => `@${name}=${value}`).join(', ')}`]),
    ...(unset.length === 0 ? [] : [`-- ${path}:  ${unset.map(({ name }) => `@${name}`).join(', ')}`]),
  ]
}
