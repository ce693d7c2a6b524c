import { flatText } from '../../../core/platform/flat-text.ts'
import { isPublicOnly, type Viewer } from '../../../core/access/viewer.ts'
import type { UserVisibility } from './user-list.store.ts'

interface Person {
  readonly id: number
  readonly name: string
  readonly fullName: string
  readonly email: string
  readonly isEmailHidden: boolean
}

/** The public address of a user who hides its e-mail; the id identifies the account. */
export const noReplyAddress = (user: Pick<Person, 'id' | 'name'>, domain: string): string =>
  flatText(user.id, '+', user.name.toLowerCase(), '@', domain)

/** The author of commits that the server writes for a user (behaviour/repositories#creating). */
export function commitIdentity(user: Person, noReplyDomain: string): { name: string; email: string } {
  return {
    name: user.fullName.trim() || user.name,
    email: user.isEmailHidden || user.email === '' ? noReplyAddress(user, noReplyDomain) : user.email,
  }
}

/**
 * Why a name is refused, with the message of the API (behaviour/auth-and-access#names-and-passwords); undefined for a
 * valid name.
 */
export type NameProblem =
  | { readonly rule: 'Required' | 'AlphaDashDot' | 'invalid username' | `MaxSize (at most ${number} characters)` }
  | { readonly message: string }

/** The maximum length of the names of users and organizations. */
export const OWNER_NAME_LENGTH = 40
const REPO_NAME_LENGTH = 100

const RESERVED_OWNERS = new Set(
  (
    '. .. .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user explore issues pulls milestones notifications ' +
    'favicon.ico manifest.json robots.txt sitemap.xml ssh_info swagger.v1.json ghost gitea-actions devtest forgejo-actions openapi.json openapi.v1.json swagger healthz search migrations'
  ).split(' '),
)
const OWNER_ENDINGS = ['keys', 'gpg', 'rss', 'atom', 'png']
const RESERVED_REPOS = new Set(['.', '..', '-'])
const REPO_ENDINGS = ['wiki', 'git', 'rss', 'atom']

/** Validates names of users and organizations. */
export function ownerNameProblem(name: string): NameProblem | undefined {
  if (name === '') return { rule: 'Required' }
  if (name.length > OWNER_NAME_LENGTH) return { rule: `MaxSize (at most ${OWNER_NAME_LENGTH} characters)` }
  if (RESERVED_OWNERS.has(name.toLowerCase())) return { message: `name is reserved [name: ${name.toLowerCase()}]` }
  const ending = OWNER_ENDINGS.find((e) => name.toLowerCase().endsWith(`.${e}`))
  if (ending !== undefined) return { message: `name pattern is not allowed [pattern: *.${ending}]` }
  if (!/^[0-9a-zA-Z][-.\w]*$/.test(name) || /[-._]{2}/.test(name) || /[-._]$/.test(name))
    return { rule: 'invalid username' }
  return undefined
}

export function repoNameProblem(name: string): NameProblem | undefined {
  if (name === '') return { rule: 'Required' }
  if (name.length > REPO_NAME_LENGTH) return { rule: `MaxSize (at most ${REPO_NAME_LENGTH} characters)` }
  if (!/^[-.\w]+$/.test(name)) return { rule: 'AlphaDashDot' }
  if (name.includes('..'))
    return { message: `name is invalid [${name}]: must be valid alpha or numeric or dash(-_) or dot characters` }
  if (RESERVED_REPOS.has(name)) return { message: `name is reserved [name: ${name}]` }
  const ending = REPO_ENDINGS.find((e) => name.toLowerCase().endsWith(`.${e}`))
  return ending === undefined ? undefined : { message: `name pattern is not allowed [pattern: *.${ending}]` }
}

/** NOTE: an address must not begin with a dash, which mail programs parse as an option. */
export const isEmailAddress = (text: string): boolean =>
  text.length <= 254 &&
  /^(?!-)[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*$/.test(
    text,
  )

export interface PasswordRules {
  readonly minLength: number
  /** `off`, or a comma list of `lower`, `upper`, `digit`, `spec`. */
  readonly complexity: string
}

/** Too few characters, too many, or a required kind of character is missing. */
type PasswordProblem = 'short' | 'long' | 'simple'

export const MAX_PASSWORD_LENGTH = 255

const KINDS: Readonly<Record<string, RegExp>> = {
  lower: /\p{Ll}/u,
  upper: /\p{Lu}/u,
  digit: /\p{Nd}/u,
  spec: /[^\p{L}\p{N}]/u,
}

/**
 * Why a new password is refused, without the check for leaks (behaviour/auth-and-access#names-and-passwords).
 * Characters are code points.
 */
export function passwordProblem(password: string, rules: PasswordRules): PasswordProblem | undefined {
  const length = [...password].length
  if (length < rules.minLength) return 'short'
  if (length > MAX_PASSWORD_LENGTH) return 'long'
  const kinds = rules.complexity === 'off' ? [] : rules.complexity.split(',').map((kind) => kind.trim())
  return kinds.some((kind) => KINDS[kind]?.test(password) === false) ? 'simple' : undefined
}

/** The individuals that a search returns to a viewer (behaviour/auth-and-access#user-kinds-and-visibility). */
export function visibleUsers(viewer: Viewer): UserVisibility {
  if (viewer.kind === 'anonymous' || isPublicOnly(viewer)) return { visibilities: ['public'] }
  const { account } = viewer
  if (account.isAdmin) return { matchesHiddenEmails: true }
  return { visibilities: account.isRestricted ? [] : ['public', 'limited'], self: account.id }
}

/**
 * The followers and followed accounts of a user that a list returns to a viewer
 * (behaviour/users-and-admin#the-user-object).
 */
export function visibleRelatedUsers(viewer: Viewer): UserVisibility {
  const visible = visibleUsers(viewer)
  if (visible.self === undefined || viewer.kind === 'anonymous') return visible
  return viewer.account.isRestricted
    ? { ...visible, visibilities: ['public'] }
    : { ...visible, includesAcquaintances: true }
}
