import type { FastifyRequest } from 'fastify'
import { AccessMode } from '../../access/access-mode.ts'
import { type Authenticate, type Credentials, parseAuthorization } from '../../access/credentials.ts'
import { unitMode } from '../../access/repo-access.ts'
import { missingScope } from '../../access/scopes.ts'
import { ANONYMOUS, decideAccountState, isPublicOnly, type Viewer } from '../../access/viewer.ts'
import { isDomainError, MovedError } from '../../platform/errors.ts'
import type { RepoInView, Repos } from '../repos/index.ts'
import type { KeyLogins } from '../sign-in/index.ts'
import type { LfsTokens } from './lfs-tokens.service.ts'
import { LfsRefusal, unauthorized } from './refusal.ts'

export interface LfsAdmitDeps {
  readonly authenticate: Authenticate
  readonly keyLogins: KeyLogins
  readonly repos: Repos
  readonly tokens: LfsTokens
  readonly requireSignIn: boolean
}

export interface LfsVisit extends RepoInView {
  readonly viewer: Viewer
}

export type LfsNeed = 'read' | 'write'

const ARCHIVED = 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'
const MAX_RENAMES = 5

/**
 * Who calls and whether they may. What is missing, hidden or forbidden all ask for a login, with the same words. Throws
 * LfsRefusal.
 */
export async function admit(
  deps: LfsAdmitDeps,
  request: FastifyRequest,
  need: LfsNeed,
  words?: string,
): Promise<LfsVisit> {
  const credentials = parseAuthorization(request.headers)
  const isTokenOfSsh = credentials.kind === 'token' && deps.tokens.looksLikeOne(credentials.token)
  const visit = isTokenOfSsh
    ? await visitByToken(deps, request, credentials.token, need)
    : await visitByLogin(deps, request, credentials, need)
  if (visit === undefined || unitMode(visit.access, 'repo.code') < AccessMode[need]) throw unauthorized(words)
  if (need === 'write' && visit.repo.isArchived) throw new LfsRefusal(403, ARCHIVED)
  return visit
}

/** A client that signed in by SSH: as long as its key is there, in the one repository, for what was asked then. */
async function visitByToken(
  { keyLogins, tokens }: LfsAdmitDeps,
  request: FastifyRequest,
  token: string,
  need: LfsNeed,
): Promise<LfsVisit | undefined> {
  const grant = tokens.verify(token)
  const holder = grant && (await keyLogins.findAgain({ kind: grant.keyKind, id: grant.keyId }))
  if (grant === undefined || holder === undefined || (need === 'write' && grant.operation !== 'upload'))
    return undefined
  if (holder.kind === 'user' && decideAccountState(holder.user) !== 'allowed') return undefined
  const { owner, name } = named(request)
  const target = await keyLogins.findTarget(holder, owner, name)
  return target?.repo.id === grant.repoId ? target : undefined
}

async function visitByLogin(
  deps: LfsAdmitDeps,
  request: FastifyRequest,
  credentials: Credentials,
  need: LfsNeed,
): Promise<LfsVisit | undefined> {
  const viewer = await identify(deps, credentials, request.ip)
  if (viewer.kind === 'anonymous' && (deps.requireSignIn || need === 'write')) return undefined
  if (viewer.kind === 'user') {
    if (decideAccountState(viewer.account) !== 'allowed') throw new LfsRefusal(403, 'Your account is disabled.')
    const missing = missingScope(viewer.scopes, need, ['repository'])
    if (missing !== undefined) throw new LfsRefusal(403, `token does not have the required scope ${missing}`)
  }
  const found = await findFollowing(deps.repos, viewer, request)
  if (found === undefined) return undefined
  const isOpen = !found.repo.isPrivate && found.repo.owner.visibility === 'public'
  if (isPublicOnly(viewer) && !isOpen) throw new LfsRefusal(403, 'token scope is limited to public repos')
  return { viewer, ...found }
}

async function identify({ authenticate }: LfsAdmitDeps, credentials: Credentials, address: string): Promise<Viewer> {
  if (credentials.kind === 'none') return ANONYMOUS
  try {
    return await authenticate(credentials, address)
  } catch (error) {
    if (isDomainError(error, 'unauthenticated')) throw unauthorized('Failed to authenticate user')
    if (isDomainError(error, 'too-many-requests')) throw new LfsRefusal(429, error.message, { 'retry-after': '5' })
    throw error
  }
}

/** Clients do not follow a redirect of a POST, so an old name is as good as the new one. */
async function findFollowing(repos: Repos, viewer: Viewer, request: FastifyRequest): Promise<RepoInView | undefined> {
  let { owner, name } = named(request)
  for (let hops = 0; hops < MAX_RENAMES; hops++) {
    try {
      return await repos.getInView(viewer, owner, name)
    } catch (error) {
      if (isDomainError(error, 'not-found')) return undefined
      if (!(error instanceof MovedError)) throw error
      const [newOwner = owner, newName = name] = error.what === 'repo' ? error.to.split('/') : [error.to, name]
      owner = newOwner
      name = newName
    }
  }
  return undefined
}

function named(request: FastifyRequest): { owner: string; name: string } {
  const { owner, repo } = request.params as { owner: string; repo: string }
  return { owner, name: repo.replace(/\.git$/i, '') }
}
