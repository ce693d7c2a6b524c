import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { User } from '../../domain/users/index.ts'
import { isDomainError } from '../../platform/errors.ts'
import { asId } from '../../platform/ids.ts'
import { decideAccountState } from '../../policy/viewer.ts'
import { askToSignIn, clientBehind, destination, findVisitor, formCookie, formField, HOME, LOGIN, pathTo, queryFields, readOwnForm, refuseForm, tokenField, type SignInDeps } from './browser.ts'
import { html, type Html } from './html.ts'
import { redirectTo, sendPage } from './page.ts'

const CODE = `${LOGIN}/code`
const LOGOUT = '/user/logout'
const REVOKE = `${HOME}/revoke`
/** How long a right password waits for its one-time code. */
const TICKET_MS = 5 * 60_000

/** Signing in and out, and the applications a user let in: pages that need no script. */
export function registerSignIn(http: FastifyInstance, deps: SignInDeps): void {
  http.get(LOGIN, async (request, reply) => {
    const to = destination(deps, queryFields(request)['redirect_to'])
    return (await findVisitor(deps, request)) === undefined ? passwordPage(deps, request, reply, { to }) : redirectTo(reply, to)
  })
  http.post(LOGIN, async (request, reply) => signIn(deps, request, reply))
  http.post(CODE, async (request, reply) => giveCode(deps, request, reply))
  http.post(LOGOUT, async (request, reply) => signOut(deps, request, reply))
  http.get(HOME, async (request, reply) => applicationsPage(deps, request, reply))
  http.post(REVOKE, async (request, reply) => revoke(deps, request, reply))
}

interface Attempt {
  readonly to: string
  readonly error?: string
  readonly status?: number
  readonly name?: string
}

async function passwordPage(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply, { to, error, status = 200, name = '' }: Attempt): Promise<FastifyReply> {
  const cookie = formCookie(deps, request, reply)
  return sendPage(reply, {
    title: 'Sign in',
    status,
    error,
    leadsTo: await clientBehind(deps, to),
    body: html`<form method="post" action="${pathTo(deps, LOGIN)}">
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
    const user = await deps.checkPassword(name, fields['password'] ?? '', request.ip)
    const refusal = refusalOf(user)
    if (refusal !== undefined) return await passwordPage(deps, request, reply, { to, name, status: 403, error: refusal })
    if (await deps.twoFactor.isEnabled(user.id)) return await codePage(deps, reply, { to, cookie, ticket: makeTicket(deps, user, cookie) })
    return await enter(deps, reply, { user, to })
  } catch (error) {
    if (isDomainError(error, 'unauthenticated')) return passwordPage(deps, request, reply, { to, name, status: 401, error: 'The user name or the password is wrong.' })
    if (isDomainError(error, 'too-many-requests')) return passwordPage(deps, request, reply, { to, name, status: 429, error: 'Too many failed attempts. Try again later.' })
    throw error
  }
}

function refusalOf(user: User): string | undefined {
  const state = decideAccountState(user)
  if (state === 'prohibited') return 'This account is prohibited from signing in. Ask your site administrator.'
  return state === 'must-change-password' ? 'This account needs a new password first. Ask your site administrator.' : undefined
}

interface CodeStep {
  readonly to: string
  readonly cookie: string
  readonly ticket: string
  readonly error?: string
  readonly status?: number
}

async function codePage(deps: SignInDeps, reply: FastifyReply, { to, cookie, ticket, error, status = 200 }: CodeStep): Promise<FastifyReply> {
  return sendPage(reply, {
    title: 'One-time code',
    status,
    error,
    leadsTo: await clientBehind(deps, to),
    body: html`<form method="post" action="${pathTo(deps, CODE)}">
${tokenField(cookie)}${formField('redirect_to', to)}${formField('ticket', ticket)}
<label for="code">Code of your authenticator app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" required autofocus>
<button>Go on</button>
</form>`,
  })
}

async function giveCode(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const cookie = deps.jar.read(request, 'form')
  const fields = await readOwnForm(deps, request, cookie)
  if (fields === undefined) return refuseForm(reply)
  const to = destination(deps, fields['redirect_to'])
  const ticket = fields['ticket'] ?? ''
  const user = await readTicket(deps, ticket, cookie)
  if (user === undefined || refusalOf(user) !== undefined) return passwordPage(deps, request, reply, { to, status: 401, error: 'That took too long. Give your password again.' })
  try {
    if (await deps.twoFactor.check(user.id, fields['code'] ?? '')) return await enter(deps, reply, { user, to })
    return await codePage(deps, reply, { to, cookie, ticket, status: 401, error: 'This code is wrong, or it was used already.' })
  } catch (error) {
    if (isDomainError(error, 'too-many-requests')) return codePage(deps, reply, { to, cookie, ticket, status: 429, error: 'Too many wrong codes. Try again later.' })
    throw error
  }
}

const ticketContext = (cookie: string): string => `sign_in.ticket:${cookie}`

/** Says that this browser gave the right password of a user a moment ago; good for nothing without a code. */
function makeTicket({ secrets, clock }: SignInDeps, user: User, cookie: string): string {
  return secrets.seal(JSON.stringify({ name: user.name, id: user.id, until: clock.now() + TICKET_MS }), ticketContext(cookie))
}

async function readTicket({ secrets, clock, findUser }: SignInDeps, ticket: string, cookie: string): Promise<User | undefined> {
  try {
    const { name, id, until } = JSON.parse(secrets.open(ticket, ticketContext(cookie))) as { name: string; id: number; until: number }
    const user = until > clock.now() ? await findUser(name) : undefined
    return user?.id === id ? user : undefined
  } catch {
    return undefined
  }
}

/** NOTE: a new session each time, so that a value that was there before is worth nothing. */
async function enter({ jar, sessions }: SignInDeps, reply: FastifyReply, { user, to }: { readonly user: User; readonly to: string }): Promise<FastifyReply> {
  jar.set(reply, 'session', await sessions.open(user.id), sessions.lifetime)
  jar.clear(reply, 'form')
  return redirectTo(reply, to)
}

async function signOut(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = deps.jar.read(request, 'session')
  if ((await readOwnForm(deps, request, session)) === undefined) return refuseForm(reply)
  await deps.sessions.close(session)
  deps.jar.clear(reply, 'session')
  return redirectTo(reply, pathTo(deps, LOGIN))
}

async function applicationsPage(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visitor = await findVisitor(deps, request)
  if (visitor === undefined) return askToSignIn(deps, request, reply)
  const { user, session } = visitor
  const grants = (await deps.provider?.grants(user.id)) ?? []
  const rows = grants.map(
    (grant): Html => html`<li><strong>${grant.application}</strong> <code>${grant.scope || 'all'}</code>
<form method="post" action="${pathTo(deps, REVOKE)}">${tokenField(session)}${formField('grant', String(grant.id))}<button>Revoke</button></form></li>
`,
  )
  return sendPage(reply, {
    title: 'Applications',
    body: html`<p>Signed in as <strong>${user.name}</strong>.</p>
${rows.length === 0 ? html`<p>You let no application act for you.</p>` : html`<p>These applications may act for you:</p><ul>${rows}</ul>`}
<form method="post" action="${pathTo(deps, LOGOUT)}">${tokenField(session)}<button>Sign out</button></form>`,
  })
}

async function revoke(deps: SignInDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const visitor = await findVisitor(deps, request)
  const fields = visitor && (await readOwnForm(deps, request, visitor.session))
  if (visitor === undefined || fields === undefined) return refuseForm(reply)
  try {
    await deps.provider?.revoke(visitor.user.id, asId(Number(fields['grant']) || 0))
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
  }
  return redirectTo(reply, pathTo(deps, HOME))
}
