/**
 * What older versions of Pacemaker had and nobody has any more: each by its name, with what to do instead. An error where the rest of
 * the CIB would mean something else without it; a warning where it can be passed over. What merely has another name by now is read
 * (`old-names.ts`, `old-schemas.ts`) and not reported.
 */
import { childElement, childElements, type XmlElement } from '../document.ts'
import { hasOldSchema, oldClusterOption, oldMetaAttribute } from '../old-schemas.ts'
import { descendants } from '../tree.ts'
import type { AddReport, CibFinding } from './report.ts'

export function validateObsolete(cib: XmlElement, configuration: XmlElement, add: AddReport): void {
  const schema = schemaFinding(cib)
  if (schema) add('error', configuration, schema)
  for (const found of descendants(configuration)) {
    checkElement(found, add)
    for (const attribute of Object.keys(found.attributes))
      if (isObsoleteAttribute(found, attribute))
        add('warning', found, {
          code: 'obsolete',
          what: `${attribute} of a ${found.name} no longer has a meaning`,
          advice: `and never had an effect: leave it out.`,
        })
    for (const child of childElements(found))
      if (isObsoleteElement(found, child)) add('error', child, beforeOne(`<${child.name}> in <${found.name}>`))
  }
  checkOptions(configuration, hasOldSchema(cib), add)
}

/** Why a CIB cannot be read at all, by the schema that it names; undefined where it can. */
export function unreadableSchema(cib: XmlElement): string | undefined {
  const finding = schemaFinding(cib)
  return finding && `${finding.what} ${finding.advice}`
}

type Obsolete = Extract<CibFinding, { readonly code: 'obsolete' }>

/** CIBs of Pacemaker 0.6 and of Heartbeat have another form throughout, and those of the future nobody knows. */
function schemaFinding({ attributes }: XmlElement): Obsolete | undefined {
  const schema = attributes['validate-with'] ?? ''
  if (/^(transitional-0\.6|pacemaker-0\.)/.test(schema)) return beforeOne(`validate-with="${schema}"`)
  if (!/^pacemaker-([5-9]|\d\d+)\./.test(schema)) return undefined
  return {
    code: 'obsolete',
    what: `validate-with="${schema}" is newer than what is known here`,
    advice: '(pacemaker-1.0 to pacemaker-4.x): what it says could be misread. Update Systole first.',
  }
}

function beforeOne(what: string): Obsolete {
  return {
    code: 'obsolete',
    what: `${what} is the form of Pacemaker before 1.0, which is not read:`,
    advice: 'upgrade the CIB with a Pacemaker of 1.0 to 2.0 (cibadmin --upgrade), or create it again.',
  }
}

/** `<attributes>` around nvpairs, and constraints that go `from` one resource `to` another. */
export function isObsoleteElement(parent: XmlElement, child: XmlElement): boolean {
  return child.name === 'attributes' && /_attributes$|_set$/.test(parent.name)
}

export function isObsoleteAttribute({ name }: XmlElement, attribute: string): boolean {
  return name === 'rsc_colocation' && /^score-attribute(-mangled?)?$/.test(attribute)
}

function checkElement(found: XmlElement, add: AddReport): void {
  const { id = '', class: agentClass, from } = found.attributes
  if (found.name === 'rkt')
    add('error', found, {
      code: 'obsolete',
      what: 'Containers of rkt can no longer be run:',
      advice: 'make the bundle one of podman, with the same image.',
    })
  if ((found.name === 'rsc_order' || found.name === 'rsc_colocation') && from !== undefined)
    add('error', found, beforeOne(`The attribute 'from' of ${found.name} '${id}'`))
  const replacement = agentClass === undefined ? undefined : obsoleteClasses[agentClass]
  if ((found.name === 'primitive' || found.name === 'template') && replacement !== undefined)
    add('error', found, {
      code: 'obsolete',
      what: `Agents of the class '${agentClass}' can no longer be run ('${id}'):`,
      advice: replacement,
    })
}

const obsoleteClasses: Readonly<Record<string, string>> = {
  upstart: 'use a systemd unit, or an OCF agent.',
  nagios: 'use an OCF agent that asks the service, such as ocf:systole:http.',
  heartbeat: 'use the OCF agent of the same name (ocf:heartbeat:…).',
}

/** Options that went without a successor of the same meaning. */
const obsoleteOptions: Readonly<Record<string, string>> = {
  'default-migration-threshold': 'set migration-threshold as a resource default: systole resource defaults.',
  'default-resource-failure-stickiness': 'set migration-threshold as a resource default: systole resource defaults.',
  'resource-failure-stickiness': 'set migration-threshold instead.',
  'expected-quorum-votes': 'leave it out: the list of nodes says how many votes there are.',
  'notification-agent': 'configure an alert instead.',
  'notification-recipient': 'configure an alert instead.',
  isolation: 'make it a bundle; until then the resource is best disabled.',
  'isolation-host': 'make it a bundle; until then the resource is best disabled.',
  'isolation-instance': 'make it a bundle; until then the resource is best disabled.',
  'isolation-wrapper': 'make it a bundle; until then the resource is best disabled.',
}

/** Reported here, with what to do, and so not as an unknown name. */
export function isObsoleteOption(name: string): boolean {
  const present = name.replaceAll('_', '-')
  return present in obsoleteOptions || oldClusterOption(name) !== undefined || oldMetaAttribute(name) !== undefined
}

function checkOptions(configuration: XmlElement, isOld: boolean, add: AddReport): void {
  const sections = ['crm_config', 'resources', 'rsc_defaults', 'op_defaults'].flatMap(
    (name) => childElement(configuration, name) ?? [],
  )
  for (const section of sections)
    for (const set of descendants(section)) {
      if (set.name !== 'cluster_property_set' && set.name !== 'meta_attributes') continue
      for (const pair of childElements(set, 'nvpair'))
        checkOption(pair, set.name === 'cluster_property_set', isOld, add)
    }
}

function checkOption(pair: XmlElement, isClusterOption: boolean, isOld: boolean, add: AddReport): void {
  const { name = '', value = '' } = pair.attributes
  const old = isClusterOption ? oldClusterOption(name) : oldMetaAttribute(name)
  const isRead = old !== undefined && isOld && (old.values === undefined || Object.hasOwn(old.values, value))
  if (isRead) return
  const advice = obsoleteOptions[name.replaceAll('_', '-')] ?? (old && `write ${presentPlace(old)} instead.`)
  if (advice === undefined) return
  add('warning', pair, { code: 'obsolete', what: `${name}=${value} no longer has an effect:`, advice })
}

function presentPlace({ name, section }: { readonly name: string; readonly section?: string }): string {
  if (section === 'rsc_defaults') return `${name} as a resource default (systole resource defaults)`
  return section === 'op_defaults' ? `${name} as an operation default (systole resource op defaults)` : name
}
