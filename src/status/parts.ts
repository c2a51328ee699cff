/** What a resource is made of. */
import type { Resource } from './cluster-status.ts'

/** The members of a group, the instances of a clone, what each replica of a bundle holds; nothing for a primitive. */
export function partsOf(resource: Resource): readonly Resource[] {
  switch (resource.kind) {
    case 'primitive':
      return []
    case 'group':
      return resource.members
    case 'clone':
      return resource.instances
    case 'bundle':
      return resource.replicas.flatMap(({ ip, container, remote, child }) =>
        [ip, container, remote, child].flatMap((part) => part ?? []),
      )
  }
}
