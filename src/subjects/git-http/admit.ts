import type { FastifyRequest } from 'fastify'
import { AccessMode } from '../../access/access-mode.ts'
import { type Authenticate, parseAuthorization } from '../../access/credentials.ts'
import { unitMode } from '../../access/repo-access.ts'
import { missingScope } from '../../access/scopes.ts'
import { hasUnit } from '../../access/units.ts'
import { decideAccountState, isPublicOnly, type SignedIn, type Viewer } from '../../access/viewer.ts'
import { isDomainError, MovedError, notFound } from '../../platform/errors.ts'
import { parseRepoSettings, type RepoInView, type Repos } from '../repos/index.ts'
import { ONE_TIME_CODE_REFUSED } from '../sign-in/index.ts'
import type { Users } from '../users/index.ts'
import { wikiMode } from '../wiki/index.ts'
import { askForLogin, MissingForPush, Refusal } from './refusal.ts'

export interface GitHttpSettings {
  readonly disabled: boolean
  readonly realm: string
  /** Of web pages that may speak git; `*` is any, empty is none. */
  readonly allowOrigin: string
  readonly requireSignIn: boolean
}

export interface AdmitDeps {
  readonly authenticate: Authenticate
  readonly repos: Repos
  readonly users: Users
  readonly settings: GitHttpSettings
}

export interface GitTarget extends RepoInView {
  /** The wiki beside the repository is meant. */
  readonly isWiki: boolean
  readonly viewer: Viewer
}

export type Intent = 'read' | 'push'

const NEEDS_TOKEN =
  'Users with two-factor authentication enabled cannot perform HTTP/HTTPS operations via plain username and password. Please create and use a personal access token as the password.'
const ARCHIVED = 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'

/**
 * Who calls, which repo, and may they (behaviour/git-data-and-transport#git-over-http, Who). Throws Refusal, or
 * MovedError after a rename.
 */
export async function admit(deps: AdmitDeps, request: FastifyRequest, intent: Intent): Promise<GitTarget> {
  const { settings } = deps
  if (settings.disabled) throw new Refusal(403, 'Interacting with repositories by HTTP protocol is not allowed')
  const { owner, repo: path } = request.params as { owner: string; repo: string }
  const base = path.replace(/\.git$/i, '')
  const isWiki = /\.wiki$/i.test(base)
  const wanted = { owner, name: base.replace(/\.wiki$/i, ''), isWiki }
  const viewer = await identify(deps, request)
  if (viewer.kind === 'anonymous') {
    if (intent === 'push' || settings.requireSignIn) throw askForLogin('Unauthorized', settings.realm)
    return { viewer, isWiki, ...(await findForAnonymous(deps, wanted)) }
  }
  requireUsable(viewer, intent)
  const found = await findForViewer(deps, viewer, wanted, intent)
  const isOpen = !found.repo.isPrivate && found.repo.owner.visibility === 'public'
  if (isPublicOnly(viewer) && !isOpen) throw new Refusal(403, 'token scope is limited to public repos')
  const target = { viewer, isWiki, ...found }
  if (intent === 'push') requireWritable(target)
  return target
}

async function identify({ authenticate, settings }: AdmitDeps, request: FastifyRequest): Promise<Viewer> {
  try {
    return await authenticate(parseAuthorization(request.headers), request.ip)
  } catch (error) {
    if (isDomainError(error, 'unauthenticated'))
      throw askForLogin(
        error.message === ONE_TIME_CODE_REFUSED ? NEEDS_TOKEN : 'Failed to authenticate user',
        settings.realm,
      )
    if (isDomainError(error, 'too-many-requests')) throw new Refusal(429, error.message, { 'retry-after': '5' })
    throw error
  }
}

function requireUsable(viewer: Viewer & { kind: 'user' }, intent: Intent): void {
  const state = decideAccountState(viewer.account)
  if (state === 'prohibited') throw new Refusal(403, 'Your account is disabled.')
  if (state === 'must-change-password') throw new Refusal(403, 'You must change your password first.')
  const level = intent === 'push' ? 'write' : 'read'
  const missing = missingScope(viewer.scopes, level, ['repository'])
  if (missing !== undefined) throw new Refusal(403, `token does not have the required scope ${missing}`)
}

/** Missing, private and renamed out of sight look the same to a viewer who is not signed in: all ask for a login. */
async function findForAnonymous({ repos, settings }: AdmitDeps, wanted: Wanted): Promise<RepoInView> {
  try {
    return await findReadable(repos, { kind: 'anonymous' }, wanted)
  } catch (error) {
    throw isDomainError(error, 'not-found') || error instanceof Refusal
      ? askForLogin('Unauthorized', settings.realm)
      : error
  }
}

async function findForViewer(
  { repos, users }: AdmitDeps,
  viewer: SignedIn,
  wanted: Wanted,
  intent: Intent,
): Promise<RepoInView> {
  try {
    return await findReadable(repos, viewer, wanted)
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
    const text = (await isOwnerVisible(users, viewer, wanted.owner)) ? 'Repository not found' : 'Not found.'
    throw intent === 'push' && !wanted.isWiki
      ? new MissingForPush(text, { viewer, owner: wanted.owner, repo: wanted.name })
      : new Refusal(404, text)
  }
}

/** An owner whom the viewer may not see is as unknown as one that is not there. */
async function isOwnerVisible(users: Users, viewer: Viewer, owner: string): Promise<boolean> {
  try {
    await users.getInView(viewer, owner)
    return true
  } catch (error) {
    if (error instanceof MovedError || isDomainError(error, 'not-found')) return false
    throw error
  }
}

interface Wanted {
  readonly owner: string
  /** Of the repository, without endings. */
  readonly name: string
  readonly isWiki: boolean
}

/** NOTE: a new name is sent only to viewers who may see the repository it leads to. */
async function findReadable(repos: Repos, viewer: Viewer, wanted: Wanted): Promise<RepoInView> {
  const { owner, name, isWiki } = wanted
  try {
    const found = await repos.getInView(viewer, owner, name)
    if (isWiki && !hasUnit(found.repo.units, 'repo.wiki')) throw new Refusal(403, 'repository wiki is disabled')
    const unit = isWiki ? 'repo.wiki' : 'repo.code'
    if (unitMode(found.access, unit) < AccessMode.read) throw notFound(`${unit} is not readable`)
    return found
  } catch (error) {
    if (error instanceof MovedError) await findReadable(repos, viewer, newName(error, wanted))
    throw error
  }
}

function newName({ what, to }: MovedError, wanted: Wanted): Wanted {
  const [owner = '', renamed = wanted.name] = to.split('/')
  return what === 'repo' ? { ...wanted, owner, name: renamed } : { ...wanted, owner: to }
}

/** A push without write access to the code may still propose changes, which is decided by ref; a wiki takes no proposals. */
function requireWritable({ repo, access, viewer, isWiki }: GitTarget): void {
  if (repo.isArchived) throw new Refusal(403, ARCHIVED)
  if (repo.isMirror && !isWiki) throw new Refusal(403, 'mirror repository is read-only')
  const { globallyEditableWiki: isGloballyEditable } = parseRepoSettings(repo.settings)
  if (isWiki && wikiMode(viewer, { units: repo.units, access, isGloballyEditable }) < AccessMode.write)
    throw new Refusal(403, 'User permission denied for writing.')
}
