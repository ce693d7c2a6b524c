import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../../core/module.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { User } from '../../accounts/index.ts'

export interface UserFileDeps {
  readonly webAccess: Services['webAccess']
  readonly gpgKeys: Services['gpgKeys']
  readonly sshKeys: Services['sshKeys']
  readonly users: Services['users']
  /** The address of an account's image. */
  avatarUrl(user: User): string
}

const PLAIN = 'text/plain; charset=utf-8'
const ALL = { limit: 10_000, offset: 0 }
const NO_KEYS = `-----BEGIN PGP PUBLIC KEY BLOCK-----
Note: This user has no GPG keys.

=twTO
-----END PGP PUBLIC KEY BLOCK-----
`

/**
 * `/{user}.keys`, `/{user}.gpg` and `/{user}.png`, for tools that download keys by account name
 * (behaviour/git-data-and-transport#web-addresses).
 */
export function registerUserFiles(app: FastifyInstance, deps: UserFileDeps): void {
  const { gpgKeys, sshKeys } = deps
  const route = (extension: string, send: (user: User, reply: FastifyReply) => Promise<FastifyReply>): void => {
    app.get(`/:user(^[^/]+).${extension}`, async (request, reply) => {
      const user = await findUser(deps, request)
      return user === undefined ? reply.code(404).type(PLAIN).send('Not found.\n') : send(user, reply)
    })
  }
  route('keys', async (user, reply) => {
    const { items } = await sshKeys.list(user.id, undefined, { ...ALL, page: 1 })
    return reply
      .type(PLAIN)
      .send([`# SSH keys of ${user.name}`, ...items.map((key) => `${key.algorithm} ${key.blob}`), ''].join('\n'))
  })
  route('gpg', async (user, reply) => reply.type(PLAIN).send((await gpgKeys.exportArmored(user.id)) ?? NO_KEYS))
  route('png', async (user, reply) => reply.redirect(deps.avatarUrl(user), 303))
}

/** Undefined for users that the viewer may not see, and for requests with wrong credentials. */
async function findUser({ webAccess, users }: UserFileDeps, request: FastifyRequest): Promise<User | undefined> {
  const { user } = request.params as { user: string }
  try {
    return await users.getInView(await webAccess.viewer(request), user)
  } catch (error) {
    if (isDomainError(error)) return undefined
    throw error
  }
}
