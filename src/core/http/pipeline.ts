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
import { admitCaller, type CallerAdmission } from '../access/admit.ts'
import type { UserId } from '../platform/crypto/ids.ts'
import { type DomainError, engineErrors, isDomainError } from '../platform/errors.ts'
import { clientNetwork } from '../platform/http/client-network.ts'
import type { Paging, PagingLimits } from '../platform/paging.ts'
import type { RequestClient } from '../platform/request-source.ts'
import { INGOT_VERSION } from '../platform/version.ts'
import { type Answer, clientHas, notModified, weakTag } from './answer/answer.ts'
import { type CallerSettings, identifyCaller, sudoName, warnOfToken, clientOf, withSource } from './caller.ts'
import { createContext } from './context.ts'
import { recheckGuard, runGuard } from './guards/guard.ts'
import { linkHeader } from './answer/links.ts'
import { isRead } from './is-read.ts'
import type { Admission, AnyContext, Operation } from './operation.ts'
import type { Admitted, RequestReads, RouteMatch } from './request-state.ts'

export interface PipelineSettings extends CallerSettings {
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
  /** As of the server: it decides here whether the guard runs again. */
  domainError(error: unknown): unknown
  /** Called when a request that only reads arrives. */
  beginReads(): RequestReads
  /** Throws too-many-requests if an address without credentials exceeds its rate. */
  limitAnonymous(network: string, cost: number): void
}

interface SudoUse {
  readonly caller: SignedIn
  readonly account: Account
  readonly client: RequestClient
  /** Id of the operation. */
  readonly operation: string
}

export interface Pipeline {
  /**
   * Authenticates and authorizes, before the body is read (behaviour/auth-and-access#request-pipeline, steps 3 to 11).
   */
  admit(match: RouteMatch, request: FastifyRequest, reply: FastifyReply): Promise<Admitted>
  /** Steps 12 and 13: reads query and body by the operation's schemas and runs its handler. */
  run(admitted: Admitted, request: FastifyRequest, reply: FastifyReply): Promise<Answer>
}

export function createPipeline(deps: PipelineDeps): Pipeline {
  const steps = createSteps(deps)
  return {
    async admit(match, request, reply) {
      const { state } = request
      if (isRead(match.operation)) state.reads = deps.beginReads()
      try {
        return await reading(request, () => steps.admit(match, request, reply))
      } catch (error) {
        state.reads?.end()
        throw error
      }
    },
    async run(admitted, request, reply) {
      try {
        return await reading(request, () => steps.run(admitted, request, reply))
      } catch (thrown) {
        const error = deps.domainError(thrown)
        if (!isDomainError(error) || error.kind === 'unavailable' || error.kind === 'conflict')
          await recheckGuard(admitted.operation.guard, admitted.access)
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
  const admissionOf = (admitted: Admitted, request: FastifyRequest): Admission<unknown> =>
    createAdmission(deps, admitted, request)
  return {
    async admit(match, request, reply) {
      warnOfToken(request, reply, settings)
      const caller = await identifyCaller(deps.authenticate, request, settings)
      const viewer = await admitViewer(deps, { caller, match, request })
      const { operation, params } = match
      if (caller.kind === 'user' && viewer.kind === 'user' && viewer.account !== caller.account)
        await deps.recordSudo({ caller, account: viewer.account, client: clientOf(request), operation: operation.id })
      const acting = isRead(operation) ? viewer : withSource(viewer, caller, request)
      return { ...match, caller, viewer: acting, access: await runGuard(operation.guard, { viewer: acting, params }) }
    },
    async run(admitted, request, reply) {
      const { operation, viewer } = admitted
      if (operation.cost > 0 && viewer.kind === 'anonymous')
        deps.limitAnonymous(clientNetwork(request.ip), operation.cost)
      const context = await createContext(admitted, { request, reply, admissionOf }, settings.paging)
      return answerOf(operation, context, { url: request.url, rootUrl: settings.rootUrl() })
    },
  }
}

interface Calling {
  readonly caller: Viewer
  readonly match: RouteMatch
  readonly request: FastifyRequest
}

/**
 * Returns the acting account: the caller or, by sudo, another account. Throws if it may not call the operation at all.
 */
async function admitViewer(deps: PipelineDeps, { caller, match: { operation }, request }: Calling): Promise<Viewer> {
  const { settings } = deps
  const admission = admitCaller(caller, {
    requireSignIn: settings.requireSignIn,
    scopes: operation.scopes,
    level: levelOf(operation),
  })
  requireAccount(admission, settings.rootUrl())
  // NOTE: a refused sudo comes before a missing scope (behaviour/auth-and-access#request-pipeline).
  const viewer = await sudo(deps, caller, request)
  requireScope(admission, operation, viewer)
  requireWithinRestriction(operation, viewer)
  return viewer
}

/**
 * Tokens are read again; passwords, signatures and the reverse proxy cannot be, so their account is read instead. A
 * long response reads data committed after the request arrived.
 */
function createAdmission(deps: PipelineDeps, admitted: Admitted, request: FastifyRequest): Admission<unknown> {
  request.state.reads?.end()
  const { caller, operation, params } = admitted
  const renewsCredentials = caller.kind === 'anonymous' || TOKENS.has(caller.method)
  const callAgain = async (): Promise<Viewer> => {
    if (caller.kind === 'anonymous') return caller
    if (renewsCredentials) return identifyCaller(deps.authenticate, request, deps.settings)
    const account = await deps.findAccountById(caller.account.id)
    if (account === undefined) throw engineErrors.tokenRequired()
    return { ...caller, account }
  }
  return {
    callerId: viewerId(caller),
    renewsCredentials,
    async renew() {
      const viewer = await admitViewer(deps, { caller: await callAgain(), match: admitted, request })
      return { viewer, access: await runGuard(operation.guard, { viewer, params }) }
    },
  }
}

const TOKENS: ReadonlySet<SignedIn['method']> = new Set(['basic-token', 'header-token', 'query-token'])

async function answerOf(
  operation: Operation,
  context: AnyContext,
  { url, rootUrl }: { readonly url: string; readonly rootUrl: string },
): Promise<Answer> {
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

function requireAccount(admission: CallerAdmission, rootUrl: string): void {
  if (admission.kind === 'signIn') throw withoutUrl(engineErrors.signInRequired())
  if (admission.kind !== 'forbidden') return
  if (admission.reason === 'account-prohibited') throw withoutUrl(engineErrors.accountProhibited())
  if (admission.reason === 'password-change-required')
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

function requireScope(admission: CallerAdmission, operation: Operation, viewer: Viewer): void {
  if (admission.kind !== 'forbidden' || viewer.kind === 'anonymous') return
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

function withPagingHeaders(answer: Answer, url: URL, paging: Paging): Answer {
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
