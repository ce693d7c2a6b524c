import type { Services } from '../../../core/module.ts'
import { canSeeRepo, deployAccess } from '../../../core/access/repo-access.ts'
import {
  ANONYMOUS,
  type ScopeCategory,
  type SignedIn,
  type Viewer,
  viewerOfAccount,
  type Authenticate,
  type Headers,
  parseAuthorization,
} from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { type RepoInView, findRepoByAnyName, loadRepoAccess, requireVisible } from '../repos/lookup.ts'
import {
  type KeyHolder,
  type KeyUse,
  viewerOfKey,
  viewerOfKeyOwner,
  userQueries,
  type webPages,
} from '../../accounts/index.ts'
import { authorizeRequester, type RepoNeed } from '../../../core/access/authorize.ts'
import { clientOf } from '../../../core/http/caller.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Repos } from '../repos/repos.service.ts'

/** A repository in the view of the holder of a key. */
export interface KeyTarget extends RepoInView {
  /** The user of the key; for a deploy key, the owner of the repository with the permissions of the key. */
  readonly viewer: SignedIn
  readonly key: KeyUse
  /** Whether the key is a deploy key of other repositories: here it has the rights of anonymous viewers. */
  readonly isForeign: boolean
}

export type KeyTargets = ReturnType<typeof createKeyTargets>

/** Finds the repositories that are visible to holders of SSH keys. */
export function createKeyTargets(read: Db) {
  async function deployTarget(
    { grants }: KeyHolder & { kind: 'deploy' },
    repo: RepoInView['repo'],
  ): Promise<KeyTarget | undefined> {
    const own = grants.find((grant) => grant.repoId === repo.id)
    const grant = own ?? grants[0]
    const account = await userQueries.findById(read, repo.owner.id)
    const access = own ? deployAccess(repo, own.isReadOnly) : await loadRepoAccess(read, ANONYMOUS, repo)
    if (account === undefined || !canSeeRepo(access)) return undefined
    const viewer: SignedIn = { ...viewerOfKeyOwner(account), onlyRepos: new Set([repo.id]), deployKeyId: grant.id }
    return {
      repo,
      access,
      viewer,
      key: { kind: 'deploy', id: grant.id, title: grant.title },
      isForeign: own === undefined,
    }
  }

  return {
    /** Finds the repository by its name or a former name; undefined if it is missing or hidden from the holder. */
    async find(holder: KeyHolder, owner: string, name: string): Promise<KeyTarget | undefined> {
      const repo = await findRepoByAnyName(read, owner, name)
      if (repo === undefined) return undefined
      if (holder.kind === 'deploy') return deployTarget(holder, repo)
      const viewer = viewerOfKey(holder)
      const access = await loadRepoAccess(read, viewer, repo)
      return canSeeRepo(access) ? { repo, access, viewer, key: holder.key, isForeign: false } : undefined
    },
  }
}

/** The parts of a request to a web URL outside of the API. */
interface WebRequest {
  readonly headers: Headers
  /** The IP address of the client. */
  readonly ip: string
  /** The path parameters, including `owner` and `repo` for a repository. */
  readonly params: unknown
}

interface ViewedRepo extends RepoInView {
  readonly viewer: Viewer
}

export type WebAccess = ReturnType<typeof createWebAccess>

/**
 * Access to the web URLs in responses, with the credentials of the API or the session of a signed-in browser. Missing
 * and unreadable resources are both NotFound (behaviour/git-data-and-transport#web-addresses). NOTE: only for reading:
 * nothing here protects against cross-site requests.
 */
export function createWebAccess({
  authenticate,
  repos,
  sessions,
  jar,
  requireSignIn,
}: {
  readonly authenticate: Authenticate
  readonly repos: Pick<Repos, 'authorize'>
  readonly sessions: Pick<Services['sessions'], 'find'>
  readonly jar: Pick<ReturnType<typeof webPages.createCookieJar>, 'read'>
  readonly requireSignIn: boolean
}) {
  async function identify(request: WebRequest): Promise<Viewer> {
    const credentials = parseAuthorization(request.headers)
    const user = credentials.kind === 'none' ? await sessions.find(jar.read(request, 'session')) : undefined
    return user === undefined ? authenticate(credentials, clientOf(request)) : viewerOfAccount(user)
  }
  /**
   * Like `viewer`, but undefined for anonymous requests if the server requires signing in. Credentials without all
   * scopes count as none.
   */
  async function findViewer(
    request: WebRequest,
    scopes: readonly ScopeCategory[] = ['repository'],
  ): Promise<Viewer | undefined> {
    const requester = await identify(request)
    if (authorizeRequester(requester, { requireSignIn, scopes, level: 'read' }).kind === 'allowed') return requester
    return requireSignIn ? undefined : ANONYMOUS
  }
  /**
   * The authenticated viewer; requests that the API would reject count as anonymous. Throws NotFound for anonymous
   * requests if the server requires signing in, and the Unauthenticated and TooManyRequests of `Authenticate`.
   */
  async function viewer(request: WebRequest): Promise<Viewer> {
    const found = await findViewer(request)
    if (found === undefined) throw notFound('only signed-in users may look')
    return found
  }
  return {
    viewer,
    findViewer,
    /**
     * The repository of the path if the viewer may read it, or the unit of `need`. Throws the errors of `viewer`, and
     * Moved.
     */
    async requireRepo(request: WebRequest, need: Pick<RepoNeed, 'unit'> = {}): Promise<ViewedRepo> {
      const { owner, repo: name } = request.params as { owner: string; repo: string }
      const requester = await viewer(request)
      const level = need.unit === undefined ? 'see' : 'read'
      return {
        viewer: requester,
        ...requireVisible(await repos.authorize(requester, { owner, name }, { ...need, level })),
      }
    },
  }
}
