import type { FastifyReply, FastifyRequest } from 'fastify'
import { AccessMode } from '../../access/access-mode.ts'
import { type Authenticate, parseAuthorization } from '../../access/credentials.ts'
import { unitMode } from '../../access/repo-access.ts'
import { missingScope } from '../../access/scopes.ts'
import type { Unit } from '../../access/units.ts'
import { ANONYMOUS, decideAccountState, isPublicOnly, type Viewer } from '../../access/viewer.ts'
import { isDomainError, MovedError, notFound } from '../../platform/errors.ts'
import type { RepoInView, Repos } from '../repos/index.ts'

export interface WebDoorDeps {
  readonly authenticate: Authenticate
  readonly repos: Repos
  readonly requireSignIn: boolean
}

export interface RepoVisit extends RepoInView {
  readonly viewer: Viewer
}

/**
 * Who may open the addresses that answers point to (behaviour/git-data-and-transport#web-addresses), by the same
 * credentials as the API's.
 */
export interface WebDoor {
  /** Callers who may not sign in count as anonymous. Throws what `guarded` answers. */
  viewer(request: FastifyRequest): Promise<Viewer>
  /** `:owner/:repo` of the path with read access on the unit; everything else is NotFound or Moved. */
  visit(request: FastifyRequest, unit: Unit): Promise<RepoVisit>
}

export function createWebDoor({ authenticate, repos, requireSignIn }: WebDoorDeps): WebDoor {
  async function viewer(request: FastifyRequest): Promise<Viewer> {
    const found = await authenticate(parseAuthorization(request.headers), request.ip)
    const usable =
      found.kind === 'user' &&
      decideAccountState(found.account) === 'allowed' &&
      missingScope(found.scopes, 'read', ['repository']) === undefined
    if (requireSignIn && !usable) throw notFound('only signed-in users may look')
    return usable ? found : ANONYMOUS
  }
  return {
    viewer,
    async visit(request, unit) {
      const { owner, repo: name } = request.params as { owner: string; repo: string }
      const by = await viewer(request)
      const found = await repos.getInView(by, owner, name)
      const isOpen = !found.repo.isPrivate && found.repo.owner.visibility === 'public'
      if (unitMode(found.access, unit) < AccessMode.read || (isPublicOnly(by) && !isOpen))
        throw notFound(`${unit} is not readable`)
      return { viewer: by, ...found }
    },
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const STATUS = { 'bad-request': 400, unauthenticated: 401, 'too-many-requests': 429, unavailable: 503 } as const

/** Answers of these addresses are plain text: what is missing and what may not be seen are the same 404. */
export function guarded(handler: Handler): Handler {
  return async (request, reply) => {
    try {
      await handler(request, reply)
      return reply
    } catch (error) {
      if (error instanceof MovedError)
        return reply
          .code(error.what === 'repo' ? 301 : 307)
          .header('location', movedPath(error, request))
          .send()
      if (!isDomainError(error)) throw error
      const status = (STATUS as Partial<Record<string, number>>)[error.kind]
      if (status === 429 || status === 503) void reply.header('retry-after', '5')
      return reply
        .code(status ?? 404)
        .header('x-content-type-options', 'nosniff')
        .type('text/plain; charset=utf-8')
        .send(status === undefined ? 'Not found.\n' : `${error.message}\n`)
    }
  }
}

/** The same address under the new name. */
function movedPath(error: MovedError, request: FastifyRequest): string {
  const { repo } = request.params as { repo: string }
  const name = error.what === 'repo' ? error.to : `${error.to}/${repo}`
  return `/${name.split('/').map(encodeURIComponent).join('/')}/${request.url.split('/').slice(3).join('/')}`
}

/** Aborts when the client has gone before the answer was whole. */
export function abortOnClose(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort()
  })
  return controller.signal
}
