import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decideAccountState } from '../../../../core/access/viewer.ts'
import { clientOf } from '../../../../core/http/caller.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import {
  findRedirectTarget,
  destination,
  beginSession,
  begunByPassword,
  findBrowserUser,
  formCookie,
  formField,
  LOGIN,
  LOGOUT,
  pathTo,
  PROVIDER,
  queryFields,
  readOwnForm,
  refuseForm,
  type SignInDeps,
  tokenField,
} from './browser.ts'
import { redirectTo, sendPage } from './page.ts'
import { PASSKEY_SCRIPT, passkeyButton } from '../passkeys/passkey-form.ts'
import { newPasswordPage } from './new-password.routes.ts'
import { openCookie } from '../external/external-cookies.ts'
import type { Begun, SignInProof } from './web.service.ts'
import { makeTicket, readTicket } from './tickets.ts'

const CODE = `${LOGIN}/code`
const PASSKEY = `${LOGIN}/passkey`

/** Signing in and out: pages that need no script, except for passkeys. */
export function registerSignIn(http: FastifyInstance, deps: SignInDeps): void {
  http.get(LOGIN, async (request, reply) => {
    const to = destination(deps, queryFields(request)['redirect_to'])
    return (await findBrowserUser(deps, request)) === undefined
      ? passwordPage(deps, request, reply, { to })
      : redirectTo(reply, to)
  })
  http.post(LOGIN, async (request, reply) => signIn(deps, request, reply))
  http.post(CODE, async (request, reply) => submitCode(deps, request, reply))
  http.post(PASSKEY, async (request, reply) => submitPasskey(deps, request, reply))
  http.post(LOGOUT, async (request, reply) => signOut(deps, request, reply))
}

const TOO_LATE = { status: 401, error: 'That took too long. Give your password again.' } as const
export const PROHIBITED = {
  status: 403,
  error: 'This account is prohibited from signing in. Ask your site administrator.',
} as const

interface Attempt {
  readonly to: string
  readonly error?: string
  readonly status?: number
  readonly name?: string
}

async function passwordPage(
  deps: SignInDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { to, error, status = 200, name = '' }: Attempt,
): Promise<FastifyReply> {
  const cookie = formCookie(deps, request, reply)
  const passkey = await passkeyForm(deps, { to, cookie })
  return sendPage(reply, {
    title: 'Sign in',
    status,
    error,
    script: passkey && PASSKEY_SCRIPT,
    redirectsTo: await findRedirectTarget(deps, to),
    body: safeHtml`<form method="post" action="${pathTo(deps, LOGIN)}">
${tokenField(cookie)}${formField('redirect_to', to)}
<label for="user_name">User name or e-mail address</label>
<input id="user_name" name="user_name" autocomplete="username" autocapitalize="none" required autofocus value="${name}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
${passkey ?? safeHtml``}
${await providerLinks(deps, to)}`,
  })
}

async function providerLinks(deps: SignInDeps, to: string): Promise<Html[]> {
  const names = await deps.providers.names()
  return names.map((name) => {
    const url = `${pathTo(deps, PROVIDER)}/${encodeURIComponent(name)}?redirect_to=${encodeURIComponent(to)}`
    return safeHtml`<p><a href="${url}">Sign in with ${name}</a></p>
`
  })
}

/** Undefined where browsers have no passkeys. With `user` the form is the step after the password. */
async function passkeyForm(
  deps: SignInDeps,
  { to, cookie, user, ticket }: Pick<CodeStep, 'to' | 'cookie'> & Partial<Pick<CodeStep, 'user' | 'ticket'>>,
): Promise<Html | undefined> {
  const offer = await deps.passkeys.offerSignIn({ cookie, user })
  return (
    offer &&
    safeHtml`<form method="post" action="${pathTo(deps, PASSKEY)}">
${tokenField(cookie)}${formField('redirect_to', to)}${ticket === undefined ? safeHtml`` : formField('ticket', ticket)}
${passkeyButton(offer, user === undefined ? 'Sign in with a passkey' : 'Use a passkey')}
</form>`
  )
}

async function signIn(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const name = fields['user_name'] ?? ''
  try {
    const begun = begunByPassword(await deps.checkPassword(name, fields['password'] ?? '', clientOf(request)))
    if (decideAccountState(begun.user) === 'prohibited')
      return await passwordPage(deps, request, reply, { to, name, ...PROHIBITED })
    return await continueSignIn(deps, reply, { ...begun, to, cookie })
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      return passwordPage(deps, request, reply, {
        to,
        name,
        status: 401,
        error: 'The user name or the password is wrong.',
      })
    if (isDomainError(error, 'too-many-requests'))
      return passwordPage(deps, request, reply, {
        to,
        name,
        status: 429,
        error: 'Too many failed attempts. Try again later.',
      })
    if (isDomainError(error, 'unavailable'))
      return passwordPage(deps, request, reply, {
        to,
        name,
        status: 503,
        error: 'The directory that knows your password cannot be reached. Try again later.',
      })
    throw error
  }
}

interface SigningIn extends Begun {
  readonly to: string
  /** The cookie of the browser that is not signed in yet. */
  readonly cookie: string
}

/** Asks for the second step if the user enrolled one, and signs the account in otherwise. */
export async function continueSignIn(
  deps: SignInDeps,
  reply: FastifyReply,
  signingIn: SigningIn,
): Promise<FastifyReply> {
  const { user, to, cookie } = signingIn
  if (!(await deps.twoFactor.isEnabled(user.id)) && !(await deps.passkeys.isEnrolled(user.id)))
    return completeSignIn(deps, reply, signingIn)
  const ticket = await makeTicket(deps, signingIn, { step: 'code', cookie })
  return secondStepPage(deps, reply, { user, to, cookie, ticket })
}

/** Signs the account in, or shows the page for a new password if the account needs one. */
export async function completeSignIn(
  deps: SignInDeps,
  reply: FastifyReply,
  signingIn: SigningIn,
): Promise<FastifyReply> {
  const { user, to, cookie } = signingIn
  if (!user.mustChangePassword) return beginSession(deps, reply, signingIn)
  const ticket = await makeTicket(deps, signingIn, { step: 'change', cookie })
  return newPasswordPage(deps, reply, { cookie, to, ticket })
}

interface CodeStep extends Pick<Begun, 'user'> {
  readonly to: string
  readonly cookie: string
  readonly ticket: string
  readonly error?: string
  readonly status?: number
}

/** Asks for the second factor that the user enrolled: a one-time code, a passkey, or either. */
async function secondStepPage(
  deps: SignInDeps,
  reply: FastifyReply,
  { user, to, cookie, ticket, error, status = 200 }: CodeStep,
): Promise<FastifyReply> {
  const hasApp = await deps.twoFactor.isEnabled(user.id)
  const takesCodes = hasApp || (await deps.twoFactor.countRecoveryCodes(user.id)) > 0
  const passkey = (await deps.passkeys.isEnrolled(user.id))
    ? await passkeyForm(deps, { user, to, cookie, ticket })
    : undefined
  return sendPage(reply, {
    title: hasApp ? 'One-time code' : 'Passkey',
    status,
    error,
    script: passkey && PASSKEY_SCRIPT,
    redirectsTo: await findRedirectTarget(deps, to),
    body: safeHtml`${takesCodes ? codeForm(deps, { to, cookie, ticket, hasApp }) : safeHtml``}
${passkey ?? safeHtml``}
${hasApp ? safeHtml`` : WITHOUT_PASSKEYS}`,
  })
}

const WITHOUT_PASSKEYS = safeHtml`<p data-no-passkeys>This account signs in with a passkey after the password. Use a browser that has passkeys, with scripts enabled.</p>`

const codeForm = (
  deps: SignInDeps,
  { to, cookie, ticket, hasApp }: Pick<CodeStep, 'to' | 'cookie' | 'ticket'> & { readonly hasApp: boolean },
): Html => safeHtml`<form method="post" action="${pathTo(deps, CODE)}">
${tokenField(cookie)}${formField('redirect_to', to)}${formField('ticket', ticket)}
<label for="code">${hasApp ? 'Code of your authenticator app, or a recovery code' : 'Recovery code'}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" required autofocus>
<button>Go on</button>
</form>`

async function submitCode(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const ticket = fields['ticket'] ?? ''
  const begun = await readTicket(deps, ticket, { step: 'code', cookie })
  if (begun === undefined) return passwordPage(deps, request, reply, { to, ...TOO_LATE })
  const { user, proof } = begun
  try {
    const secondFactor = await deps.twoFactor.check(user.id, fields['code'] ?? '')
    if (secondFactor !== undefined)
      return await completeSignIn(deps, reply, { user, to, cookie, proof: { ...proof, secondFactor } })
    deps.records.failed({ client: clientOf(request), credential: proof.credential, userId: user.id })
    return await secondStepPage(deps, reply, {
      user,
      to,
      cookie,
      ticket,
      status: 401,
      error: 'This code is wrong, or it was used already.',
    })
  } catch (error) {
    if (isDomainError(error, 'too-many-requests'))
      return secondStepPage(deps, reply, {
        user,
        to,
        cookie,
        ticket,
        status: 429,
        error: 'Too many wrong codes. Try again later.',
      })
    throw error
  }
}

async function submitPasskey(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const { ticket } = fields
  const begun = ticket === undefined ? undefined : await readTicket(deps, ticket, { step: 'code', cookie })
  const user = begun?.user
  if (ticket !== undefined && begun === undefined) return passwordPage(deps, request, reply, { to, ...TOO_LATE })
  const again = (step: { readonly status: number; readonly error: string }): Promise<FastifyReply> =>
    user === undefined || ticket === undefined
      ? passwordPage(deps, request, reply, { to, ...step })
      : secondStepPage(deps, reply, { user, to, cookie, ticket, ...step })
  try {
    const answer = { ticket: fields['passkey_ticket'] ?? '', response: fields['response'] ?? '' }
    const signedIn = await deps.passkeys.signIn(answer, { cookie, user, client: clientOf(request) })
    if (signedIn === undefined)
      return await again({ status: 401, error: 'This passkey was not accepted, or it took too long. Try again.' })
    if (decideAccountState(signedIn.user) === 'prohibited') return await again(PROHIBITED)
    const proof: SignInProof =
      begun === undefined
        ? { credential: { kind: 'passkey', id: signedIn.passkey.id } }
        : { ...begun.proof, secondFactor: 'passkey' }
    return await completeSignIn(deps, reply, { user: signedIn.user, to, cookie, proof })
  } catch (error) {
    if (isDomainError(error, 'too-many-requests'))
      return again({ status: 429, error: 'Too many failed attempts. Try again later.' })
    throw error
  }
}

async function signOut(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = deps.jar.read(request, 'session')
  const fields = await readOwnForm(deps, request, session)
  if (fields === undefined) return refuseForm(reply)
  await deps.sessions.close(session)
  deps.jar.clear(reply, 'session')
  const provider = openCookie(deps, request, 'provider')
  deps.jar.clear(reply, 'provider')
  const to = fields['redirect_to']
  const elsewhere =
    to === undefined && provider !== undefined
      ? await deps.providers.signOutUrl(provider.id, { returnTo: loginUrl(deps), idToken: provider.idToken })
      : undefined
  if (elsewhere !== undefined)
    return sendPage(reply, {
      title: 'Signed out',
      body: safeHtml`<p>You are signed out here, and still signed in at ${elsewhere.name}.</p>
<p><a href="${elsewhere.url}">Sign out of ${elsewhere.name}</a></p>
<p><a href="${pathTo(deps, LOGIN)}">Sign in again</a></p>`,
    })
  const query = to === undefined ? '' : `?redirect_to=${encodeURIComponent(destination(deps, to))}`
  return redirectTo(reply, pathTo(deps, LOGIN) + query)
}

const loginUrl = (deps: SignInDeps): string => deps.rootUrl().replace(/\/$/, '') + LOGIN
