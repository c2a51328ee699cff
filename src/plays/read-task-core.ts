/** Task-Core's files: services with tasks, roles with services, and hosts with roles. A task waits for what it requires, wherever that is provided. */
import { checkBySchema, didYouMean, type FieldPath, isMap, similarWords } from '../base/index.ts'
import { ansibleComponent } from './ansible.ts'
import type { Component } from './component.ts'
import type { NamedStep } from './graph.ts'
import { areSteps, type PlayGround, type PlaySource, readJobs } from './read-jobs.ts'
import type { ReadSteps } from './read-orchestration.ts'
import { inventorySchema, rolesSchema, serviceSchema } from './schemas.ts'

export interface TaskCoreSources {
  readonly services: readonly PlaySource[]
  readonly inventories: readonly PlaySource[]
  readonly roles: readonly PlaySource[]
}

export interface TaskCoreGround extends PlayGround {
  /** Nodes that have a role of the cluster, for when there is no inventory. */
  readonly nodesOfRole: (role: string) => readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

export function readTaskCore(
  sources: TaskCoreSources,
  ground: TaskCoreGround,
): ReadSteps & { readonly missing: (name: string) => string | undefined } {
  const reader = new Reader(sources, ground)
  reader.read()
  const { steps, mistakes, warnings, missing } = reader
  return { steps, mistakes, warnings, missing }
}

interface Service {
  readonly source: PlaySource
  readonly fields: Fields
  readonly nodes: string[]
}

class Reader {
  readonly steps: NamedStep[] = []
  readonly mistakes: string[] = []
  readonly warnings: string[] = []
  readonly #sources: TaskCoreSources
  readonly #ground: TaskCoreGround
  readonly #services = new Map<string, Service>()
  /** Names that services without nodes would provide. */
  readonly #idle = new Map<string, string>()

  constructor(sources: TaskCoreSources, ground: TaskCoreGround) {
    this.#sources = sources
    this.#ground = ground
  }

  readonly missing = (name: string): string | undefined => {
    const service = this.#idle.get(name)
    return service && `The service ${service} provides it, and no node has that service.`
  }

  read(): void {
    const { services, roles, inventories } = this.#sources
    for (const source of services) this.#service(source)
    for (const source of [...roles, ...inventories])
      this.#check(source, source.value, roles.includes(source) ? rolesSchema : inventorySchema)
    if (this.mistakes.length > 0) return
    this.#distribute()
    for (const [id, service] of this.#services) {
      if (service.nodes.length > 0) continue
      this.warnings.push(`${service.source.file}: The service ${id} is left out: no node has it.`)
      for (const task of listOf(service.fields.tasks))
        for (const name of textsOf(fieldsOf(task).provides)) this.#idle.set(name, id)
    }
    for (const [id, service] of this.#services) if (service.nodes.length > 0) this.#tasksOf(id, service)
    this.#neededBy()
  }

  #check(source: PlaySource, value: unknown, schema: Parameters<typeof checkBySchema>[1]): boolean {
    const wrong = checkBySchema(value, schema)
    this.mistakes.push(...wrong.map(({ path, sentence }) => `${source.placeOf(path)}: ${sentence}`))
    return wrong.length === 0
  }

  #wrong(source: PlaySource, path: FieldPath, sentence: string): void {
    this.mistakes.push(`${source.placeOf(path)}: ${sentence}`)
  }

  #service(source: PlaySource): void {
    if (!this.#check(source, source.value, serviceSchema)) return
    const fields = fieldsOf(source.value)
    const id = String(fields.id)
    const other = this.#services.get(id)
    if (other) this.#wrong(source, ['id'], `${other.source.file} has a service '${id}' as well.`)
    else this.#services.set(id, { source, fields, nodes: [] })
    const ids = listOf(fields.tasks).map((task) => String(fieldsOf(task).id))
    for (const [at, task] of ids.entries())
      if (ids.indexOf(task) < at) this.#wrong(source, ['tasks', at, 'id'], `The task '${task}' is in the list twice.`)
  }

  /** Which nodes have which services. */
  #distribute(): void {
    const { roles, inventories } = this.#sources
    const known = new Map<string, { readonly source: PlaySource; readonly services: readonly string[] }>()
    for (const source of roles)
      for (const [role, value] of Object.entries(fieldsOf(fieldsOf(source.value).roles))) {
        const services = textsOf(fieldsOf(value).services)
        known.set(role, { source, services })
        for (const [at, id] of services.entries())
          if (!this.#services.has(id))
            this.#wrong(
              source,
              ['roles', role, 'services', at],
              `There is no service '${id}'.${didYouMean(similarWords(id, [...this.#services.keys()]))}`,
            )
      }
    const give = (node: string, services: readonly string[]): void => {
      for (const id of services) {
        const nodes = this.#services.get(id)?.nodes
        if (nodes && !nodes.includes(node)) nodes.push(node)
      }
    }
    if (inventories.length === 0)
      for (const [role, { services }] of known) for (const node of this.#ground.nodesOfRole(role)) give(node, services)
    for (const source of inventories)
      for (const [node, value] of Object.entries(fieldsOf(fieldsOf(source.value).hosts))) {
        const role = String(fieldsOf(value).role)
        const of = known.get(role)
        const nodes = [...this.#ground.nodes, ...this.#ground.remotes]
        if (!nodes.includes(node))
          this.#wrong(source, ['hosts', node], `There is no node '${node}'.${didYouMean(similarWords(node, nodes))}`)
        if (of) give(node, of.services)
        else
          this.#wrong(
            source,
            ['hosts', node, 'role'],
            `There is no role '${role}' in the files.${didYouMean(similarWords(role, [...known.keys()]))}`,
          )
      }
  }

  #tasksOf(service: string, { source, fields, nodes }: Service): void {
    for (const [at, value] of listOf(fields.tasks).entries()) {
      const task = fieldsOf(value)
      const path = ['tasks', at]
      const id = `${service}-${String(task.id)}`
      const steps = this.#stepsOf(task, { id, source, path, nodes })
      const [first] = steps
      const last = steps.at(-1)
      if (first === undefined || last === undefined) continue
      const placeOfRequirement = (name: string): string => {
        const place = textsOf(task.requires).indexOf(name)
        return source.placeOf(place < 0 ? path : [...path, 'requires', place])
      }
      const requires = textsOf(task.requires)
      const chained = steps.map((step, place): NamedStep => {
        const before = steps[place - 1]
        return {
          ...step,
          provides: [stepName(step.id), ...(step === last ? textsOf(task.provides) : [])],
          requires: before === undefined ? requires : [stepName(before.id)],
          placeOfRequirement,
        }
      })
      this.steps.push(...chained)
    }
  }

  #stepsOf(
    task: Fields,
    at: {
      readonly id: string
      readonly source: PlaySource
      readonly path: FieldPath
      readonly nodes: readonly string[]
    },
  ): readonly NamedStep[] {
    const { id, source, path, nodes } = at
    const one = (components: readonly Component[], on: readonly string[]): readonly NamedStep[] => [
      { id, nodes: on, components, provides: [], requires: [], place: source.placeOf(path) },
    ]
    const needs = (field: string): boolean => {
      if (task[field] !== undefined) return true
      this.#wrong(source, path, `A task of the driver ${String(task.driver)} needs the field '${field}'.`)
      return false
    }
    this.#refuseOthersFields(task, source, path)
    switch (task.driver) {
      case 'directord': {
        if (!needs('jobs')) return []
        const read = readJobs({ id, jobs: listOf(task.jobs), path: [...path, 'jobs'], nodes, source }, this.#ground)
        if (areSteps(read)) return read
        for (const mistake of read) this.#wrong(source, mistake.path, mistake.sentence)
        return []
      }
      case 'service':
        return needs('jobs') ? one(this.#echoes(task, source, path), nodes) : []
      case 'print':
        return needs('message') ? one([said(String(task.message))], nodes) : []
      case 'local':
        return needs('command') ? one([localComponent(task)], [this.#ground.here]) : []
      case 'ansible_runner': {
        if (!needs('playbook')) return []
        return one([ansibleComponent(task, source.folder)], [this.#ground.here])
      }
      default:
        return one([], nodes)
    }
  }

  #refuseOthersFields(task: Fields, source: PlaySource, path: FieldPath): void {
    const driver = String(task.driver)
    const own = fieldsOfDriver[driver] ?? []
    for (const field of Object.keys(task))
      if (!commonFields.includes(field) && !own.includes(field))
        this.#wrong(source, [...path, field], `A task of the driver ${driver} has no field '${field}'.`)
  }

  #echoes(task: Fields, source: PlaySource, path: FieldPath): readonly Component[] {
    return listOf(task.jobs).flatMap((one, at) => {
      const { echo, ...others } = fieldsOf(one)
      if (typeof echo === 'string' && Object.keys(others).length === 0) return [said(echo)]
      this.#wrong(source, [...path, 'jobs', at], 'A job of the driver service is an echo, such as echo: done.')
      return []
    })
  }

  /** What provides one of the names waits for the task that says so. */
  #neededBy(): void {
    const added = new Map<number, string[]>()
    for (const [service, { source, fields, nodes }] of this.#services)
      for (const [at, value] of listOf(fields.tasks).entries()) {
        const task = fieldsOf(value)
        for (const [place, name] of textsOf(task['needed-by']).entries()) {
          const meant = this.steps.flatMap((step, of) => (step.provides.includes(name) ? [of] : []))
          if (meant.length === 0 && !this.#idle.has(name))
            this.#wrong(source, ['tasks', at, 'needed-by', place], `No task provides '${name}'.`)
          const last = this.steps.findLast(({ id }) => isPartOf(id, `${service}-${String(task.id)}`))
          if (nodes.length === 0 || last === undefined) continue
          for (const of of meant) added.set(of, [...(added.get(of) ?? []), stepName(last.id)])
        }
      }
    // Its first part waits.
    for (const [at, names] of added) {
      const step = this.steps[at]
      const first = this.steps.findIndex(({ id }) => step !== undefined && isPartOf(id, step.id.replace(/\.\d+$/, '')))
      const begins = this.steps[first]
      if (begins) this.steps[first] = { ...begins, requires: [...begins.requires, ...names] }
    }
  }
}

const commonFields = ['id', 'driver', 'action', 'provides', 'requires', 'needed-by']
const fieldsOfDriver: Readonly<Record<string, readonly string[]>> = {
  directord: ['jobs'],
  service: ['jobs'],
  print: ['message'],
  local: ['command', 'quiet', 'returncodes'],
  ansible_runner: ['playbook', 'inventory', 'working_dir', 'runner_options', 'global_fact_cache'],
}

const isPartOf = (id: string, task: string): boolean =>
  id === task || (id.startsWith(`${task}.`) && /^\d+$/.test(id.slice(task.length + 1)))

/** No name in a file has a space. */
const stepName = (id: string): string => `step ${id}`

const said = (text: string): Component => ({ verb: 'EXEC', label: text, options: {}, words: ['echo', text] })

function localComponent(task: Fields): Component {
  const command = String(task.command)
  return {
    verb: 'EXEC',
    label: command,
    options: {
      ...(task.quiet === true && { quiet: '' }),
      ...(Array.isArray(task.returncodes) && { returncodes: task.returncodes.join(',') }),
    },
    words: ['/bin/sh', '-c', command],
  }
}

const fieldsOf = (value: unknown): Fields => (isMap(value) ? value : {})
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textsOf = (value: unknown): readonly string[] => listOf(value).map(String)
