import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import {
  HOME,
  LOGOUT,
  NEW_PASSWORD,
  type PageDeps,
  PASSKEYS,
  PROVIDERS,
  findBrowserUser,
  formField,
  pathTo,
  readOwnForm,
  redirectToSignIn,
  refuseForm,
  sessionActor,
  tokenField,
} from '../../sign-in/web/browser.ts'
import { redirectTo, sendPage } from '../../sign-in/web/page.ts'
import type { OauthProvider } from '../provider.service.ts'

const REVOKE = `${HOME}/revoke`

interface ApplicationPageDeps extends PageDeps {
  /** Undefined when the provider is disabled in the configuration. */
  readonly provider: OauthProvider | undefined
}

/** The page after signing in: lists the applications that act for a user, with the form to sign out. */
export function registerApplications(http: FastifyInstance, deps: ApplicationPageDeps): void {
  http.get(HOME, async (request, reply) => applicationsPage(deps, request, reply))
  http.post(REVOKE, async (request, reply) => revoke(deps, request, reply))
}

async function applicationsPage(
  deps: ApplicationPageDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = await findBrowserUser(deps, request)
  if (visitor === undefined) return redirectToSignIn(deps, request, reply)
  const { user, session } = visitor
  const grants = (await deps.provider?.grants(user.id)) ?? []
  const rows = grants.map(
    (grant): Html =>
      safeHtml`<li><strong>${grant.application}</strong> <code>${grant.scope || 'all'}</code>
<form method="post" action="${pathTo(deps, REVOKE)}">${tokenField(session)}${formField('grant', String(grant.id))}<button>Revoke</button></form></li>
`,
  )
  return sendPage(reply, {
    title: 'Applications',
    body: safeHtml`<p>Signed in as <strong>${user.name}</strong>.</p>
${rows.length === 0 ? safeHtml`<p>You let no application act for you.</p>` : safeHtml`<p>These applications may act for you:</p><ul>${rows}</ul>`}
<p><a href="${pathTo(deps, NEW_PASSWORD)}">Change the password</a></p>
<p><a href="${pathTo(deps, PASSKEYS)}">Passkeys</a></p>
<p><a href="${pathTo(deps, PROVIDERS)}">Providers</a></p>
<form method="post" action="${pathTo(deps, LOGOUT)}">${tokenField(session)}<button>Sign out</button></form>`,
  })
}

async function revoke(deps: ApplicationPageDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visitor = await findBrowserUser(deps, request)
  const fields = visitor && (await readOwnForm(deps, request, visitor.session))
  if (visitor === undefined || fields === undefined) return refuseForm(reply)
  try {
    await deps.provider?.revoke(sessionActor(request, visitor.user), asId(Number(fields['grant']) || 0))
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
  }
  return redirectTo(reply, pathTo(deps, HOME))
}
