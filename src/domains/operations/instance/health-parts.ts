import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Core } from '../../../core/module.ts'
import { requireUsableSchema } from '../../../core/db/migrate.ts'
import { HealthCheck } from './health-check.ts'
import type { HealthParts } from './health.routes.ts'

const DATABASE = { deadlineMs: 3_000, freshMs: 250 }
/**
 * For required components, whose recovery is detected quickly. The schema check also fails while the database is
 * unavailable.
 */
const NEEDED = { deadlineMs: 3_000, freshMs: 1_000, failureFreshMs: 250 }
/** NOTE: short, because load balancers wait for it although it does not affect the result. */
const BUCKET = { deadlineMs: 1_000, freshMs: 1_000 }

/** The components that `/api/healthz` and `/api/readyz` check. */
export function healthParts({ blobs, database, dataDir, log, stopping }: Core): HealthParts {
  const { bucket, kind } = blobs
  // NOTE: the root may be on a shared file system that blocks while its server is unavailable.
  const repositories = (): Promise<void> => access(join(dataDir, 'git'), constants.R_OK | constants.W_OK)
  return {
    database: new HealthCheck({ name: 'database', test: () => database.ping(), log, ...DATABASE }),
    needed: [
      new HealthCheck({ name: 'schema', test: () => requireUsableSchema(database.read), log, ...NEEDED }),
      new HealthCheck({ name: 'repositories', test: repositories, log, ...NEEDED }),
    ],
    optional:
      bucket === undefined || kind === 'local'
        ? []
        : [new HealthCheck({ name: 'storage', test: () => bucket.objects.check(), log, ...BUCKET })],
    stopping,
  }
}
