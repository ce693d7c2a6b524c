import type { FastifyInstance, FastifyReply } from 'fastify'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import type { ProviderLink } from '../../sign-in-sources/oidc/oidc.service.ts'
import {
  findBrowserUser,
  formField,
  HOME,
  pathTo,
  PROVIDER,
  PROVIDERS,
  readOwnForm,
  redirectToSignIn,
  refuseForm,
  sessionActor,
  type SignInDeps,
  signInAgainForm,
  tokenField,
  type BrowserUser,
} from '../web/browser.ts'
import { redirectTo, sendPage } from '../web/page.ts'
import { type LinkOffer, openCookie } from './external-cookies.ts'

const LINK = `${PROVIDERS}/link`
const UNLINK = `${PROVIDERS}/unlink`

/** The page of the providers that an account is linked with. Linking requires a session that has just begun. */
export function registerProviders(http: FastifyInstance, deps: SignInDeps): void {
  http.get(PROVIDERS, async (request, reply) => {
    const visitor = await findBrowserUser(deps, request)
    if (visitor === undefined) return redirectToSignIn(deps, request, reply)
    return providersPage(deps, reply, { visitor, offer: openCookie(deps, request, 'link') })
  })
  for (const path of [LINK, UNLINK])
    http.post(path, async (request, reply) => {
      const visitor = await findBrowserUser(deps, request)
      const fields = visitor && (await readOwnForm(deps, request, visitor.session))
      if (visitor === undefined || fields === undefined) return refuseForm(reply)
      const offer = openCookie(deps, request, 'link')
      if (!(await deps.sessions.isRecent(visitor.session)))
        return providersPage(deps, reply, { visitor, offer, status: 403, error: 'Sign in again first.' })
      const { user } = visitor
      const actor = sessionActor(request, user)
      try {
        if (path === UNLINK) await deps.providers.unlink(actor, user, Number(fields['id']) || 0)
        else if (fields['accepted'] === 'true' && offer !== undefined) await deps.providers.link(actor, user, offer)
      } catch (error) {
        if (!isDomainError(error, 'conflict') && !isDomainError(error, 'not-found')) throw error
        return providersPage(deps, reply, { visitor, status: 409, error: error.message })
      }
      if (path === LINK) deps.jar.clear(reply, 'link')
      return redirectTo(reply, pathTo(deps, PROVIDERS))
    })
}

interface View {
  readonly visitor: BrowserUser
  readonly offer?: LinkOffer | undefined
  readonly error?: string
  readonly status?: number
}

async function providersPage(
  deps: SignInDeps,
  reply: FastifyReply,
  { visitor, offer, error, status = 200 }: View,
): Promise<FastifyReply> {
  const { user, session } = visitor
  const isRecent = await deps.sessions.isRecent(session)
  const rows = (await deps.providers.list(user)).map((link) => providerRow(deps, link, { session, isRecent }))
  return sendPage(reply, {
    title: 'Providers',
    status,
    error,
    body: safeHtml`${offer !== undefined && isRecent ? linkForm(deps, visitor, offer) : safeHtml``}
${rows.length === 0 ? safeHtml`<p>This server has no providers to sign in with.</p>` : safeHtml`<ul>${rows}</ul>`}
${isRecent ? safeHtml`` : safeHtml`<p>To link or unlink, sign in again.</p>${signInAgainForm(deps, session, PROVIDERS)}`}
<p><a href="${pathTo(deps, HOME)}">Back</a></p>`,
  })
}

/** NOTE: the user must agree here, because another person may have signed this browser in at the provider. */
const linkForm = (deps: SignInDeps, { user, session }: BrowserUser, { loginName, name }: LinkOffer): Html =>
  safeHtml`<form method="post" action="${pathTo(deps, LINK)}">${tokenField(session)}
<p>Link <strong>${loginName}</strong> at ${name} with your account <strong>${user.name}</strong>? Whoever signs in there as ${loginName} is signed in here as ${user.name}.</p>
<button name="accepted" value="true">Link</button>
<button name="accepted" value="false">Do not link</button>
</form>`

function providerRow(
  deps: SignInDeps,
  { id, name, linkedAs, isOwner }: ProviderLink,
  { session, isRecent }: { readonly session: string; readonly isRecent: boolean },
): Html {
  const start = `${pathTo(deps, PROVIDER)}/${encodeURIComponent(name)}?link=true&redirect_to=${encodeURIComponent(pathTo(deps, PROVIDERS))}`
  if (linkedAs === undefined)
    return safeHtml`<li>${name}: <a href="${start}">link</a></li>
`
  const unlink = safeHtml`<form method="post" action="${pathTo(deps, UNLINK)}">${tokenField(session)}${formField('id', String(id))}<button>Unlink</button></form>`
  return safeHtml`<li>${name}: linked as <strong>${linkedAs}</strong> ${isRecent && !isOwner ? unlink : safeHtml``}</li>
`
}
