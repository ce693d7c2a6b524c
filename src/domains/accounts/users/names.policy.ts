/**
 * Why a name is refused, with the message for clients (behaviour/auth-and-access#names-and-passwords); undefined for a
 * valid name.
 */
export type NameProblem =
  | { readonly rule: 'Required' | 'AlphaDashDot' | 'invalid username' | `MaxSize (at most ${number} characters)` }
  | { readonly message: string }

/** Characters of the names of users and organizations. */
export const OWNER_NAME_LENGTH = 40
const REPO_NAME_LENGTH = 100

const RESERVED_OWNERS = new Set(
  (
    '. .. .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user explore issues pulls milestones notifications ' +
    'favicon.ico manifest.json robots.txt sitemap.xml ssh_info swagger.v1.json ghost gitea-actions devtest forgejo-actions openapi.json swagger healthz search'
  ).split(' '),
)
const OWNER_ENDINGS = ['keys', 'gpg', 'rss', 'atom', 'png']
const RESERVED_REPOS = new Set(['.', '..', '-'])
const REPO_ENDINGS = ['wiki', 'git', 'rss', 'atom']

/** Of users and organizations. */
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

export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
