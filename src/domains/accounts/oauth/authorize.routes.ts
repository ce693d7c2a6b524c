import { safeHtml } from '../../../core/platform/html.ts'
import type { Core } from '../../../core/module.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Fields } from '../sign-in/web/form.ts'
import {
  type PageDeps,
  type BrowserUser,
  findBrowserUser,
  formField,
  pathTo,
  queryFields,
  readOwnForm,
  redirectToSignIn,
  refuseForm,
  sessionActor,
  tokenField,
} from '../sign-in/web/browser.ts'
import { redirectTo, sendPage } from '../sign-in/web/page.ts'
import { type AuthorizationRequest, OauthError } from './authorize.ts'
import type { OauthApplication } from './applications/oauth-application.store.ts'
import { describeGrant } from './oauth.policy.ts'
import type { OauthProvider } from './provider.service.ts'

const AUTHORIZE = '/login/oauth/authorize'
const GRANT = '/login/oauth/grant'
/** How long the consent form is valid. */
const QUESTION_MS = 3_600_000

interface AuthorizeDeps extends Pick<Core, 'secrets' | 'clock'>, PageDeps {
  readonly provider: OauthProvider
}

/** The authorization endpoint and the consent form (behaviour/auth-and-access#oauth2-and-openid-connect-provider). */
export function registerAuthorize(http: FastifyInstance, deps: AuthorizeDeps): void {
  http.get(AUTHORIZE, async (request, reply) => {
    const visitor = await findBrowserUser(deps, request)
    if (visitor === undefined) return redirectToSignIn(deps, request, reply)
    const authorization = readRequest(queryFields(request))
    return showingErrors(reply, async () => {
      const step = await deps.provider.begin(visitor.user.id, authorization)
      return step.kind === 'redirect'
        ? redirectTo(reply, step.to)
        : question(deps, reply, { visitor, authorization, application: step.application })
    })
  })
  http.post(GRANT, async (request, reply) => answer(deps, request, reply))
}

function readRequest(fields: Fields): AuthorizationRequest {
  return {
    clientId: fields['client_id'] ?? '',
    redirectUri: fields['redirect_uri'] ?? '',
    responseType: fields['response_type'] ?? '',
    state: fields['state'] ?? '',
    scope: (fields['scope'] ?? '').split(/\s+/).filter(Boolean).join(' '),
    nonce: fields['nonce'] ?? '',
    challenge: fields['code_challenge'] ?? '',
    challengeMethod: fields['code_challenge_method'] ?? '',
  }
}

/** Shows errors to the user instead of the client as long as the redirect address is not verified. */
async function showingErrors(
  reply: FastifyReply,
  work: () => Promise<FastifyReply> | FastifyReply,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OauthError)) throw error
    return sendPage(reply, {
      title: 'This request cannot be served',
      status: 400,
      body: safeHtml`<p>The application that sent you here made a mistake.</p><p><code>${error.code}</code>: ${error.message}</p>`,
    })
  }
}

interface Question {
  readonly visitor: BrowserUser
  readonly authorization: AuthorizationRequest
  readonly application: OauthApplication
}

function question(
  deps: AuthorizeDeps,
  reply: FastifyReply,
  { visitor, authorization, application }: Question,
): FastifyReply {
  const { api, identity } = describeGrant(authorization.scope)
  const everything = api.includes('all') && !api.includes('public-only')
  const ticket = deps.secrets.seal(
    JSON.stringify({ authorization, until: deps.clock.now() + QUESTION_MS }),
    ticketContext(visitor),
  )
  return sendPage(reply, {
    title: `Let ${application.name} in?`,
    redirectsTo: authorization.redirectUri,
    body: safeHtml`<p>You are signed in as <strong>${visitor.user.name}</strong>.</p>
<p><strong>${application.name}</strong> asks to ${everything ? safeHtml`<strong>do everything you can do</strong>` : safeHtml`use your account within these scopes:`}</p>
${everything ? safeHtml`` : safeHtml`<ul>${api.map((name) => safeHtml`<li><code>${name}</code></li>`)}</ul>`}
${identity.length === 0 ? safeHtml`` : safeHtml`<p>It learns who you are: <code>${identity.join(' ')}</code>.</p>`}
<p>Afterwards you are sent to <code>${authorization.redirectUri}</code>.</p>
<form method="post" action="${pathTo(deps, GRANT)}">
${tokenField(visitor.session)}${formField('ticket', ticket)}
<button name="granted" value="true">Let it in</button>
<button name="granted" value="false">Refuse</button>
</form>`,
  })
}

/**
 * NOTE: the consent form contains the request encrypted for this session, so the answer applies to the request that was
 * shown.
 */
const ticketContext = ({ user, session }: BrowserUser): string => `oauth.question:${user.id}:${session}`

async function answer(deps: AuthorizeDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visitor = await findBrowserUser(deps, request)
  const fields = visitor && (await readOwnForm(deps, request, visitor.session))
  if (visitor === undefined || fields === undefined) return refuseForm(reply)
  const authorization = readTicket(deps, fields['ticket'] ?? '', visitor)
  if (authorization === undefined)
    return sendPage(reply, {
      title: 'This request is no longer open',
      status: 400,
      body: safeHtml`<p>Go back to the application and begin again.</p>`,
    })
  return showingErrors(reply, async () =>
    redirectTo(
      reply,
      await deps.provider.answer(sessionActor(request, visitor.user), {
        request: authorization,
        isGranted: fields['granted'] === 'true',
      }),
    ),
  )
}

function readTicket(
  { secrets, clock }: AuthorizeDeps,
  ticket: string,
  visitor: BrowserUser,
): AuthorizationRequest | undefined {
  try {
    const { authorization, until } = JSON.parse(secrets.open(ticket, ticketContext(visitor))) as {
      authorization: AuthorizationRequest
      until: number
    }
    return until > clock.now() ? authorization : undefined
  } catch {
    return undefined
  }
}

/** The redirect address of an authorization request, if it belongs to a known client. */
export async function findAuthorizedClient(
  { provider, rootUrl }: { readonly provider: OauthProvider; rootUrl(): string },
  url: URL,
): Promise<string | undefined> {
  if (url.pathname !== pathTo({ rootUrl }, AUTHORIZE)) return undefined
  const clientId = url.searchParams.get('client_id') ?? ''
  const redirectUri = url.searchParams.get('redirect_uri') ?? ''
  return (await provider.isKnownRedirect({ clientId, redirectUri })) ? redirectUri : undefined
}
