/** The search field of every page: finds as one types, by arrows and Enter as well; without any request, so from a disk, too. */
import { type Entry, type Found, searchIn } from '../found.ts'

declare global {
  var systoleSections: readonly Entry[] | undefined
}

const root = document.currentScript?.dataset.root ?? './'
const field = document.querySelector<HTMLInputElement>('#search')
const list = document.querySelector<HTMLOListElement>('#found')
const count = document.querySelector<HTMLElement>('#count')
let search: ReturnType<typeof searchIn> | undefined

function find(): void {
  if (!field || !list || !count) return
  const words = field.value.trim()
  search ??= searchIn(globalThis.systoleSections ?? [])
  const found = words === '' ? [] : search(words)
  list.replaceChildren(...found.map(item))
  list.hidden = found.length === 0
  count.textContent = words !== '' && found.length === 0 ? `Nothing found for “${words}”.` : ''
}

function item({ title, heading, address, excerpt }: Found): HTMLLIElement {
  const link = document.createElement('a')
  link.href = root + address
  const name = document.createElement('strong')
  name.textContent = heading === '' ? title : `${title}: ${heading}`
  const text = document.createElement('span')
  text.textContent = excerpt
  link.append(name, text)
  const place = document.createElement('li')
  place.append(link)
  return place
}

function step(event: KeyboardEvent): void {
  const links = [...(list?.querySelectorAll('a') ?? [])]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1] : field)?.focus()
  else if (event.key === 'Escape' && field) {
    field.value = ''
    find()
    field.focus()
  } else return
  event.preventDefault()
}

field?.addEventListener('input', find)
field?.form?.addEventListener('submit', (event) => {
  event.preventDefault()
  find()
  list?.querySelector('a')?.click()
})
field?.addEventListener('keydown', step)
list?.addEventListener('keydown', step)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  field?.focus()
})
