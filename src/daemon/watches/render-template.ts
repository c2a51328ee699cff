/** Liquid's templates: one reads no other file, and does not run for long. */
import { Liquid } from 'liquidjs'
import type { SeenService } from './members.ts'

const longestRendered = 8 * 1024 * 1024
const renderMs = 500

export async function renderTemplate(text: string, members: readonly SeenService[]): Promise<string> {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    templates: {},
    renderLimit: renderMs,
    memoryLimit: longestRendered,
  })
  const services = Object.fromEntries(members.map((service) => [service.name, service]))
  return String(await engine.parseAndRender(text, { services }))
}
