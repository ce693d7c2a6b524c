import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { type Database, dialectFor, openDatabase } from '../../src/db/database.ts'
import { copyTemplate } from './postgres.ts'

const LIMITS = { max_connections: 4, statement_timeout: 60 }

export interface TestDatabase {
  readonly database: Database
  close(): Promise<void>
}

/** A fresh migrated database of the named kind, in milliseconds. */
export async function freshDatabase(kind: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  if (kind === 'postgres') {
    const copy = await copyTemplate(inject('postgresUrl'), `t_${randomBytes(6).toString('hex')}`)
    const database = openDatabase(dialectFor({ url: copy.url, ...LIMITS }, '.'))
    return { database, close: async () => (await database.close(), await copy.drop()) }
  }
  const dir = mkdtempSync(join(tmpdir(), 'ingot-db-'))
  copyFileSync(inject('sqliteTemplate'), join(dir, 'ingot.db'))
  const database = openDatabase(dialectFor({ url: '', ...LIMITS }, dir))
  return {
    database,
    close: async () => {
      await database.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Runs a suite on SQLite and, where the machine has it, on PostgreSQL. */
export function describeOnBoth(name: string, suite: (kind: 'sqlite' | 'postgres') => void): void {
  describe(`${name} (sqlite)`, () => suite('sqlite'))
  describe.skipIf(inject('postgresUrl') === '')(`${name} (postgres)`, () => suite('postgres'))
}
