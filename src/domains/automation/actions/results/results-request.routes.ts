import { errors } from '../../../errors.ts'
import type { FastifyRequest } from 'fastify'
import { badRequest, unauthenticated } from '../../../../core/platform/errors.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { LinkProof, SignedLinks } from '../artifacts/signed-links.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'

/** The running task whose runtime token or job token the request has. Throws Unauthenticated. */
export async function requireTask(tokens: Pick<TaskTokens, 'findTask'>, request: FastifyRequest): Promise<RunningTask> {
  const token = /^(?:bearer|token) +(\S{1,4096})$/i.exec(request.headers.authorization ?? '')?.[1]
  const task = token === undefined ? undefined : await tokens.findTask(token)
  if (task === undefined) throw unauthenticated('a token of a running task is required')
  return task
}

/**
 * The root of addresses in the answer. NOTE: runners may reach the server by another name than the configured one;
 * their jobs use the same.
 */
export function rootFor(site: Pick<Site, 'rootUrl'>, request: FastifyRequest): string {
  const root = new URL(site.rootUrl())
  if (request.host !== '' && request.host !== root.host) {
    root.host = request.host
    root.protocol = request.protocol
  }
  return root.href.replace(/\/$/, '')
}

/** Creates the signed query of a link for a target. */
export const signedQuery = (links: SignedLinks, target: string): string => {
  const { sig, expires } = links.make(target)
  return `sig=${sig}&expires=${expires}`
}

/** The decoded query. */
export const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.raw.url?.split('?', 2)[1] ?? '')

/** Throws Unauthenticated for a link that is forged, changed or expired. */
export function requireLink(links: SignedLinks, target: string, query: URLSearchParams): void {
  const proof: LinkProof = { sig: query.get('sig') ?? '', expires: Number(query.get('expires') ?? 0) }
  if (!links.isValid(target, proof)) throw errors.artifactLinkInvalid()
}

interface ContentRange {
  readonly start: number
  readonly end: number
  /** Undefined when the client does not know it. */
  readonly total: number | undefined
}

/** Throws BadRequest. */
export function requireContentRange(request: FastifyRequest): ContentRange {
  const header = request.headers['content-range'] ?? ''
  // NOTE: clients of version 3 write the range of an empty file like this.
  if (header === 'bytes 0--1/0') return { start: 0, end: -1, total: 0 }
  const [, start, end, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header) ?? []
  const range = { start: Number(start), end: Number(end), total: total === '*' ? undefined : Number(total) }
  if (total === undefined || range.end < range.start || range.end >= (range.total ?? Infinity))
    throw badRequest('[Content-Range]: bytes start-end/size')
  return range
}
