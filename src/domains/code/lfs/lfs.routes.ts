import type { FastifyInstance } from 'fastify'
import type { LfsRouteDeps } from './authorize-lfs.ts'
import { registerLocks } from './locks/locks.routes.ts'
import { registerObjects } from './objects/objects.routes.ts'

/** Git LFS below `/{owner}/{repo}.git/info/lfs` (behaviour/git-data-and-transport#git-lfs). */
export function registerLfs(app: FastifyInstance, deps: LfsRouteDeps): void {
  const base = '/:owner/:repo/info/lfs'
  registerObjects(app, base, deps)
  registerLocks(app, base, deps)
}
