import type { FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { admitCaller, type CallerAdmission, type RepoAdmission, type RepoRefusal } from '../../../core/access/admit.ts'
import { type Authenticate, parseAuthorization, type Viewer } from '../../../core/access/viewer.ts'
import { clientOf } from '../../../core/http/caller.ts'
import { isDomainError, MovedError } from '../../../core/platform/errors.ts'
import { type Repo, type RepoInView, parseRepoSettings } from '../../repositories/index.ts'
import { errors } from '../../errors.ts'
import { wikiMode } from '../../code/index.ts'
import { askForLogin, MissingForPush, Refusal } from './refusal.ts'

interface GitHttpSettings {
  readonly disabled: boolean
  readonly realm: string
  /** Origin of web pages that may send git requests; `*` allows any, empty none. */
  readonly allowOrigin: string
  readonly requireSignIn: boolean
}

export interface AdmitDeps {
  readonly authenticate: Authenticate
  readonly repos: Services['repos']
  readonly users: Services['users']
  readonly settings: GitHttpSettings
}

export interface GitTarget extends RepoInView {
  /** The request is for the wiki of the repository. */
  readonly isWiki: boolean
  readonly viewer: Viewer
}

export type Intent = 'read' | 'push'

/** The repository and service in a path. */
interface Wanted {
  readonly owner: string
  /** The name of the repository, without suffixes. */
  readonly name: string
  readonly isWiki: boolean
}

const NEEDS_TOKEN =
  'Users with two-factor authentication enabled cannot perform HTTP/HTTPS operations via plain username and ' +
  'password. Please create and use a personal access token as the password.'
const NO_WRITE = 'User permission denied for writing.'

/** The messages that git clients show for refusals; other refusals look like a missing repository. */
const REFUSALS: Partial<Record<RepoRefusal, string>> = {
  'public-only': 'token scope is limited to public repos',
  archived: 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.',
  mirror: 'mirror repository is read-only',
}

/**
 * Authenticates the client and authorizes access to the repository of the path
 * (behaviour/git-data-and-transport#git-over-http). Throws Refusal, and MovedError after a rename.
 */
export async function admit(deps: AdmitDeps, request: FastifyRequest, intent: Intent): Promise<GitTarget> {
  const { settings, repos } = deps
  if (settings.disabled) throw new Refusal(403, 'Interacting with repositories by HTTP protocol is not allowed')
  const wanted = wantedOf(request.params as { owner: string; repo: string })
  const viewer = await identify(deps, request)
  requireCaller(
    admitCaller(viewer, {
      requireSignIn: intent === 'push' || settings.requireSignIn,
      scopes: ['repository'],
      level: intent === 'push' ? 'write' : 'read',
    }),
    settings.realm,
  )
  const admission = await admitNamed(repos, viewer, wanted, intent)
  if (admission.kind === 'moved') throw admission.error
  if (admission.kind !== 'allowed') throw await refusalOf(deps, admission, { viewer, wanted, intent })
  const target = { viewer, isWiki: wanted.isWiki, repo: admission.repo, access: admission.access }
  if (intent === 'push') requireWritableWiki(target)
  return target
}

function wantedOf({ owner, repo }: { readonly owner: string; readonly repo: string }): Wanted {
  const base = repo.replace(/\.git$/i, '')
  return { owner, name: base.replace(/\.wiki$/i, ''), isWiki: /\.wiki$/i.test(base) }
}

/** The password was right, but git has no second step. */
const NEEDING_TOKEN: ReadonlySet<string> = new Set([errors.oneTimeCodeRefused.code, errors.passkeyRequired.code])

async function identify({ authenticate, settings }: AdmitDeps, request: FastifyRequest): Promise<Viewer> {
  try {
    return await authenticate(parseAuthorization(request.headers), clientOf(request))
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      throw askForLogin(NEEDING_TOKEN.has(error.code) ? NEEDS_TOKEN : 'Failed to authenticate user', settings.realm)
    if (isDomainError(error, 'too-many-requests')) throw new Refusal(429, error.message, { 'retry-after': '5' })
    throw error
  }
}

function requireCaller(admission: CallerAdmission, realm: string): void {
  if (admission.kind === 'allowed') return
  if (admission.kind === 'signIn') throw askForLogin('Unauthorized', realm)
  if (admission.reason === 'account-prohibited') throw new Refusal(403, 'Your account is disabled.')
  if (admission.reason === 'password-change-required') throw new Refusal(403, 'You must change your password first.')
  throw new Refusal(403, `token does not have the required scope ${admission.missing}`)
}

/**
 * A push requires only read access here: refs are authorized one by one, because accounts without write access may
 * propose changes. NOTE: a new name is sent only to viewers who may see its repository.
 */
async function admitNamed(
  repos: Services['repos'],
  viewer: Viewer,
  wanted: Wanted,
  intent: Intent,
): Promise<RepoAdmission<Repo>> {
  const admission = await repos.admit(viewer, wanted, {
    level: 'read',
    unit: wanted.isWiki ? 'repo.wiki' : 'repo.code',
    ...(intent === 'push' && { archived: 'refuse' }),
    ...(intent === 'push' && !wanted.isWiki && { mirror: 'refuse' }),
  })
  if (admission.kind !== 'moved') return admission
  const renamed = await admitNamed(repos, viewer, newName(admission.error, wanted), 'read')
  const mayLearn = renamed.kind === 'allowed' || (renamed.kind === 'forbidden' && renamed.reason === 'public-only')
  return mayLearn ? admission : renamed
}

function newName({ what, to }: MovedError, wanted: Wanted): Wanted {
  const [owner = '', renamed = wanted.name] = to.split('/')
  return what === 'repo' ? { ...wanted, owner, name: renamed } : { ...wanted, owner: to }
}

type Refused = Exclude<RepoAdmission<Repo>, { readonly kind: 'allowed' | 'moved' }>

/** Missing and hidden repositories get the same response; anonymous clients must authenticate for both. */
async function refusalOf(
  { settings, users }: AdmitDeps,
  admission: Refused,
  { viewer, wanted, intent }: { readonly viewer: Viewer; readonly wanted: Wanted; readonly intent: Intent },
): Promise<Refusal> {
  if (viewer.kind === 'anonymous') return askForLogin('Unauthorized', settings.realm)
  if (admission.kind === 'forbidden') {
    const text = REFUSALS[admission.reason]
    if (text !== undefined) return new Refusal(403, text)
    if (wanted.isWiki && admission.reason === 'unit-off') return new Refusal(403, 'repository wiki is disabled')
  }
  const text = (await isOwnerVisible(users, viewer, wanted.owner)) ? 'Repository not found' : 'Not found.'
  return intent === 'push' && !wanted.isWiki
    ? new MissingForPush(text, { viewer, owner: wanted.owner, repo: wanted.name })
    : new Refusal(404, text)
}

/** An owner whom the viewer may not see is treated as missing. */
async function isOwnerVisible(users: Services['users'], viewer: Viewer, owner: string): Promise<boolean> {
  try {
    await users.getInView(viewer, owner)
    return true
  } catch (error) {
    if (error instanceof MovedError || isDomainError(error, 'not-found')) return false
    throw error
  }
}

/** Proposed changes are not supported for wikis. */
function requireWritableWiki({ repo, access, viewer, isWiki }: GitTarget): void {
  if (!isWiki) return
  const { globallyEditableWiki: isGloballyEditable } = parseRepoSettings(repo.settings)
  if (wikiMode(viewer, { units: repo.units, access, isGloballyEditable }) < AccessMode.write)
    throw new Refusal(403, NO_WRITE)
}
