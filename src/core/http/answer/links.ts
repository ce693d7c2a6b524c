import type { Paging } from '../../platform/paging.ts'

/** NOTE: the header contains the address up to four times, and clients accept 16 KB of headers. */
const MAX_ADDRESS_LENGTH = 3000

/**
 * The Link header of a list page, or undefined when there is one page only or the address is too long to be repeated:
 * `next`, `last`, `first`, `prev` in this order, query keys sorted, `limit` not added when the client sent none
 * (behaviour/auth-and-access#paging).
 */
export function linkHeader(url: URL, paging: Paging, total: number): string | undefined {
  const last = Math.max(1, Math.ceil(total / paging.limit))
  if (last === 1) return undefined
  const addressOf = pageAddresses(url)
  if (addressOf(last).length > MAX_ADDRESS_LENGTH) return undefined
  const current = Math.min(paging.page, last)
  const to = (page: number, rel: string): string => `<${addressOf(page)}>; rel="${rel}"`
  const links: string[] = []
  if (current < last) links.push(to(current + 1, 'next'), to(last, 'last'))
  if (current > 1) links.push(to(1, 'first'), to(current - 1, 'prev'))
  return links.join(',')
}

function pageAddresses({ origin, pathname, searchParams, hash }: URL): (page: number) => string {
  const params = new URLSearchParams(searchParams)
  params.set('page', '')
  params.sort()
  return (page) => {
    params.set('page', String(page))
    return `${origin}${pathname}?${params.toString().replaceAll('%7E', '~').replaceAll('*', '%2A')}${hash}`
  }
}
