import { wireTime } from '../../../core/platform/clock.ts'
import type { Paging } from '../../../core/platform/paging.ts'
import { Html, safeHtml } from '../../accounts/index.ts'

export const NOTHING = new Html('')

/** `part` unless there is nothing to show. */
export const when = <T>(value: T | undefined, part: (value: T) => Html): Html =>
  value === undefined || value === '' ? NOTHING : part(value)

/** One `li` for each item; a sentence where there are none. */
export function list<T>(items: readonly T[], item: (item: T) => Html, none: string): Html {
  if (items.length === 0) return safeHtml`<p class="note">${none}</p>`
  return safeHtml`<ul class="list">
${items.map((entry) => safeHtml`<li>${item(entry)}</li>\n`)}</ul>`
}

/** `text` is a time in RFC 3339. */
export const time = (text: string): Html => safeHtml`<time datetime="${text}">${text.replace('T', ' ')}</time>`

/** `ms` is epoch milliseconds. */
export const timeOf = (ms: number): Html => time(wireTime(ms))

/** Links to the pages of a list beside this one. */
export function pager({ page, limit }: Paging, total: number): Html {
  const last = Math.max(1, Math.ceil(total / limit))
  return last === 1 ? NOTHING : steps(Math.min(page, last + 1), page < last, `Page ${page} of ${last}`)
}

/** The same for a list whose length is not known. */
export const stepper = ({ page }: Paging, hasMore: boolean): Html =>
  page === 1 && !hasMore ? NOTHING : steps(page, hasMore, `Page ${page}`)

function steps(page: number, hasMore: boolean, where: string): Html {
  return safeHtml`<nav class="tabs" aria-label="Pages">${when(page - 1 || undefined, (to) => safeHtml`<a rel="prev" href="?page=${to}">Previous</a>`)}
<span>${where}</span>
${when(hasMore ? page + 1 : undefined, (to) => safeHtml`<a rel="next" href="?page=${to}">Next</a>`)}</nav>`
}

/** The first line of a message, as much of it as a list shows. */
export const firstLine = (message: string): string => message.slice(0, MAX_LINE).split('\n', 1)[0]!.toWellFormed()

/** A message as it is; the end of a very long one is left out. */
export const whole = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()} …` : message

const MAX_LINE = 200
const MAX_MESSAGE = 64 * 1024

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of bytes for people. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
