import type { FastifyRequest } from 'fastify'
import { ONE_TIME_CODE_REFUSED, parseAuthorization, type Authenticate } from '../../domain/access/index.ts'
import type { RepoInView, Repos } from '../../domain/repos/index.ts'
import type { Users } from '../../domain/users/index.ts'
import { MovedError, isDomainError, notFound } from '../../platform/errors.ts'
import { AccessMode } from '../../policy/access-mode.ts'
import { unitMode } from '../../policy/repo-access.ts'
import { missingScope } from '../../policy/scopes.ts'
import { decideAccountState, isPublicOnly, type Viewer } from '../../policy/viewer.ts'
import { Refusal, askForLogin } from './refusal.ts'

export interface GitDoorSettings {
  readonly disabled: boolean
  readonly realm: string
  readonly requireSignIn: boolean
}

export interface AdmitDeps {
  readonly authenticate: Authenticate
  readonly repos: Repos
  readonly users: Users
  readonly settings: GitDoorSettings
}

export interface GitTarget extends RepoInView {
  readonly viewer: Viewer
}

export type Intent = 'read' | 'push'

const NEEDS_TOKEN = 'Users with two-factor authentication enabled cannot perform HTTP/HTTPS operations via plain username and password. Please create and use a personal access token as the password.'
const ARCHIVED = 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'

/** Who calls, which repo, and may they (reference git-data-and-transport §11, Who). Throws Refusal, or MovedError after a rename. */
export async function admit(deps: AdmitDeps, request: FastifyRequest, intent: Intent): Promise<GitTarget> {
  const { settings } = deps
  if (settings.disabled) throw new Refusal(403, 'Interacting with repositories by HTTP protocol is not allowed')
  const { owner, repo: path } = request.params as { owner: string; repo: string }
  const name = path.replace(/\.git$/i, '')
  const viewer = await identify(deps, request)
  if (viewer.kind === 'anonymous') {
    if (intent === 'push' || settings.requireSignIn) throw askForLogin('Unauthorized', settings.realm)
    return { viewer, ...(await findForAnonymous(deps, owner, name)) }
  }
  requireUsable(viewer, intent)
  const found = await findForViewer(deps, viewer, owner, name)
  const isOpen = !found.repo.isPrivate && found.repo.owner.visibility === 'public'
  if (isPublicOnly(viewer) && !isOpen) throw new Refusal(403, 'token scope is limited to public repos')
  if (intent === 'push') requireWritable(found)
  return { viewer, ...found }
}

async function identify({ authenticate, settings }: AdmitDeps, request: FastifyRequest): Promise<Viewer> {
  try {
    return await authenticate(parseAuthorization(request.headers), request.ip)
  } catch (error) {
    if (isDomainError(error, 'unauthenticated')) throw askForLogin(error.message === ONE_TIME_CODE_REFUSED ? NEEDS_TOKEN : 'Failed to authenticate user', settings.realm)
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

/** A stranger learns nothing: what is missing, private or renamed out of sight all ask for a login. */
async function findForAnonymous({ repos, settings }: AdmitDeps, owner: string, name: string): Promise<RepoInView> {
  try {
    return await findReadable(repos, { kind: 'anonymous' }, { owner, name })
  } catch (error) {
    throw isDomainError(error, 'not-found') ? askForLogin('Unauthorized', settings.realm) : error
  }
}

async function findForViewer({ repos, users }: AdmitDeps, viewer: Viewer, owner: string, name: string): Promise<RepoInView> {
  try {
    return await findReadable(repos, viewer, { owner, name })
  } catch (error) {
    if (!isDomainError(error, 'not-found')) throw error
    throw new Refusal(404, (await users.findByName(owner)) === undefined ? 'Not found.' : 'Repository not found')
  }
}

interface Name {
  readonly owner: string
  readonly name: string
}

/** NOTE: a new name is told only to those who may see the repository it leads to. */
async function findReadable(repos: Repos, viewer: Viewer, { owner, name }: Name): Promise<RepoInView> {
  try {
    const found = await repos.getInView(viewer, owner, name)
    if (unitMode(found.access, 'repo.code') < AccessMode.read) throw notFound('the code is not readable')
    return found
  } catch (error) {
    if (error instanceof MovedError) await findReadable(repos, viewer, newName(error, name))
    throw error
  }
}

function newName({ what, to }: MovedError, name: string): Name {
  const [owner = '', renamed = name] = to.split('/')
  return what === 'repo' ? { owner, name: renamed } : { owner: to, name }
}

function requireWritable({ repo }: RepoInView): void {
  if (repo.isArchived) throw new Refusal(403, ARCHIVED)
  if (repo.isMirror) throw new Refusal(403, 'mirror repository is read-only')
}
