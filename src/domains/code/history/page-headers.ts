import type { Paging } from '../../../core/platform/paging.ts'

/**
 * COMPAT: lists of commits and of changed files have paging headers of their own, in addition to those of every list
 * (test/code/reads.test.ts).
 */
export function pageHeaders({ page, limit }: Paging, total: number): Record<string, string> {
  const pages = Math.ceil(total / limit)
  const headers = {
    'X-Total': total,
    'X-PerPage': limit,
    'X-Page': page,
    'X-PageCount': pages,
    'X-HasMore': page < pages,
  }
  return {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    'access-control-expose-headers': Object.keys(headers).join(', '),
  }
}
