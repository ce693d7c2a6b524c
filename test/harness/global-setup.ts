import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { loadConfig } from '../../src/core/config/index.ts'
import { dialectFor, openDatabase } from '../../src/core/db/database.ts'
import { migrate } from '../../src/core/db/migrate.ts'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated, empty SQLite file that each test server copies. */
    sqliteTemplate: string
    /** A PostgreSQL server with the migrated database `ingot_template`, or '' when the machine has none. */
    postgresUrl: string
  }
}

/** INGOT_TEST_DATABASES=sqlite leaves PostgreSQL out, for a quick run while writing. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-tests-'))
  const template = join(dir, 'template.db')
  const config = loadConfig()
  const database = openDatabase(dialectFor({ ...config.database, url: `sqlite:${template}` }, dir))
  await migrate(database)
  await database.close()
  project.provide('sqliteTemplate', template)

  const postgres =
    process.env['INGOT_TEST_DATABASES'] === 'sqlite' ? undefined : await startPostgres(join(dir, 'postgres'))
  if (postgres) {
    await postgres.createDatabase('ingot_template')
    const pg = openDatabase(dialectFor({ ...config.database, url: `${postgres.url}/ingot_template` }, dir))
    await migrate(pg)
    await pg.close()
  }
  project.provide('postgresUrl', postgres?.url ?? '')
  return async () => {
    await postgres?.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
