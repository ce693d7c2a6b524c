import { admitCaller, type RepoNeed } from '../../access/admit.ts'
import { type Authenticate, type Headers, parseAuthorization } from '../../access/credentials.ts'
import { ANONYMOUS, type Viewer } from '../../access/viewer.ts'
import { notFound } from '../../platform/errors.ts'
import { type RepoInView, type Repos, requireVisible } from '../repos/index.ts'

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

/**
 * Access to the addresses that answers point to, by the credentials of the API. What is missing and what the caller may
 * not read are NotFound alike (behaviour/git-data-and-transport#web-addresses).
 */
export interface WebAccess {
  /**
   * Who calls; callers that the API would refuse count as anonymous. Throws NotFound for anonymous callers where
   * everybody must sign in, Unauthenticated and TooManyRequests as `Authenticate`.
   */
  viewer(request: WebRequest): Promise<Viewer>
  /** The repository of the path when the caller may read it, or the unit of `need`. Throws as `viewer`, and Moved. */
  requireRepo(request: WebRequest, need?: Pick<RepoNeed, 'unit'>): Promise<RepoVisit>
}

export function createWebAccess({
  authenticate,
  repos,
  requireSignIn,
}: {
  readonly authenticate: Authenticate
  readonly repos: Pick<Repos, 'admit'>
  readonly requireSignIn: boolean
}): WebAccess {
  async function viewer(request: WebRequest): Promise<Viewer> {
    const caller = await authenticate(parseAuthorization(request.headers), request.ip)
    if (admitCaller(caller, { requireSignIn, scopes: ['repository'], level: 'read' }).kind === 'allowed') return caller
    if (requireSignIn) throw notFound('only signed-in users may look')
    return ANONYMOUS
  }
  return {
    viewer,
    async requireRepo(request, need = {}) {
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
