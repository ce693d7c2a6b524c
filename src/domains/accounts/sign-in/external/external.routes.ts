import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decideAccountState } from '../../../../core/access/viewer.ts'
import type { Core } from '../../../../core/module.ts'
import { clientOf } from '../../../../core/http/caller.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { safeHtml } from '../../../../core/platform/html.ts'
import { clientNetwork } from '../../../../core/platform/http/client-network.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import type { Arrival } from '../../sign-in-sources/oidc/oidc.service.ts'
import {
  destination,
  findBrowserUser,
  formCookie,
  LOGIN,
  pathTo,
  PROVIDER,
  PROVIDERS,
  queryFields,
  type SignInDeps,
} from '../web/browser.ts'
import { redirectTo, sendPage } from '../web/page.ts'
import { completeSignIn, continueSignIn, PROHIBITED } from '../web/sign-in.routes.ts'
import { openCookie, type PendingSignIn, sealCookie } from './external-cookies.ts'

export interface ExternalDeps extends SignInDeps, Pick<Core, 'log'> {}

/** Signing in at a provider: the browser goes there and comes back with a code. */
export function registerExternal(http: FastifyInstance, deps: ExternalDeps): void {
  http.get(`${PROVIDER}/:name`, async (request, reply) => showingErrors(deps, reply, () => begin(deps, request, reply)))
  http.get(`${PROVIDER}/:name/callback`, async (request, reply) =>
    showingErrors(deps, reply, () => complete(deps, request, reply)),
  )
}

/** Browsers have cookies of 4096 bytes, and sealing makes a text longer by a third. */
const MAX_ID_TOKEN = 2800

const nameOf = (request: FastifyRequest): string => (request.params as { readonly name: string }).name

/** The address at which the provider answers: one for each source, so that answers of others do not fit. */
const callbackUrl = ({ rootUrl }: SignInDeps, name: string): string =>
  `${rootUrl().replace(/\/$/, '')}${PROVIDER}/${encodeURIComponent(name)}/callback`

async function begin(deps: ExternalDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const name = nameOf(request)
  const fields = queryFields(request)
  const id = await deps.providers.idOf(name)
  const { url, pending } = await deps.providers.begin(id, callbackUrl(deps, name))
  sealCookie(deps, reply, {
    kind: 'pending',
    value: { id, pending, to: destination(deps, fields['redirect_to']), links: fields['link'] === 'true' },
  })
  return redirectTo(reply, url.href)
}

async function complete(deps: ExternalDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const name = nameOf(request)
  const begun = openCookie(deps, request, 'pending')
  deps.jar.clear(reply, 'pending')
  if (begun?.id !== (await deps.providers.idOf(name)))
    return failurePage(deps, reply, {
      status: 400,
      error: 'This sign-in was not begun in this browser, or it took too long.',
    })
  deps.rateLimit.take(clientNetwork(clientOf(request).address))
  const answer = new URL(callbackUrl(deps, name))
  answer.search = request.url.split(/\?(.*)/s)[1] ?? ''
  const recordFailure = (): void =>
    deps.records.failed({
      client: clientOf(request),
      credential: { kind: 'sign-in-source', id: begun.id },
      userId: 0,
    })
  const arrival = await deps.providers.complete(begun.id, { ...begun, answer }).catch((error: unknown) => {
    if (isDomainError(error, 'unauthenticated')) recordFailure()
    throw error
  })
  if (arrival.kind === 'refused') recordFailure()
  return arrive(deps, request, reply, { begun, arrival, name })
}

interface Arrived {
  readonly begun: PendingSignIn
  readonly arrival: Arrival
  readonly name: string
}

async function arrive(
  deps: ExternalDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { begun: { id, to }, arrival, name }: Arrived,
): Promise<FastifyReply> {
  if (arrival.kind === 'refused')
    return failurePage(deps, reply, { status: 403, error: `${name} does not let you sign in here.` })
  if (arrival.kind === 'user') {
    const { user, asksSecondStep, idToken } = arrival
    if (decideAccountState(user) === 'prohibited') return failurePage(deps, reply, PROHIBITED)
    sealCookie(deps, reply, {
      kind: 'provider',
      value: { id, idToken: idToken.length > MAX_ID_TOKEN ? '' : idToken },
      seconds: deps.sessions.lifetime,
    })
    const proof = { credential: { kind: 'sign-in-source', id } } as const
    const next = asksSecondStep ? continueSignIn : completeSignIn
    return next(deps, reply, { user, to, cookie: formCookie(deps, request, reply), proof })
  }
  const { subject, loginName } = arrival.profile
  sealCookie(deps, reply, { kind: 'link', value: { id: asId(id), subject, loginName, name } })
  if ((await findBrowserUser(deps, request)) !== undefined) return redirectTo(reply, pathTo(deps, PROVIDERS))
  const login = `${pathTo(deps, LOGIN)}?redirect_to=${encodeURIComponent(pathTo(deps, PROVIDERS))}`
  return sendPage(reply, {
    title: 'No account yet',
    status: 403,
    body: safeHtml`<p>No account of this server is linked with <strong>${loginName}</strong> at ${name}, and none can be made.</p>
<p>If you have an account here, <a href="${login}">sign in another way</a>. Then you are asked whether to link it.</p>`,
  })
}

/** Failures are shown to the user; texts of the provider are not. */
async function showingErrors(
  deps: ExternalDeps,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (isDomainError(error, 'too-many-requests'))
      return failurePage(deps, reply, { status: 429, error: 'Too many attempts. Try again later.' })
    if (isDomainError(error, 'not-found'))
      return failurePage(deps, reply, { status: 404, error: 'There is no such provider.' })
    if (isDomainError(error, 'conflict')) return failurePage(deps, reply, { status: 409, error: error.message })
    if (!isDomainError(error, 'unavailable') && !isDomainError(error, 'unauthenticated')) throw error
    deps.log.warn({ reason: error.message }, 'a sign-in at a provider failed')
    if (error.kind === 'unavailable')
      return failurePage(deps, reply, {
        status: 503,
        error: 'The provider does not answer as it should. Try again later.',
      })
    return failurePage(deps, reply, { status: 401, error: 'The provider did not sign you in.' })
  }
}

const failurePage = (
  deps: ExternalDeps,
  reply: FastifyReply,
  { status, error }: { readonly status: number; readonly error: string },
): FastifyReply =>
  sendPage(reply, {
    title: 'Not signed in',
    status,
    error,
    body: safeHtml`<p><a href="${pathTo(deps, LOGIN)}">Back to the sign-in page</a></p>`,
  })
