import { ownDirectory } from '../../../core/platform/concurrency/processes.ts'
import { join } from 'node:path'
import { PackCache } from '../../../core/git/index.ts'
import { type Core, defineModule } from '../../../core/module.ts'
import { createArchiveJobs, archiveTasks } from './archives.jobs.ts'
import { archiveOperations } from './archives.operations.ts'
import { registerArchives } from './archives.routes.ts'
import { createArchives } from './archives.service.ts'

/** The maximum age of a cached archive. The archive of a commit never changes. */
const MAX_AGE_MS = 30 * 24 * 3_600_000

/** Archives: the content of commits as zip, tar.gz or bundle. */
export const module = defineModule({
  name: 'archives',
  needs: ['webAccess'],
  async create(core, { webAccess }, guards) {
    const { database, git, jobs, site, rateLimits } = core
    const archiveCache = await openCache(core)
    const archives = createArchives({ database, git, cache: archiveCache })
    return {
      operations: archiveOperations({ guards, archives, site }),
      routes(http) {
        registerArchives(http, { archives, webAccess, site, rateLimit: rateLimits.anonymous })
      },
      jobs: createArchiveJobs(archiveCache),
      tasks: archiveTasks(jobs),
    }
  },
})

async function openCache({ config, clock, cacheDir, isServer, processes }: Core): Promise<PackCache | undefined> {
  const maxBytes = Math.floor(config.git.pack_cache_size / 2)
  if (!isServer || maxBytes <= 0) return undefined
  return PackCache.open({
    dir: ownDirectory(processes, join(cacheDir, 'archives')),
    maxBytes,
    maxAgeMs: MAX_AGE_MS,
    clock,
  })
}
