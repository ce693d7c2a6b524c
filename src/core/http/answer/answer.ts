import type { Readable } from 'node:stream'
import type { Page } from '../../platform/paging.ts'

/** The result of a handler: data, never a reply object. */
export interface Answer {
  readonly status: number
  /** Sent as JSON; a Buffer or stream as it is, with the content type of `headers`. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Lists: rows the caller may see, for X-Total-Count. */
  readonly total?: number
  /** Lists: send the Link header too. */
  readonly link?: boolean
}

export const ok = (body: unknown, headers?: Record<string, string>): Answer =>
  headers ? { status: 200, body, headers } : { status: 200, body }
export const created = (body: unknown): Answer => ({ status: 201, body })
export const accepted = (body: unknown): Answer => ({ status: 202, body })
export const noContent = (): Answer => ({ status: 204 })

/** 200 without a body, which `mirror-sync` alone answers (behaviour/base-interface#endpoints-of-the-base-interface). */
export const empty = (): Answer => ({ status: 200 })

export const text = (body: string, type = 'text/plain;charset=utf-8', status = 200): Answer => ({
  status,
  body: Buffer.from(body),
  headers: { 'content-type': type },
})
export const bytes = (body: Buffer | Readable, headers: Record<string, string>, status = 200): Answer => ({
  status,
  body,
  headers,
})

/** A list page: X-Total-Count, and Link unless `link` is false. */
export function listed<T>(
  page: Page<T>,
  items: readonly unknown[] = page.items,
  options: { link?: boolean } = {},
): Answer {
  return { status: 200, body: items, total: page.total, link: options.link ?? true }
}
