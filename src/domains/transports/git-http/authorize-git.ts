import type { FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import {
  authorizeRequester,
  type RequesterDecision,
  type RepoDecision,
  type RepoRefusal,
} from '../../../core/access/authorize.ts'
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

export interface AuthorizeGitDeps {
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
export async function authorizeGit(
  deps: AuthorizeGitDeps,
  request: FastifyRequest,
  intent: Intent,
): Promise<GitTarget> {
  const { settings, repos } = deps
  if (settings.disabled) throw new Refusal(403, 'Interacting with repositories by HTTP protocol is not allowed')
  const wanted = wantedOf(request.params as { owner: string; repo: string })
  const viewer = await identify(deps, request)
  requireAuthorized(
    authorizeRequester(viewer, {
      requireSignIn: intent === 'push' || settings.requireSignIn,
      scopes: ['repository'],
      level: intent === 'push' ? 'write' : 'read',
    }),
    settings.realm,
  )
  const decision = await authorizeNamed(repos, viewer, wanted, intent)
  if (decision.kind === 'moved') throw decision.error
  if (decision.kind !== 'allowed') throw await refusalOf(deps, decision, { viewer, wanted, intent })
  const target = { viewer, isWiki: wanted.isWiki, repo: decision.repo, access: decision.access }
  if (intent === 'push') requireWritableWiki(target)
  return target
}

function wantedOf({ owner, repo }: { readonly owner: string; readonly repo: string }): Wanted {
  const base = repo.replace(/\.git$/i, '')
  return { owner, name: base.replace(/\.wiki$/i, ''), isWiki: /\.wiki$/i.test(base) }
}

/** The password was right, but git has no second step. */
const NEEDING_TOKEN: ReadonlySet<string> = new Set([errors.oneTimeCodeRefused.code, errors.passkeyRequired.code])

async function identify({ authenticate, settings }: AuthorizeGitDeps, request: FastifyRequest): Promise<Viewer> {
  try {
    return await authenticate(parseAuthorization(request.headers), clientOf(request))
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      throw askForLogin(NEEDING_TOKEN.has(error.code) ? NEEDS_TOKEN : 'Failed to authenticate user', settings.realm)
    if (isDomainError(error, 'too-many-requests')) throw new Refusal(429, error.message, { 'retry-after': '5' })
    throw error
  }
}

function requireAuthorized(decision: RequesterDecision, realm: string): void {
  if (decision.kind === 'allowed') return
  if (decision.kind === 'signIn') throw askForLogin('Unauthorized', realm)
  if (decision.reason === 'account-prohibited') throw new Refusal(403, 'Your account is disabled.')
  if (decision.reason === 'password-change-required') throw new Refusal(403, 'You must change your password first.')
  throw new Refusal(403, `token does not have the required scope ${decision.missing}`)
}

/**
 * A push requires only read access here: refs are authorized one by one, because accounts without write access may
 * propose changes. NOTE: a new name is sent only to viewers who may see its repository.
 */
async function authorizeNamed(
  repos: Services['repos'],
  viewer: Viewer,
  wanted: Wanted,
  intent: Intent,
): Promise<RepoDecision<Repo>> {
  const decision = await repos.authorize(viewer, wanted, {
    level: 'read',
    unit: wanted.isWiki ? 'repo.wiki' : 'repo.code',
    ...(intent === 'push' && { archived: 'refuse' }),
    ...(intent === 'push' && !wanted.isWiki && { mirror: 'refuse' }),
  })
  if (decision.kind !== 'moved') return decision
  const renamed = await authorizeNamed(repos, viewer, newName(decision.error, wanted), 'read')
  const mayLearn = renamed.kind === 'allowed' || (renamed.kind === 'forbidden' && renamed.reason === 'public-only')
  return mayLearn ? decision : renamed
}

function newName({ what, to }: MovedError, wanted: Wanted): Wanted {
  const [owner = '', renamed = wanted.name] = to.split('/')
  return what === 'repo' ? { ...wanted, owner, name: renamed } : { ...wanted, owner: to }
}

type Refused = Exclude<RepoDecision<Repo>, { readonly kind: 'allowed' | 'moved' }>

/** Missing and hidden repositories get the same response; anonymous clients must authenticate for both. */
async function refusalOf(
  { settings, users }: AuthorizeGitDeps,
  decision: Refused,
  { viewer, wanted, intent }: { readonly viewer: Viewer; readonly wanted: Wanted; readonly intent: Intent },
): Promise<Refusal> {
  if (viewer.kind === 'anonymous') return askForLogin('Unauthorized', settings.realm)
  if (decision.kind === 'forbidden') {
    const text = REFUSALS[decision.reason]
    if (text !== undefined) return new Refusal(403, text)
    if (wanted.isWiki && decision.reason === 'unit-off') return new Refusal(403, 'repository wiki is disabled')
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
