import { safeHtml } from '../../../../core/platform/html.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../../core/access/viewer.ts'
import { clientOf } from '../../../../core/http/caller.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { User } from '../../users/user.store.ts'
import {
  redirectToSignIn,
  findRedirectTarget,
  destination,
  beginSession,
  begunByPassword,
  findBrowserUser,
  sessionActor,
  formField,
  NEW_PASSWORD,
  pathTo,
  readOwnForm,
  refuseForm,
  type SignInDeps,
  tokenField,
} from './browser.ts'
import type { Fields } from './form.ts'
import { sendPage } from './page.ts'
import { readTicket } from './tickets.ts'

interface NewPassword {
  /** The cookie of the session, or of a browser that has just sent the right password. */
  readonly cookie: string
  readonly to: string
  /** Replaces the old password when the browser has just sent it. */
  readonly ticket?: string | undefined
  readonly error?: string
  readonly status?: number
}

/** The page to change the password. Accounts that must change it see this page before any other. */
export function registerNewPassword(http: FastifyInstance, deps: SignInDeps): void {
  http.get(NEW_PASSWORD, async (request, reply) => {
    const visitor = await findBrowserUser(deps, request)
    return visitor === undefined
      ? redirectToSignIn(deps, request, reply)
      : newPasswordPage(deps, reply, { cookie: visitor.session, to: destination(deps, undefined) })
  })
  http.post(NEW_PASSWORD, async (request, reply) => change(deps, request, reply))
}

export async function newPasswordPage(
  deps: SignInDeps,
  reply: FastifyReply,
  { cookie, to, ticket, error, status = 200 }: NewPassword,
): Promise<FastifyReply> {
  const old = safeHtml`<label for="old_password">Old password</label>
<input id="old_password" name="old_password" type="password" autocomplete="current-password" required autofocus>`
  return sendPage(reply, {
    title: 'New password',
    status,
    error,
    redirectsTo: await findRedirectTarget(deps, to),
    body: safeHtml`<form method="post" action="${pathTo(deps, NEW_PASSWORD)}">
${tokenField(cookie)}${formField('redirect_to', to)}
${ticket === undefined ? old : formField('ticket', ticket)}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required>
<label for="password_again">New password once more</label>
<input id="password_again" name="password_again" type="password" autocomplete="new-password" required>
<button>Change it</button>
</form>`,
  })
}

async function change(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visitor = await findBrowserUser(deps, request)
  const cookie = visitor?.session ?? deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const { ticket } = fields
  try {
    const begun =
      visitor === undefined
        ? await readTicket(deps, ticket ?? '', { step: 'change', cookie })
        : begunByPassword(await deps.checkPassword(visitor.user.name, fields['old_password'] ?? '', clientOf(request)))
    if (begun === undefined) return refuseForm(reply)
    const { user } = begun
    const wrong = await problemOf(deps, sessionActor(request, user), { user, fields })
    if (wrong !== undefined)
      return await newPasswordPage(deps, reply, {
        cookie,
        to,
        ticket: visitor === undefined ? ticket : undefined,
        status: 422,
        error: wrong,
      })
    return await beginSession(deps, reply, { ...begun, to })
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      return newPasswordPage(deps, reply, { cookie, to, status: 401, error: 'The old password is wrong.' })
    if (isDomainError(error, 'too-many-requests'))
      return newPasswordPage(deps, reply, {
        cookie,
        to,
        status: 429,
        error: 'Too many failed attempts. Try again later.',
      })
    throw error
  }
}

/** Changes the password; returns the reason when it was refused. */
async function problemOf(
  { changePassword }: SignInDeps,
  actor: Actor,
  { user, fields }: { readonly user: User; readonly fields: Fields },
): Promise<string | undefined> {
  const password = fields['password'] ?? ''
  if (password === '') return 'Give a new password.'
  if (password !== fields['password_again']) return 'The two passwords are not the same.'
  try {
    await changePassword(actor, user, password)
    return undefined
  } catch (error) {
    if (isDomainError(error, 'bad-request') || isDomainError(error, 'invalid')) return error.message
    throw error
  }
}
