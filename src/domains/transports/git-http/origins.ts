import type { FastifyInstance } from 'fastify'
import { addCorsHeaders, answerPreflight, type CorsSettings, isPreflight } from '../../../core/http/cors.ts'

const PATHS = ['info/refs', 'git-upload-pack', 'git-receive-pack', 'git-upload-archive', 'HEAD', 'objects/*']

/**
 * Sends CORS headers for git requests from web pages of an origin (`*`: of any origin); none for an empty text. `scope`
 * contains only routes of git.
 */
export function allowOrigin(scope: FastifyInstance, origin: string): void {
  if (origin === '') return
  scope.addHook('onRequest', async (_, reply) => {
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'Content-Type, Authorization, User-Agent, Git-Protocol',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      ...(origin !== '*' && { vary: 'Origin' }),
    })
  })
  for (const path of PATHS) scope.options(`/:owner/:repo/${path}`, (_, reply) => void reply.code(200).send())
}

/**
 * Headers that git clients in browsers send in addition to the always permitted ones
 * (behaviour/git-data-and-transport#git-over-http).
 */
const CLIENT_HEADERS = ['content-type', 'git-protocol', 'user-agent']

/** Registers the routes of git so that web pages of the origins in `cors` may call them; undefined allows none. */
export function registerForOrigins(
  http: FastifyInstance,
  cors: CorsSettings | undefined,
  register: (scope: FastifyInstance) => void,
): void {
  if (cors === undefined) return register(http)
  const allowed = { ...cors, headers: [...cors.headers, ...CLIENT_HEADERS] }
  void http.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      if (!isPreflight(request)) addCorsHeaders(allowed, request, reply)
    })
    register(scope)
    for (const path of [...PATHS, 'clone.bundle']) {
      scope.options(`/:owner/:repo/${path}`, async (request, reply) =>
        isPreflight(request) ? answerPreflight(allowed, request, reply) : reply.code(200).send(),
      )
    }
  })
}
