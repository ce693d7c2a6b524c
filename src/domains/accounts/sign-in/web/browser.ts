import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import type { Core } from '../../../../core/module.ts'
import cookiePlugin from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../../core/access/viewer.ts'
import { sourceOf } from '../../../../core/http/caller.ts'
import type { Hook } from '../../../../core/platform/hook.ts'
import type { RateLimit } from '../../../../core/platform/concurrency/rate-limit.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import type { findLogin, User } from '../../users/user.store.ts'
import type { CookieJar } from './cookies.ts'
import { type Fields, formToken, isOwnForm, queryFields, readFields } from './form.ts'
import { redirectTo, sendPage } from './page.ts'
import type { CheckedPassword, PasswordCheck } from '../password-check.service.ts'
import type { SignInRecords, SourcedActor } from '../sign-in-records.service.ts'
import type { Begun, Sessions } from './web.service.ts'
import type { OidcSignIn } from '../../sign-in-sources/oidc/oidc.service.ts'
import type { Passkeys } from '../passkeys/passkeys.service.ts'
import type { TwoFactorAuth } from '../two-factor/two-factor.service.ts'

/** The dependencies of pages for signed-in users. */
export interface PageDeps {
  readonly sessions: Sessions
  readonly jar: CookieJar
  rootUrl(): string
}

/**
 * Finds the address on another site to which an address of this server redirects in the end; undefined for none.
 * Registered by modules that redirect signed-in users to other sites, because the content security policy of a page
 * with a form must allow the targets of redirects.
 */
export type RedirectTargets = Hook<[url: URL], string | undefined>

export interface SignInDeps extends Pick<Core, 'secrets' | 'clock'>, PageDeps {
  readonly checkPassword: PasswordCheck
  readonly twoFactor: TwoFactorAuth
  readonly passkeys: Passkeys
  readonly providers: OidcSignIn
  readonly records: Pick<SignInRecords, 'failed'>
  /** Rate limit of attempts to sign in, by client. */
  readonly rateLimit: RateLimit
  readonly redirectTargets: RedirectTargets
  readonly findLogin: (name: string) => ReturnType<typeof findLogin>
  /** Throws bad-request for a password that breaks the rules. Ends every session of the user. */
  readonly changePassword: (actor: Actor, user: User, password: string) => Promise<unknown>
}

/** The sign-in that begins with a right password. */
export const begunByPassword = ({ user, sourceId }: CheckedPassword): Begun => ({
  user,
  proof: { credential: sourceId === undefined ? { kind: 'password', id: 0 } : { kind: 'ldap', id: sourceId } },
})

export const LOGIN = '/user/login'
export const LOGOUT = '/user/logout'
export const PASSKEYS = '/user/passkeys'
export const PROVIDERS = '/user/providers'
/** The addresses of providers are those of other servers with this API, so that providers know them already. */
export const PROVIDER = '/user/oauth2'
export const NEW_PASSWORD = '/user/change_password'
/** The default page after signing in; the module of the OAuth2 provider serves it. */
export const HOME = '/user/applications'

const FORM_BYTES = 64 * 1024
const FORM_COOKIE_BYTES = 32

/** Registers routes that read whole small bodies of any type, and cookies. */
export async function withForms(http: FastifyInstance, routes: (scope: FastifyInstance) => void): Promise<void> {
  await http.register(async (scope) => {
    await scope.register(cookiePlugin)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: FORM_BYTES }, (_, body, done) => done(null, body))
    routes(scope)
  })
}

/** The path of an address in pages, which includes the path of the root URL. */
export const pathTo = ({ rootUrl }: Pick<PageDeps, 'rootUrl'>, path: string): string =>
  new URL(rootUrl()).pathname.replace(/\/$/, '') + path

export interface BrowserUser {
  readonly user: User
  /** The value of its cookie. */
  readonly session: string
}

export async function findBrowserUser(
  { jar, sessions }: PageDeps,
  request: FastifyRequest,
): Promise<BrowserUser | undefined> {
  const session = jar.read(request, 'session')
  const user = await sessions.find(session)
  return user && { user, session }
}

/** The account of a session with its request. */
export const sessionActor = (
  request: FastifyRequest,
  account: Pick<User, 'id'>,
): SourcedActor & { readonly account: Pick<User, 'id'> } => ({
  account,
  source: sourceOf(request, { kind: 'session', id: 0 }),
})

interface SigningIn extends Begun {
  readonly to: string
}

/** NOTE: every sign-in opens a new session, so that an earlier cookie value (session fixation) is useless. */
export async function beginSession(
  { jar, sessions }: PageDeps,
  reply: FastifyReply,
  { user, to, proof: { credential, secondFactor } }: SigningIn,
): Promise<FastifyReply> {
  const session = await sessions.open(user, sourceOf(reply.request, credential), secondFactor)
  jar.set(reply, 'session', session, sessions.lifetime)
  jar.clear(reply, 'form')
  return redirectTo(reply, to)
}

/** Redirects a visitor who is not signed in to the sign-in page, which redirects back afterwards. */
export const redirectToSignIn = (
  deps: Pick<PageDeps, 'rootUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply => redirectTo(reply, signInPath(deps, request.url))

/** The address of the sign-in page that redirects back to `url`, which is below the root URL. */
export const signInPath = (deps: Pick<PageDeps, 'rootUrl'>, url: string): string =>
  `${pathTo(deps, LOGIN)}?redirect_to=${encodeURIComponent(pathTo(deps, url))}`

export const formField = (name: string, value: string): Html =>
  safeHtml`<input type="hidden" name="${name}" value="${value}">`
export const tokenField = (cookie: string): Html => formField('form_token', formToken(cookie))

/**
 * Signs out, and leads through the sign-in page back to the path: for changes that need a session that has just begun.
 */
export const signInAgainForm = (deps: Pick<PageDeps, 'rootUrl'>, session: string, path: string): Html =>
  safeHtml`<form method="post" action="${pathTo(deps, LOGOUT)}">${tokenField(session)}${formField('redirect_to', pathTo(deps, path))}<button>Sign in again</button></form>`

/** The cookie that authorizes forms of a browser that is not signed in; set when missing. */
export function formCookie({ jar }: PageDeps, request: FastifyRequest, reply: FastifyReply): string {
  const sent = jar.read(request, 'form')
  if (/^[0-9a-f]{64}$/.test(sent)) return sent
  const made = randomHex(FORM_COOKIE_BYTES)
  jar.set(reply, 'form', made)
  return made
}

/** The fields of a form that this server rendered for this browser; undefined for every other form. */
export async function readOwnForm(
  deps: Pick<PageDeps, 'rootUrl'>,
  request: FastifyRequest,
  cookie: string,
): Promise<Fields | undefined> {
  const fields = await readFields(request)
  return isOwnForm(request, { cookie, fields, rootUrl: deps.rootUrl() }) ? fields : undefined
}

export const refuseForm = (reply: FastifyReply): FastifyReply =>
  sendPage(reply, {
    title: 'This form is no longer valid',
    status: 403,
    body: safeHtml`<p>It was sent by another page, or the browser keeps no cookies. Go back, load the page again and send it once more.</p>`,
  })

/**
 * The path of this server to continue at, or the default page; never another server. NOTE: the resulting path is parsed
 * again, because removing dots can produce two slashes at its beginning, which name a server.
 */
export function destination(deps: PageDeps, given: string | undefined): string {
  const home = pathTo(deps, HOME)
  if (given === undefined || !/^\/[\x21-\x7e]*$/.test(given) || given.includes('\\')) return home
  const root = new URL(deps.rootUrl())
  const url = URL.parse(given, root)
  if (url === null || url.origin !== root.origin || url.pathname.startsWith('//')) return home
  return url.pathname + url.search
}

/** The address on another site to which a form that continues at `to` redirects in the end. */
export const findRedirectTarget = ({ redirectTargets, rootUrl }: SignInDeps, to: string): Promise<string | undefined> =>
  redirectTargets.first(new URL(to, rootUrl()))

export { queryFields }
