/** Constraints as the rows of the deployment's table: type, first, action, then, options. */
import { type Constraint, formatScore, readConfiguration, type XmlElement } from '../../../src/cib/index.ts'
import { describeRule } from '../../../src/cli/facts/describe-rule.ts'

export function constraintRows(cib: XmlElement): readonly string[] {
  return readConfiguration(cib).constraints.map((constraint) => row(constraint).join(' '))
}

function row(constraint: Constraint): readonly string[] {
  switch (constraint.kind) {
    case 'order': {
      if (constraint.between.by === 'sets') return ['order', 'sets']
      const { first, firstAction, then: last } = constraint.between
      const options = constraint.requireAll ? `kind=${constraint.orderKind}` : 'require-all=false'
      return ['order', first, firstAction ?? '', last, options]
    }
    case 'colocation': {
      if (constraint.between.by === 'sets') return ['colocation', 'sets']
      const { dependent, primary, primaryRole } = constraint.between
      const role = primaryRole === undefined ? '' : ` with-role=${primaryRole}`
      return ['colocation', dependent, '-', primary, `score=${formatScore(constraint.score)}${role}`]
    }
    case 'location': {
      const resource = constraint.resource.by === 'id' ? constraint.resource.id : ''
      if (constraint.where.by === 'node') return ['location', resource, 'node']
      const rules = constraint.where.rules.map((rule) => `score=${formatScore(rule.score ?? 0)} ${describeRule(rule)}`)
      return ['location', resource, 'rule', '-', `resource-discovery=${constraint.discovery} ${rules.join(' ')}`]
    }
    case 'ticket':
      return ['ticket']
  }
}
