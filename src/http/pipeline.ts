import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatScopes, missingScope } from '../access/scopes.ts'
import {
  decideAccountState,
  isPublicOnly,
  isRestrictedToken,
  isSiteAdmin,
  type SignedIn,
  type Viewer,
} from '../access/viewer.ts'
import { DomainError, forbidden, invalid, isDomainError, notFound, unauthenticated } from '../platform/errors.ts'
import { type PagingLimits, parsePaging } from '../platform/paging.ts'
import { INGOT_VERSION } from '../platform/version.ts'
import type { Authenticate } from '../subjects/sign-in/authenticate.ts'
import type { Users } from '../subjects/users/users.service.ts'
import type { Answer } from './answer.ts'
import { type CallerSettings, identifyCaller, type Query, sudoName, warnOfToken } from './caller.ts'
import { clientHas, notModified, weakTag } from './conditional.ts'
import { decodeJson, decodeText } from './decode.ts'
import { linkHeader } from './links.ts'
import type { Context, Operation } from './operation.ts'

export interface PipelineSettings extends CallerSettings {
  readonly requireSignIn: boolean
  readonly paging: PagingLimits
}

export interface PipelineDeps {
  readonly authenticate: Authenticate
  readonly users: Users
  readonly settings: PipelineSettings
}

export interface Admitted {
  readonly viewer: Viewer
  readonly access: unknown
}

/** A request that may go on, with the operation it is for. */
export interface Matched extends Admitted {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
}

export interface Pipeline {
  /** Everything up to the body: who calls, and may they (reference auth-and-access §1, steps 3 to 11). */
  admit(
    operation: Operation,
    params: Readonly<Record<string, string>>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Admitted>
  /** Steps 12 and 13: reads query and body by the operation's schemas and runs its handler. */
  run(matched: Matched, request: FastifyRequest, reply: FastifyReply): Promise<Answer>
}

export function createPipeline(deps: PipelineDeps): Pipeline {
  const { settings } = deps
  const identify = async (request: FastifyRequest): Promise<Viewer> => {
    const viewer = await identifyCaller(deps.authenticate, request, settings)
    if (viewer.kind === 'user') requireUsableAccount(viewer, settings.rootUrl())
    else if (settings.requireSignIn) throw turnedAway('Only signed in user is allowed to call APIs.')
    return viewer
  }
  return {
    async admit(operation, params, request, reply) {
      warnOfToken(request, reply, settings)
      const viewer = await sudo(deps.users, await identify(request), request)
      requireScope(operation, viewer)
      requireWithinRestriction(operation, viewer)
      const { guard } = operation
      const mustSignIn = guard.needsUser && viewer.kind === 'anonymous'
      if (mustSignIn && !guard.looksUpFirst) throw unauthenticated()
      const input = { viewer, params }
      const access = await guard.resolve(input)
      guard.requireOpen?.(access)
      if (mustSignIn) throw unauthenticated()
      if (guard.privacy && isPublicOnly(viewer)) {
        const refusal = guard.privacy(access)
        if (refusal !== undefined) throw forbidden(refusal)
      }
      guard.decide?.(access, input)
      return { viewer, access }
    },
    async run(matched, request, reply) {
      try {
        return await answerOf(settings, matched, request, reply)
      } catch (error) {
        if (!isDomainError(error) || error.kind === 'unavailable' || error.kind === 'conflict')
          await matched.operation.guard.recheck?.(matched.access)
        throw error
      }
    },
  }
}

async function answerOf(
  settings: PipelineSettings,
  { operation, params, viewer, access }: Matched,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const query = request.query as Query
  const paging = parsePaging(first(query['page']), first(query['limit']), settings.paging)
  const context = {
    viewer,
    access,
    params,
    query: operation.query && decodeText(operation.query, query),
    body: readBody(operation, request),
    paging,
    request,
    reply,
  }
  const handled = context as unknown as Context<never, never, never>
  const validator = await operation.validator?.(handled)
  const etag =
    validator === undefined ? undefined : weakTag(`${INGOT_VERSION} ${settings.rootUrl()} ${request.url} ${validator}`)
  if (etag !== undefined && clientHas(request, etag)) return notModified(etag)
  const answer = await operation.handler(handled)
  const tagged =
    etag === undefined || answer.status !== 200 ? answer : { ...answer, headers: { ...answer.headers, etag } }
  return tagged.total === undefined
    ? tagged
    : withPagingHeaders(tagged, new URL(settings.rootUrl() + request.url), paging)
}

/** COMPAT: these refusals hold `message` alone (reference auth-and-access §3, §10). */
const turnedAway = (message: string): DomainError => new DomainError('forbidden', message, { url: undefined })

function requireUsableAccount(viewer: SignedIn, rootUrl: string): void {
  const state = decideAccountState(viewer.account)
  if (state === 'prohibited')
    throw turnedAway('This account is prohibited from signing in, please contact your site administrator.')
  if (state === 'must-change-password')
    throw turnedAway(`You must change your password. Change it at: ${rootUrl}/user/change_password`)
}

/** `?sudo=NAME` or `Sudo: NAME`: the token's scopes stay those of the caller (reference auth-and-access §3). */
async function sudo(users: Users, viewer: Viewer, request: FastifyRequest): Promise<Viewer> {
  const name = sudoName(request)
  if (!name) return viewer
  if (viewer.kind === 'anonymous' || !isSiteAdmin(viewer)) throw turnedAway('Only administrators allowed to sudo.')
  const account = await users.findByName(name)
  if (account === undefined || account.kind !== 'individual') throw notFound('sudo: user does not exist')
  return { ...viewer, account }
}

function requireScope(operation: Operation, viewer: Viewer): void {
  if (viewer.kind === 'anonymous' || operation.scopes.length === 0) return
  const level = operation.method === 'GET' || operation.method === 'HEAD' ? 'read' : 'write'
  const missing = missingScope(viewer.scopes, level, operation.scopes)
  if (missing === undefined) return
  const required = operation.scopes.map((category) => `${level}:${category}`).join(' ')
  throw forbidden(
    `token does not have at least one of required scope(s), required=[${required}], token scope=${formatScopes(viewer.scopes).join(',')}`,
  )
}

/**
 * A token restricted to repositories changes nothing outside of them, manages no tokens and is no administrator's: else
 * it could make itself a repository or a token without the restriction. What it reads is narrowed where things are
 * looked up.
 */
function requireWithinRestriction({ method, guard }: Operation, viewer: Viewer): void {
  if (!isRestrictedToken(viewer) || guard.kind === 'repo' || guard.kind === 'anyone') return
  const reads = method === 'GET' || method === 'HEAD'
  if (reads && guard.kind !== 'site-admin' && guard.kind !== 'self-or-admin') return
  throw forbidden('this token is restricted to repositories and may do this in none of them')
}

function readBody(operation: Operation, request: FastifyRequest): unknown {
  if (operation.body === undefined || operation.bodyKind === 'stream') return undefined
  const raw = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  if (operation.bodyKind === 'text') return { text: raw }
  const header = request.headers['content-type'] ?? ''
  const type = header.toLowerCase()
  if (type.includes('json')) return decodeJson(operation.body, raw)
  if (type.includes('form-urlencoded')) return decodeText(operation.body, queryOf(raw))
  if (type.includes('multipart/form-data')) return decodeText(operation.body, multipartFields(raw, header))
  if (type !== '') throw invalid('[]: Unsupported Content-Type')
  if (operation.method === 'POST' || operation.method === 'PUT') throw invalid('[]: Empty Content-Type')
  return decodeText(operation.body, request.query as Query)
}

function queryOf(body: string): Record<string, string | string[]> {
  const form = new URLSearchParams(body)
  return Object.fromEntries([...new Set(form.keys())].map((key) => [key, form.getAll(key)]))
}

/** The text fields of a small multipart form; operations that take files read the stream themselves. */
function multipartFields(body: string, type: string): Record<string, string[]> {
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1]
  if (boundary === undefined) throw invalid('[]: multipart form without a boundary')
  const fields = new Map<string, string[]>()
  for (const part of body.split(`--${boundary}`)) {
    const [head, ...rest] = part.split('\r\n\r\n')
    const name = /[;\s]name="([^"]*)"/i.exec(head ?? '')?.[1]
    if (name !== undefined && rest.length > 0)
      fields.set(name, [...(fields.get(name) ?? []), rest.join('\r\n\r\n').replace(/\r\n$/, '')])
  }
  return Object.fromEntries(fields)
}

function withPagingHeaders(answer: Answer, url: URL, paging: Context<never, never, never>['paging']): Answer {
  const link = answer.link ? linkHeader(url, paging, answer.total!) : undefined
  const names = ['x-total-count', ...(link === undefined ? [] : ['link'])]
  const exposed = [
    answer.headers?.['access-control-expose-headers'],
    ...(link === undefined ? [] : ['Link']),
    'X-Total-Count',
  ]
    .filter(Boolean)
    .join(', ')
  const values: Record<string, string> = {
    'x-total-count': String(answer.total),
    ...(link === undefined ? {} : { link }),
  }
  return {
    ...answer,
    headers: {
      ...answer.headers,
      ...Object.fromEntries(names.map((name) => [name, values[name]!])),
      'access-control-expose-headers': exposed,
    },
  }
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
