import type { FastifyInstance } from 'fastify'

const PATHS = ['info/refs', 'git-upload-pack', 'git-receive-pack', 'git-upload-archive', 'HEAD', 'objects/*']

/**
 * Lets web pages of an origin (`*`: of any) speak git with the server; nothing for an empty text. `scope` serves git
 * alone.
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
