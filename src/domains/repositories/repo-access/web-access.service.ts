import { admitCaller, type RepoNeed } from '../../../core/access/admit.ts'
import { type Authenticate, type Headers, parseAuthorization } from '../../../core/access/credentials.ts'
import { ANONYMOUS, type Viewer, viewerOfAccount } from '../../../core/access/viewer.ts'
import { clientOf } from '../../../core/http/request-source.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { type RepoInView, requireVisible } from '../repos/lookup.ts'
import type { Repos } from '../repos/repos.service.ts'
import type { CookieJar, Sessions } from '../../accounts/index.ts'

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
  readonly sessions: Pick<Sessions, 'find'>
  readonly jar: Pick<CookieJar, 'read'>
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
