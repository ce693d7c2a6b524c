import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Authenticate,
  type Account,
  isRestrictedToken,
  isSiteAdmin,
  type SignedIn,
  type Viewer,
  viewerId,
  formatScopes,
  type ScopeLevel,
} from '../access/viewer.ts'
import { authorizeRequester, type RequesterDecision } from '../access/authorize.ts'
import type { UserId } from '../platform/crypto/ids.ts'
import { type DomainError, engineErrors, isDomainError } from '../platform/errors.ts'
import { clientNetwork } from '../platform/http/client-network.ts'
import type { Paging, PagingLimits } from '../platform/paging.ts'
import type { RequestClient } from '../platform/request-source.ts'
import { INGOT_VERSION } from '../platform/version.ts'
import { type ApiResponse, clientHas, notModified, weakTag } from './answer/answer.ts'
import { type RequesterSettings, identifyRequester, sudoName, warnOfToken, clientOf, withSource } from './caller.ts'
import { createContext } from './context.ts'
import { recheckGuard, runGuard } from './guards/guard.ts'
import { linkHeader } from './answer/links.ts'
import { isRead } from './is-read.ts'
import type { Reauthorization, AnyContext, Operation } from './operation.ts'
import type { Authorized, RequestReads, RouteMatch } from './request-state.ts'

export interface PipelineSettings extends RequesterSettings {
  readonly requireSignIn: boolean
  readonly paging: PagingLimits
}

export interface PipelineDeps {
  readonly authenticate: Authenticate
  /** The account of a name, for callers who act as another account. */
  findAccount(name: string): Promise<Account | undefined>
  findAccountById(id: UserId): Promise<Account | undefined>
  /** Records that an administrator acts as another account, before the operation runs. */
  recordSudo(use: SudoUse): Promise<void>
  readonly settings: PipelineSettings
  /** The mapping of errors that the server uses: here it decides whether the guard runs again. */
  domainError(error: unknown): unknown
  /** Called when a request that only reads arrives. */
  beginReads(): RequestReads
  /** Throws too-many-requests if an address without credentials exceeds its rate. */
  limitAnonymous(network: string, cost: number): void
}

interface SudoUse {
  readonly requester: SignedIn
  readonly account: Account
  readonly client: RequestClient
  /** Id of the operation. */
  readonly operation: string
}

export interface Pipeline {
  /**
   * Authenticates and authorizes, before the body is read (behaviour/auth-and-access#request-pipeline, steps 3 to 11).
   */
  authorize(match: RouteMatch, request: FastifyRequest, reply: FastifyReply): Promise<Authorized>
  /** Steps 12 and 13: reads query and body by the operation's schemas and runs its handler. */
  run(authorized: Authorized, request: FastifyRequest, reply: FastifyReply): Promise<ApiResponse>
}

export function createPipeline(deps: PipelineDeps): Pipeline {
  const steps = createSteps(deps)
  return {
    async authorize(match, request, reply) {
      const { state } = request
      if (isRead(match.operation)) state.reads = deps.beginReads()
      try {
        return await reading(request, () => steps.authorize(match, request, reply))
      } catch (error) {
        state.reads?.end()
        throw error
      }
    },
    async run(authorized, request, reply) {
      try {
        return await reading(request, () => steps.run(authorized, request, reply))
      } catch (thrown) {
        const error = deps.domainError(thrown)
        if (!isDomainError(error) || error.kind === 'unavailable' || error.kind === 'conflict')
          await recheckGuard(authorized.operation.guard, authorized.access)
        throw error
      } finally {
        request.state.reads?.end()
      }
    },
  }
}

const reading = <T>({ state: { reads } }: FastifyRequest, step: () => T): T =>
  reads === undefined ? step() : reads.during(step)

function createSteps(deps: PipelineDeps): Pipeline {
  const { settings } = deps
  const reauthorizationOf = (authorized: Authorized, request: FastifyRequest): Reauthorization<unknown> =>
    createReauthorization(deps, authorized, request)
  return {
    async authorize(match, request, reply) {
      warnOfToken(request, reply, settings)
      const requester = await identifyRequester(deps.authenticate, request, settings)
      const viewer = await admitViewer(deps, { requester, match, request })
      const { operation, params } = match
      if (requester.kind === 'user' && viewer.kind === 'user' && viewer.account !== requester.account)
        await deps.recordSudo({
          requester,
          account: viewer.account,
          client: clientOf(request),
          operation: operation.id,
        })
      const acting = isRead(operation) ? viewer : withSource(viewer, requester, request)
      return {
        ...match,
        requester,
        viewer: acting,
        access: await runGuard(operation.guard, { viewer: acting, params }),
      }
    },
    async run(authorized, request, reply) {
      const { operation, viewer } = authorized
      if (operation.cost > 0 && viewer.kind === 'anonymous')
        deps.limitAnonymous(clientNetwork(request.ip), operation.cost)
      const context = await createContext(authorized, { request, reply, reauthorizationOf }, settings.paging)
      return responseOf(operation, context, { url: request.url, rootUrl: settings.rootUrl() })
    },
  }
}

interface Calling {
  readonly requester: Viewer
  readonly match: RouteMatch
  readonly request: FastifyRequest
}

/**
 * Returns the acting account: the caller or, by sudo, another account. Throws if it may not call the operation at all.
 */
async function admitViewer(deps: PipelineDeps, { requester, match: { operation }, request }: Calling): Promise<Viewer> {
  const { settings } = deps
  const decision = authorizeRequester(requester, {
    requireSignIn: settings.requireSignIn,
    scopes: operation.scopes,
    level: levelOf(operation),
  })
  requireAccount(decision, settings.rootUrl())
  // NOTE: a refused sudo comes before a missing scope (behaviour/auth-and-access#request-pipeline).
  const viewer = await sudo(deps, requester, request)
  requireScope(decision, operation, viewer)
  requireWithinRestriction(operation, viewer)
  return viewer
}

/**
 * Tokens are read again; passwords, signatures and the reverse proxy cannot be, so their account is read instead. A
 * long response reads data committed after the request arrived.
 */
function createReauthorization(
  deps: PipelineDeps,
  authorized: Authorized,
  request: FastifyRequest,
): Reauthorization<unknown> {
  request.state.reads?.end()
  const { requester, operation, params } = authorized
  const renewsCredentials = requester.kind === 'anonymous' || TOKENS.has(requester.method)
  const callAgain = async (): Promise<Viewer> => {
    if (requester.kind === 'anonymous') return requester
    if (renewsCredentials) return identifyRequester(deps.authenticate, request, deps.settings)
    const account = await deps.findAccountById(requester.account.id)
    if (account === undefined) throw engineErrors.tokenRequired()
    return { ...requester, account }
  }
  return {
    requesterId: viewerId(requester),
    renewsCredentials,
    async renew() {
      const viewer = await admitViewer(deps, { requester: await callAgain(), match: authorized, request })
      return { viewer, access: await runGuard(operation.guard, { viewer, params }) }
    },
  }
}

const TOKENS: ReadonlySet<SignedIn['method']> = new Set(['basic-token', 'header-token', 'query-token'])

async function responseOf(
  operation: Operation,
  context: AnyContext,
  { url, rootUrl }: { readonly url: string; readonly rootUrl: string },
): Promise<ApiResponse> {
  const validator = await operation.validator?.(context)
  const etag = validator === undefined ? undefined : weakTag(`${INGOT_VERSION} ${rootUrl} ${url} ${validator}`)
  if (etag !== undefined && clientHas(context.headers['if-none-match'], etag)) return notModified(etag)
  const answer = await operation.handler(context)
  const tagged =
    etag === undefined || answer.status !== 200 ? answer : { ...answer, headers: { ...answer.headers, etag } }
  return tagged.total === undefined ? tagged : withPagingHeaders(tagged, new URL(rootUrl + url), context.paging)
}

/**
 * COMPAT: these refusals contain `message` alone (behaviour/auth-and-access#sudo, behaviour/auth-and-access#refusals;
 * test/core/access/account-states.test.ts).
 */
const withoutUrl = (error: DomainError): DomainError => error.with({ url: undefined })

function requireAccount(decision: RequesterDecision, rootUrl: string): void {
  if (decision.kind === 'signIn') throw withoutUrl(engineErrors.signInRequired())
  if (decision.kind !== 'forbidden') return
  if (decision.reason === 'account-prohibited') throw withoutUrl(engineErrors.accountProhibited())
  if (decision.reason === 'password-change-required')
    throw withoutUrl(engineErrors.passwordChangeRequired(`${rootUrl}/user/change_password`))
}

/** `?sudo=NAME` or `Sudo: NAME`: the token's scopes stay those of the caller (behaviour/auth-and-access#sudo). */
async function sudo({ findAccount }: PipelineDeps, viewer: Viewer, request: FastifyRequest): Promise<Viewer> {
  const name = sudoName(request)
  if (!name) return viewer
  if (viewer.kind === 'anonymous' || !isSiteAdmin(viewer)) throw withoutUrl(engineErrors.sudoAdminRequired())
  if (isRestrictedToken(viewer)) throw withoutUrl(engineErrors.sudoTokenRestricted())
  const account = await findAccount(name)
  if (account === undefined || account.kind !== 'individual') throw engineErrors.sudoUserNotFound()
  return { ...viewer, account }
}

const levelOf = (operation: Operation): ScopeLevel => (isRead(operation) ? 'read' : 'write')

function requireScope(decision: RequesterDecision, operation: Operation, viewer: Viewer): void {
  if (decision.kind !== 'forbidden' || viewer.kind === 'anonymous') return
  const required = operation.scopes.map((category) => `${levelOf(operation)}:${category}`).join(' ')
  throw engineErrors.tokenScopeMissing(required, formatScopes(viewer.scopes).join(','))
}

/**
 * A token restricted to repositories cannot write elsewhere, manage tokens or use administrator rights; otherwise it
 * could escape the restriction. Reads are restricted by the lookups.
 */
function requireWithinRestriction(operation: Operation, viewer: Viewer): void {
  const { guard } = operation
  if (!isRestrictedToken(viewer) || guard.kind === 'repo' || guard.kind === 'anyone') return
  if (isRead(operation) && guard.kind !== 'site-admin' && guard.kind !== 'self-or-admin') return
  throw engineErrors.tokenRestricted()
}

function withPagingHeaders(answer: ApiResponse, url: URL, paging: Paging): ApiResponse {
  const link = answer.link ? linkHeader(url, paging, answer.total!) : undefined
  const exposed = [answer.headers?.['access-control-expose-headers'], link && 'Link', 'X-Total-Count']
  return {
    ...answer,
    headers: {
      ...answer.headers,
      'x-total-count': String(answer.total),
      ...(link === undefined ? {} : { link }),
      'access-control-expose-headers': exposed.filter(Boolean).join(', '),
    },
  }
}
