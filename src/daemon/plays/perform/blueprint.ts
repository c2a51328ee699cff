/** Jinja, as Directord renders commands and files with it: a name that is not set is a mistake, and not an empty text. */
import { parse, Template, tokenize } from '@huggingface/jinja'
import { argumentsOf, callOurs, functionsOfJinja, isTree, nameOf, type Tree, withoutRaw } from './more-jinja.ts'

export class BlueprintError extends Error {
  override readonly name = 'BlueprintError'
}

export function render(text: string, values: Readonly<Record<string, unknown>>): string {
  // Most texts have nothing to be rendered.
  if (!text.includes('{{') && !text.includes('{%') && !text.includes('{#')) return text
  try {
    const template = new Template('')
    // As Jinja does without options: lines with blocks stay lines.
    const raw = withoutRaw(text)
    template.parsed = parse(tokenize(raw.text, {}))
    const unset = unsetNames(template.parsed, { ...values, ...raw.values })
    if (unset.length > 0)
      throw new BlueprintError(
        `${unset.length === 1 ? 'The argument' : 'The arguments'} ${unset.join(', ')} ${unset.length === 1 ? 'is' : 'are'} not set on this node.`,
      )
    callOurs(template.parsed)
    const rendered = template.render({ ...values, ...raw.values, ...functionsOfJinja })
    return text.endsWith('\n') && !rendered.endsWith('\n') ? `${rendered}\n` : rendered
  } catch (error) {
    if (error instanceof BlueprintError) throw error
    throw new BlueprintError(
      `It is not a Jinja template that can be rendered: ${error instanceof Error ? error.message : String(error)}.`,
    )
  }
}

const ofJinja = new Set([
  'true',
  'false',
  'none',
  'True',
  'False',
  'None',
  'range',
  'loop',
  'namespace',
  'dict',
  'raise_exception',
  'strftime_now',
  'caller',
])

/** Names that are read and neither set nor bound in it. One that it asks about anywhere (`is defined`, `default`) may be missing. */
function unsetNames(program: unknown, values: Readonly<Record<string, unknown>>): readonly string[] {
  const used = new Set<string>()
  const known = new Set<string>()
  visit(program, { used, known })
  return [...used].filter((name) => !known.has(name) && !ofJinja.has(name) && !Object.hasOwn(values, name))
}

interface Names {
  readonly used: Set<string>
  readonly known: Set<string>
}

function visit(tree: unknown, names: Names): void {
  if (Array.isArray(tree)) for (const one of tree) visit(one, names)
  else if (tree instanceof Map) for (const [key, value] of tree) visit([key, value], names)
  else if (isTree(tree)) visitTree(tree, names)
}

function visitTree(tree: Tree, names: Names): void {
  switch (tree.type) {
    case 'Identifier':
      names.used.add(String(tree.value))
      return
    case 'MemberExpression':
      visit(tree.object, names)
      if (tree.computed === true) visit(tree.property, names)
      return
    case 'FilterExpression':
      if (nameOf(tree.filter) === 'default' || nameOf(tree.filter) === 'd') bind(rootOf(tree.operand), names)
      visit(tree.operand, names)
      visit(argumentsOf(tree.filter), names)
      return
    case 'TestExpression':
      if (['defined', 'undefined'].includes(nameOf(tree.test))) bind(rootOf(tree.operand), names)
      visit(tree.operand, names)
      return
    case 'KeywordArgumentExpression':
      visit(tree.value, names)
      return
    // Words such as `in` and `not`: the library keeps them as it keeps names.
    case 'BinaryExpression':
      visit([tree.left, tree.right], names)
      return
    case 'UnaryExpression':
      visit(tree.argument, names)
      return
    case 'For':
      bind(tree.loopvar, names)
      break
    case 'Set':
      bind(tree.assignee, names)
      break
    case 'Macro':
      bind(tree.name, names)
      bind(tree.args, names)
      break
    default:
  }
  for (const value of Object.values(tree)) visit(value, names)
}

function bind(tree: unknown, names: Names): void {
  if (Array.isArray(tree)) for (const one of tree) bind(one, names)
  else if (isTree(tree)) {
    if (tree.type === 'Identifier') names.known.add(String(tree.value))
    else if (tree.type === 'KeywordArgumentExpression') bind(tree.key, names)
    else if (Array.isArray(tree.value)) bind(tree.value, names)
  }
}

function rootOf(tree: unknown): unknown {
  return isTree(tree) && tree.type === 'MemberExpression' ? rootOf(tree.object) : tree
}
