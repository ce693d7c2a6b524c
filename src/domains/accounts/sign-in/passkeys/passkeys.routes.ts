import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import {
  HOME,
  type PageDeps,
  PASSKEYS,
  type BrowserUser,
  findBrowserUser,
  formField,
  pathTo,
  readOwnForm,
  redirectToSignIn,
  refuseForm,
  sessionActor,
  signInAgainForm,
  tokenField,
} from '../web/browser.ts'
import type { Fields } from '../web/form.ts'
import { type Page, redirectTo, sendPage } from '../web/page.ts'
import { PASSKEY_SCRIPT, passkeyButton } from './passkey-form.ts'
import type { TwoFactorAuth } from '../two-factor/two-factor.service.ts'
import type { Passkey, Passkeys } from './passkeys.service.ts'

const ADD = `${PASSKEYS}/add`
const RENAME = `${PASSKEYS}/rename`
const DELETE = `${PASSKEYS}/delete`
const RECOVERY = `${PASSKEYS}/recovery_codes`

interface PasskeyPageDeps extends PageDeps {
  readonly passkeys: Passkeys
  readonly twoFactor: Pick<TwoFactorAuth, 'countRecoveryCodes' | 'renewRecoveryCodes'>
}

/** Returns the page to show; undefined for the list. */
type Change = (
  request: FastifyRequest,
  change: { readonly visitor: BrowserUser; readonly fields: Fields },
) => Promise<Page | void>

/** The page of the passkeys of a user. Adding and deleting requires a session that has just begun. */
export function registerPasskeys(http: FastifyInstance, deps: PasskeyPageDeps): void {
  const { passkeys } = deps
  http.get(PASSKEYS, async (request, reply) => {
    const visitor = await findBrowserUser(deps, request)
    return visitor === undefined ? redirectToSignIn(deps, request, reply) : passkeysPage(deps, reply, { visitor })
  })
  const changes: Readonly<Record<string, { readonly needsRecent: boolean; readonly change: Change }>> = {
    [ADD]: {
      needsRecent: true,
      change: (request, { visitor: { user, session }, fields }) =>
        passkeys.register(
          sessionActor(request, user),
          { user, cookie: session },
          { name: fields['name'] ?? '', ticket: fields['passkey_ticket'] ?? '', response: fields['response'] ?? '' },
        ),
    },
    [RENAME]: {
      needsRecent: false,
      change: (_, { visitor: { user }, fields }) => passkeys.rename(user.id, idOf(fields), fields['name'] ?? ''),
    },
    [DELETE]: {
      needsRecent: true,
      change: async (request, { visitor: { user }, fields }) =>
        void (await passkeys.delete(sessionActor(request, user), user.id, idOf(fields))),
    },
    [RECOVERY]: {
      needsRecent: true,
      change: async (request, { visitor: { user } }) =>
        recoveryPage(deps, await deps.twoFactor.renewRecoveryCodes(sessionActor(request, user), user.id)),
    },
  }
  for (const [path, { needsRecent, change }] of Object.entries(changes))
    http.post(path, async (request, reply) => {
      const visitor = await findBrowserUser(deps, request)
      const fields = visitor && (await readOwnForm(deps, request, visitor.session))
      if (visitor === undefined || fields === undefined) return refuseForm(reply)
      if (needsRecent && !(await deps.sessions.isRecent(visitor.session)))
        return passkeysPage(deps, reply, { visitor, status: 403, error: 'Sign in again first.' })
      return submit(deps, reply, { visitor, change: () => change(request, { visitor, fields }) })
    })
}

async function submit(
  deps: PasskeyPageDeps,
  reply: FastifyReply,
  { visitor, change }: { readonly visitor: BrowserUser; readonly change: () => Promise<Page | void> },
): Promise<FastifyReply> {
  try {
    const page = await change()
    if (page !== undefined) return sendPage(reply, page)
  } catch (error) {
    if (isDomainError(error, 'invalid'))
      return passkeysPage(deps, reply, { visitor, status: 422, error: error.message })
    if (!isDomainError(error, 'not-found')) throw error
  }
  return redirectTo(reply, pathTo(deps, PASSKEYS))
}

const idOf = (fields: Fields): number => {
  const id = Number(fields['id'])
  return Number.isSafeInteger(id) ? id : 0
}

interface View {
  readonly visitor: BrowserUser
  readonly error?: string
  readonly status?: number
}

async function passkeysPage(
  deps: PasskeyPageDeps,
  reply: FastifyReply,
  { visitor, error, status = 200 }: View,
): Promise<FastifyReply> {
  const { user, session } = visitor
  const isRecent = await deps.sessions.isRecent(session)
  const passkeys = await deps.passkeys.list(user.id)
  const rows = passkeys.map((passkey) => passkeyRow(deps, passkey, { session, isRecent }))
  return sendPage(reply, {
    title: 'Passkeys',
    status,
    error,
    script: PASSKEY_SCRIPT,
    body: safeHtml`<p>A passkey signs you in without a password, or is asked for after it. With a passkey, the API and git take no password without a one-time code: use access tokens.</p>
${rows.length === 0 ? safeHtml`<p>You have no passkey.</p>` : safeHtml`<ul>${rows}</ul>`}
${passkeys.length === 0 ? safeHtml`` : await recoveryPart(deps, visitor, isRecent)}
${isRecent ? await addForm(deps, visitor) : safeHtml`<p>To add or delete passkeys, sign in again.</p>${signInAgainForm(deps, session, PASSKEYS)}`}
<p><a href="${pathTo(deps, HOME)}">Back</a></p>`,
  })
}

function passkeyRow(
  deps: PasskeyPageDeps,
  { id, name, createdAt, lastUsedAt }: Passkey,
  { session, isRecent }: { readonly session: string; readonly isRecent: boolean },
): Html {
  const hidden = safeHtml`${tokenField(session)}${formField('id', String(id))}`
  const deletion = safeHtml`<form method="post" action="${pathTo(deps, DELETE)}">${hidden}<button>Delete</button></form>`
  return safeHtml`<li><strong>${name}</strong>, added ${dayOf(createdAt)}, ${lastUsedAt === 0 ? 'never used' : `last used ${dayOf(lastUsedAt)}`}
<form method="post" action="${pathTo(deps, RENAME)}">${hidden}<input name="name" aria-label="New name" value="${name}" maxlength="64" required><button>Rename</button></form>
${isRecent ? deletion : safeHtml``}</li>
`
}

async function recoveryPart(deps: PasskeyPageDeps, { user, session }: BrowserUser, isRecent: boolean): Promise<Html> {
  const left = await deps.twoFactor.countRecoveryCodes(user.id)
  const form = safeHtml`<form method="post" action="${pathTo(deps, RECOVERY)}">${tokenField(session)}<button>Make new recovery codes</button></form>`
  return safeHtml`<p>You have ${left} recovery codes. Each works once, after the password, in place of a passkey.</p>
${isRecent ? form : safeHtml``}`
}

const recoveryPage = (deps: PasskeyPageDeps, codes: readonly string[]): Page => ({
  title: 'Recovery codes',
  body: safeHtml`<p>Store these codes where you can find them without your devices. They are shown only now, and replace all earlier ones.</p>
<ul>${codes.map((code) => safeHtml`<li><code>${code}</code></li>`)}</ul>
<p><a href="${pathTo(deps, PASSKEYS)}">Back</a></p>`,
})

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

async function addForm(deps: PasskeyPageDeps, { user, session }: BrowserUser): Promise<Html> {
  if (!deps.passkeys.isAvailable())
    return safeHtml`<p>Browsers have no passkeys for this server: it needs a host name, and HTTPS.</p>`
  const offer = await deps.passkeys.offerRegistration({ user, cookie: session })
  if (offer === undefined) return safeHtml`<p>You have as many passkeys as an account can have.</p>`
  return safeHtml`<form method="post" action="${pathTo(deps, ADD)}">
${tokenField(session)}
<label for="name">Name of the new passkey</label>
<input id="name" name="name" maxlength="64" placeholder="Phone">
${passkeyButton(offer, 'Add a passkey')}
<p data-no-passkeys>To add a passkey, use a browser that has passkeys, with scripts enabled.</p>
</form>`
}
