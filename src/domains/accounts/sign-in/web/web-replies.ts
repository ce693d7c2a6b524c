import type { FastifyReply, FastifyRequest } from 'fastify'
import { fromGit } from '../../../../core/git/index.ts'
import { isDomainError, MovedError } from '../../../../core/platform/errors.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const STATUS = { 'bad-request': 400, unauthenticated: 401, 'too-many-requests': 429, unavailable: 503 } as const

/**
 * Wraps a handler so that errors are plain text: Moved becomes a redirect to the same address under the new name, every
 * refusal 404.
 */
export function plainTextErrors(handler: Handler): Handler {
  return async (request, reply) => {
    try {
      await handler(request, reply)
      return reply
    } catch (thrown) {
      const error = fromGit(thrown)
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
