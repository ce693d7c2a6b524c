import type { FastifyInstance, FastifyRequest } from 'fastify'
import { viewerId } from '../../../../core/access/viewer.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import { authorizeLfs, type LfsNeeded, type LfsAccess, type LfsRouteDeps } from '../authorize-lfs.ts'
import { answering, LOCKS, readJson, requireLfsType, LfsRefusal, unauthorized } from '../handler.ts'
import type { LfsLock } from '../lfs.store.ts'

interface SignedInLfsAccess extends LfsAccess {
  readonly userId: UserId
}

export function registerLocks(app: FastifyInstance, base: string, deps: LfsRouteDeps): void {
  const { locks } = deps
  /** Locks contain the names of users, so they require a signed-in viewer. */
  async function authorizeSignedIn(
    request: FastifyRequest,
    need: LfsNeeded['need'],
    words: string,
  ): Promise<SignedInLfsAccess> {
    requireLfsType(request)
    const access = await authorizeLfs(deps, request, { need, words })
    const userId = viewerId(access.viewer)
    if (userId === undefined) throw unauthorized(words)
    return { ...access, userId }
  }

  app.get(
    `${base}/locks`,
    answering(LOCKS, async (request) => {
      const { repo } = await authorizeSignedIn(request, 'read', 'You must have pull access to list locks')
      const query = request.query as Record<string, string | undefined>
      const limit = pageSize(deps, query['limit'])
      const filter = {
        id: wholeNumber('id', query['id']),
        path: query['path'] || undefined,
        after: wholeNumber('cursor', query['cursor']),
      }
      const found = await locks.list(repo.id, filter, limit)
      return { locks: found.map(presentLock), ...cursor(found, limit) }
    }),
  )

  app.post(
    `${base}/locks`,
    answering(LOCKS, async (request, reply) => {
      const { repo, userId } = await authorizeSignedIn(request, 'write', 'You must have push access to create locks')
      const { path } = await readJson(request)
      if (typeof path !== 'string') throw new LfsRefusal(400, '[path]: a text is needed')
      const { lock, existed } = await locks.create(repo.id, userId, path)
      reply.code(existed ? 409 : 201)
      return { ...(existed && { message: 'already created lock' }), lock: presentLock(lock) }
    }),
  )

  app.post(
    `${base}/locks/verify`,
    answering(LOCKS, async (request) => {
      // NOTE: clients call this before each push.
      const { repo, userId } = await authorizeSignedIn(request, 'upload', 'You must have push access to verify locks')
      const body = await readJson(request)
      const limit = pageSize(deps, text(body['limit']))
      const found = await locks.list(repo.id, { after: wholeNumber('cursor', text(body['cursor'])) }, limit)
      const ours = found.filter((lock) => lock.ownerId === userId)
      const theirs = found.filter((lock) => lock.ownerId !== userId)
      return { ours: ours.map(presentLock), theirs: theirs.map(presentLock), ...cursor(found, limit) }
    }),
  )

  app.post(
    `${base}/locks/:id/unlock`,
    answering(LOCKS, async (request) => {
      const { repo, userId } = await authorizeSignedIn(request, 'write', 'You must have push access to delete locks')
      const { force } = await readJson(request)
      const id = wholeNumber('id', (request.params as { id: string }).id)
      return { lock: presentLock(await locks.release(repo.id, userId, id ?? 0, force === true)) }
    }),
  )
}

const presentLock = ({ id, path, lockedAt, ownerName }: LfsLock): object => ({
  id: String(id),
  path,
  locked_at: new Date(lockedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
  owner: { name: ownerName },
})

/** The cursor of the next page, if this page is full. */
function cursor(found: readonly LfsLock[], limit: number): { next_cursor?: string } {
  const last = found.at(-1)
  return last !== undefined && found.length >= limit ? { next_cursor: String(last.id) } : {}
}

function pageSize({ locksPerPage }: LfsRouteDeps, limit: string | undefined): number {
  const wanted = wholeNumber('limit', limit) ?? 0
  return wanted > 0 ? Math.min(wanted, locksPerPage) : locksPerPage
}

function wholeNumber(name: string, given: string | undefined): number | undefined {
  if (given === undefined || given === '') return undefined
  if (!/^\d{1,15}$/.test(given)) throw new LfsRefusal(400, `[${name}]: a whole number is needed`)
  return Number(given)
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
