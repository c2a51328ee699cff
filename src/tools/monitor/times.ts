/** Moments as Pacemaker's tools print them, in the time of this host. */
const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Fri Nov 21 09:56:40 2025`, as ctime(3). */
export function ctime(seconds: number): string {
  const at = new Date(seconds * 1000)
  const day = String(at.getDate()).padStart(2, ' ')
  return `${days[at.getDay()]} ${months[at.getMonth()]} ${day} ${clock(at)} ${at.getFullYear()}`
}

/** `2025-11-21 09:56:40Z`, with the offset where the host's time has one. */
export function isoTime(seconds: number): string {
  const at = new Date(seconds * 1000)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const offset = -at.getTimezoneOffset()
  const zone =
    offset === 0
      ? 'Z'
      : ` ${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  return `${date} ${clock(at)}${zone}`
}

const clock = (at: Date): string => `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`

const two = (number: number): string => String(number).padStart(2, '0')
