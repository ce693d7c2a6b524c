import type { FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import {
  authorizeRepo,
  authorizeRequester,
  type RequesterDecision,
  type RepoDecision,
} from '../../../core/access/authorize.ts'
import {
  type Authenticate,
  type Credentials,
  parseAuthorization,
  ANONYMOUS,
  isSignedIn,
  type Viewer,
} from '../../../core/access/viewer.ts'
import { clientOf } from '../../../core/http/caller.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { RequestClient } from '../../../core/platform/request-source.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { viewerOfKey } from '../../accounts/index.ts'
import type { LfsTokens } from './lfs-tokens.service.ts'
import { LfsRefusal, unauthorized } from './handler.ts'
import type { LfsLocks } from './locks/lfs-locks.service.ts'
import type { LfsObjects } from './objects/lfs-objects.service.ts'

export interface LfsAuthorizeDeps {
  readonly authenticate: Authenticate
  readonly keyLogins: Services['keyLogins']
  readonly keyTargets: Services['keyTargets']
  readonly repos: Services['repos']
  readonly tokens: LfsTokens
  readonly requireSignIn: boolean
  readonly branchWriters: Services['branchWriters']
}

export interface LfsAccess extends RepoInView {
  readonly viewer: Viewer
}

type Level = keyof typeof NEEDS

const NEEDS = {
  read: { unit: 'repo.code', level: 'read' },
  write: { unit: 'repo.code', level: 'write', archived: 'refuse' },
} as const

export interface LfsNeeded {
  /** `upload`: write access to some branch, as for `git push`, including access as a maintainer. */
  readonly need: 'read' | 'upload' | 'write'
  /** The pushed branch of an upload; undefined for any branch. */
  readonly branch?: string | undefined
  /** The message of the 401, instead of the default. */
  readonly words?: string | undefined
}

const ARCHIVED = 'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'

/** The messages of refusals; all other errors ask for credentials. */
const REFUSALS: Partial<Record<string, string>> = {
  'public-only': 'token scope is limited to public repos',
  archived: ARCHIVED,
}

interface Authorized {
  readonly viewer: Viewer
  readonly decision: RepoDecision<Repo>
}

/**
 * Authenticates the requester and authorizes access to the repository of the path. Former names resolve to the
 * repository, because clients do not follow a redirect of a POST. Missing, hidden and forbidden repositories all return
 * 401 with the same message. Throws LfsRefusal.
 */
export async function authorizeLfs(
  deps: LfsAuthorizeDeps,
  request: FastifyRequest,
  { need, branch, words }: LfsNeeded,
): Promise<LfsAccess> {
  const { viewer, decision } = await decide(deps, request, { level: need === 'upload' ? 'write' : need, words })
  if (decision.kind === 'allowed') return { viewer, repo: decision.repo, access: decision.access }
  const reason = decision.kind === 'forbidden' ? decision.reason : undefined
  if (need === 'upload' && reason === 'level') return authorizeMaintainer(deps, request, { branch, words })
  const text = reason && REFUSALS[reason]
  throw text === undefined ? unauthorized(words) : new LfsRefusal(403, text)
}

/** Authorizes a user who reads the repository and may push to a branch of it as a maintainer. */
async function authorizeMaintainer(
  deps: LfsAuthorizeDeps,
  request: FastifyRequest,
  { branch, words }: Pick<LfsNeeded, 'branch' | 'words'>,
): Promise<LfsAccess> {
  const access = await authorizeLfs(deps, request, { need: 'read', words })
  const writer = isSignedIn(access.viewer) && (await deps.branchWriters.find(access.viewer, access, branch))
  if (!writer) throw unauthorized(words)
  if (access.repo.isArchived) throw new LfsRefusal(403, ARCHIVED)
  return access
}

interface LfsNeed {
  readonly level: Level
  readonly words: string | undefined
}

function decide(deps: LfsAuthorizeDeps, request: FastifyRequest, { level, words }: LfsNeed): Promise<Authorized> {
  const credentials = parseAuthorization(request.headers)
  const isTokenOfSsh = credentials.kind === 'token' && deps.tokens.looksLikeOne(credentials.token)
  return isTokenOfSsh
    ? authorizeByToken(deps, request, credentials.token, level)
    : authorizeByLogin(deps, request, { credentials, need: level, words })
}

const HIDDEN: Authorized = { viewer: ANONYMOUS, decision: { kind: 'hidden' } }

/** A token that was issued over SSH: valid while its key exists, for one repository and one operation. */
async function authorizeByToken(
  { keyLogins, keyTargets, tokens }: LfsAuthorizeDeps,
  request: FastifyRequest,
  token: string,
  need: Level,
): Promise<Authorized> {
  const grant = tokens.verify(token)
  const holder = grant && (await keyLogins.findAgain({ kind: grant.keyKind, id: grant.keyId }))
  if (grant === undefined || holder === undefined || (need === 'write' && grant.operation !== 'upload')) return HIDDEN
  if (holder.kind === 'user' && authorizeRequester(viewerOfKey(holder), {}).kind !== 'allowed') return HIDDEN
  const { owner, name } = named(request)
  const target = await keyTargets.find(holder, owner, name)
  if (target === undefined || target.repo.id !== grant.repoId) return HIDDEN
  return { viewer: target.viewer, decision: authorizeRepo(target.viewer, { kind: 'found', ...target }, NEEDS[need]) }
}

async function authorizeByLogin(
  { authenticate, repos, requireSignIn }: LfsAuthorizeDeps,
  request: FastifyRequest,
  {
    credentials,
    need,
    words,
  }: { readonly credentials: Credentials; readonly need: Level; readonly words?: string | undefined },
): Promise<Authorized> {
  const viewer = await identify(authenticate, credentials, clientOf(request))
  const mustSignIn = requireSignIn || need === 'write'
  requireAuthorized(
    authorizeRequester(viewer, { requireSignIn: mustSignIn, scopes: ['repository'], level: need }),
    words,
  )
  return { viewer, decision: await repos.authorize(viewer, named(request), { ...NEEDS[need], follow: true }) }
}

function requireAuthorized(decision: RequesterDecision, words: string | undefined): void {
  if (decision.kind === 'signIn') throw unauthorized(words)
  if (decision.kind !== 'forbidden') return
  throw new LfsRefusal(
    403,
    decision.reason === 'scope'
      ? `token does not have the required scope ${decision.missing}`
      : 'Your account is disabled.',
  )
}

async function identify(authenticate: Authenticate, credentials: Credentials, client: RequestClient): Promise<Viewer> {
  if (credentials.kind === 'none') return ANONYMOUS
  try {
    return await authenticate(credentials, client)
  } catch (error) {
    if (isDomainError(error, 'unauthenticated')) throw unauthorized('Failed to authenticate user')
    if (isDomainError(error, 'too-many-requests')) throw new LfsRefusal(429, error.message, { 'retry-after': '5' })
    throw error
  }
}

function named(request: FastifyRequest): { owner: string; name: string } {
  const { owner, repo } = request.params as { owner: string; repo: string }
  return { owner, name: repo.replace(/\.git$/i, '') }
}

export interface LfsRouteDeps extends LfsAuthorizeDeps {
  readonly objects: LfsObjects
  readonly locks: LfsLocks
  readonly maxBatchSize: number
  readonly locksPerPage: number
  /** The lifetime in seconds of URLs of the object store; undefined if clients get none. */
  readonly redirectLifetime: number | undefined
  rootUrl(): string
}
