import { type AppOverrides, type CoreApp, createCore } from '../../src/app/modules.ts'
import { loadConfig } from '../../src/core/config/index.ts'
import type { Events } from '../../src/core/events/index.ts'
import type { Jobs } from '../../src/core/jobs/index.ts'
import { createLogger } from '../../src/core/platform/logger.ts'
import { openFresh, type TestDatabase } from './databases.ts'

export interface TestCore extends TestDatabase {
  /** All services, without a server. */
  readonly core: CoreApp
  /** Events with the projections of all modules; payloads are validated. */
  readonly events: Events
  readonly jobs: Jobs
}

export interface TestCoreOptions extends AppOverrides {
  /** Settings by dotted name. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A fresh database with every module over it: for tests of services that append events and enqueue jobs. */
export async function freshCore(
  kind: 'sqlite' | 'postgres',
  { settings = {}, ...overrides }: TestCoreOptions = {},
): Promise<TestCore> {
  const { database, dir, drop } = await openFresh(kind)
  const config = loadConfig({ flags: { data_dir: dir, 'log.level': 'silent', ...settings } })
  const log = createLogger(config.log.level)
  const core = await createCore(config, { database, log, validatePayloads: true, ...overrides })
  return {
    database,
    core,
    events: core.events,
    jobs: core.jobs,
    close: async () => (await core.close(), await drop()),
  }
}
