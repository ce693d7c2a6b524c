import { safeHtml } from '../../../../core/platform/html.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { decideAccountState } from '../../../../core/access/viewer.ts'
import { clientOf } from '../../../../core/http/caller.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { User } from '../../users/user.store.ts'
import {
  findRedirectTarget,
  destination,
  beginSession,
  findVisitor,
  formCookie,
  formField,
  LOGIN,
  LOGOUT,
  pathTo,
  queryFields,
  readOwnForm,
  refuseForm,
  type SignInDeps,
  tokenField,
} from './browser.ts'
import { redirectTo, sendPage } from './page.ts'
import { newPasswordPage } from './new-password.routes.ts'
import { makeTicket, readTicket } from './tickets.ts'

const CODE = `${LOGIN}/code`

/** Signing in and out: pages that need no script. */
export function registerSignIn(http: FastifyInstance, deps: SignInDeps): void {
  http.get(LOGIN, async (request, reply) => {
    const to = destination(deps, queryFields(request)['redirect_to'])
    return (await findVisitor(deps, request)) === undefined
      ? passwordPage(deps, request, reply, { to })
      : redirectTo(reply, to)
  })
  http.post(LOGIN, async (request, reply) => signIn(deps, request, reply))
  http.post(CODE, async (request, reply) => submitCode(deps, request, reply))
  http.post(LOGOUT, async (request, reply) => signOut(deps, request, reply))
}

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
  return sendPage(reply, {
    title: 'Sign in',
    status,
    error,
    redirectsTo: await findRedirectTarget(deps, to),
    body: safeHtml`<form method="post" action="${pathTo(deps, LOGIN)}">
${tokenField(cookie)}${formField('redirect_to', to)}
<label for="user_name">User name or e-mail address</label>
<input id="user_name" name="user_name" autocomplete="username" autocapitalize="none" required autofocus value="${name}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>`,
  })
}

async function signIn(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const name = fields['user_name'] ?? ''
  try {
    const user = await deps.checkPassword(name, fields['password'] ?? '', clientOf(request))
    if (decideAccountState(user) === 'prohibited')
      return await passwordPage(deps, request, reply, {
        to,
        name,
        status: 403,
        error: 'This account is prohibited from signing in. Ask your site administrator.',
      })
    if (await deps.twoFactor.isEnabled(user.id))
      return await codePage(deps, reply, { to, cookie, ticket: makeTicket(deps, user, { step: 'code', cookie }) })
    return await completeSignIn(deps, reply, { user, to, cookie })
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
    throw error
  }
}

/** Signs the account in, or shows the page for a new password if the account needs one. */
function completeSignIn(
  deps: SignInDeps,
  reply: FastifyReply,
  { user, to, cookie }: { readonly user: User; readonly to: string; readonly cookie: string },
): Promise<FastifyReply> {
  if (!user.mustChangePassword) return beginSession(deps, reply, { user, to })
  return newPasswordPage(deps, reply, { cookie, to, ticket: makeTicket(deps, user, { step: 'change', cookie }) })
}

interface CodeStep {
  readonly to: string
  readonly cookie: string
  readonly ticket: string
  readonly error?: string
  readonly status?: number
}

async function codePage(
  deps: SignInDeps,
  reply: FastifyReply,
  { to, cookie, ticket, error, status = 200 }: CodeStep,
): Promise<FastifyReply> {
  return sendPage(reply, {
    title: 'One-time code',
    status,
    error,
    redirectsTo: await findRedirectTarget(deps, to),
    body: safeHtml`<form method="post" action="${pathTo(deps, CODE)}">
${tokenField(cookie)}${formField('redirect_to', to)}${formField('ticket', ticket)}
<label for="code">Code of your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" required autofocus>
<button>Go on</button>
</form>`,
  })
}

async function submitCode(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const ticket = fields['ticket'] ?? ''
  const user = await readTicket(deps, ticket, { step: 'code', cookie })
  if (user === undefined)
    return passwordPage(deps, request, reply, {
      to,
      status: 401,
      error: 'That took too long. Give your password again.',
    })
  try {
    if (await deps.twoFactor.check(user.id, fields['code'] ?? ''))
      return await completeSignIn(deps, reply, { user, to, cookie })
    deps.records.failed({ client: clientOf(request), kind: 'password', userId: user.id })
    return await codePage(deps, reply, {
      to,
      cookie,
      ticket,
      status: 401,
      error: 'This code is wrong, or it was used already.',
    })
  } catch (error) {
    if (isDomainError(error, 'too-many-requests'))
      return codePage(deps, reply, { to, cookie, ticket, status: 429, error: 'Too many wrong codes. Try again later.' })
    throw error
  }
}

async function signOut(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = deps.jar.read(request, 'session')
  if ((await readOwnForm(deps, request, session)) === undefined) return refuseForm(reply)
  await deps.sessions.close(session)
  deps.jar.clear(reply, 'session')
  return redirectTo(reply, pathTo(deps, LOGIN))
}
