import type { Services } from '../../../core/module.ts'
import { canSeeRepo, deployAccess } from '../../../core/access/repo-access.ts'
import {
  ANONYMOUS,
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
import { admitCaller, type RepoNeed } from '../../../core/access/admit.ts'
import { clientOf } from '../../../core/http/caller.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Repos } from '../repos/repos.service.ts'

/** A repository as the holder of a key may see it. */
export interface KeyTarget extends RepoInView {
  /** The user of the key; for a deploy key the owner of the repository, limited to what the key may do. */
  readonly viewer: SignedIn
  readonly key: KeyUse
  /** A deploy key of other repositories: it reads here what anonymous viewers may. */
  readonly isForeign: boolean
}

export type KeyTargets = ReturnType<typeof createKeyTargets>

/** The repositories that the holders of SSH keys may see. */
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
    /** The repository of this name, or of a name it once had; undefined when it is missing or hidden from the holder. */
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

/** What is needed of a request to an address outside of the API. */
interface WebRequest {
  readonly headers: Headers
  /** The address of the client. */
  readonly ip: string
  /** Of the path, `owner` and `repo` among them for a repository. */
  readonly params: unknown
}

interface RepoVisit extends RepoInView {
  readonly viewer: Viewer
}

export type WebAccess = ReturnType<typeof createWebAccess>

/**
 * Access to the addresses that answers point to, by the credentials of the API, and without them by the session of a
 * browser that is signed in. What is missing and what the caller may not read are NotFound alike
 * (behaviour/git-data-and-transport#web-addresses). NOTE: for reading only: nothing here proves that a page of this
 * server sent the request.
 */
export function createWebAccess({
  authenticate,
  repos,
  sessions,
  jar,
  requireSignIn,
}: {
  readonly authenticate: Authenticate
  readonly repos: Pick<Repos, 'admit'>
  readonly sessions: Pick<Services['sessions'], 'find'>
  readonly jar: Pick<ReturnType<typeof webPages.createCookieJar>, 'read'>
  readonly requireSignIn: boolean
}) {
  async function identify(request: WebRequest): Promise<Viewer> {
    const credentials = parseAuthorization(request.headers)
    const user = credentials.kind === 'none' ? await sessions.find(jar.read(request, 'session')) : undefined
    return user === undefined ? authenticate(credentials, clientOf(request)) : viewerOfAccount(user)
  }
  /** As `viewer`; undefined for anonymous callers where all callers must sign in. */
  async function findViewer(request: WebRequest): Promise<Viewer | undefined> {
    const caller = await identify(request)
    if (admitCaller(caller, { requireSignIn, scopes: ['repository'], level: 'read' }).kind === 'allowed') return caller
    return requireSignIn ? undefined : ANONYMOUS
  }
  /**
   * Who calls; callers that the API would refuse count as anonymous. Throws NotFound for anonymous callers where
   * all callers must sign in, Unauthenticated and TooManyRequests as `Authenticate`.
   */
  async function viewer(request: WebRequest): Promise<Viewer> {
    const found = await findViewer(request)
    if (found === undefined) throw notFound('only signed-in users may look')
    return found
  }
  return {
    viewer,
    findViewer,
    /** The repository of the path when the caller may read it, or the unit of `need`. Throws as `viewer`, and Moved. */
    async requireRepo(request: WebRequest, need: Pick<RepoNeed, 'unit'> = {}): Promise<RepoVisit> {
      const { owner, repo: name } = request.params as { owner: string; repo: string }
      const caller = await viewer(request)
      const level = need.unit === undefined ? 'see' : 'read'
      return {
        viewer: caller,
        ...requireVisible(await repos.admit(caller, { owner, name }, { ...need, level })),
      }
    },
  }
}
