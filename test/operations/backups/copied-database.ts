import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql, type Kysely } from 'kysely'
import { expect } from 'vitest'
import type { Connections } from '../../../src/core/db/dialect/dialect.ts'
import { sqliteDialect } from '../../../src/core/db/dialect/sqlite.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import {
  DatabaseCopier,
  type DatabaseCopierDeps,
} from '../../../src/domains/operations/backups/database/database-copier.ts'
import { SegmentMerger } from '../../../src/domains/operations/backups/database/segment-merger.ts'
import { directoryDestination } from '../../../src/domains/operations/backups/destinations/directory-destination.ts'
import type { Destination } from '../../../src/domains/operations/index.ts'
import { restoreDatabase } from '../../../src/domains/operations/backups/restore/restore-database.ts'

interface Tables {
  t: { v: number; text: string }
}

/** An SQLite database with a table of numbers, and a directory that it is copied to. */
export class CopiedDatabase {
  readonly dir = mkdtempSync(join(tmpdir(), 'ingot-copy-'))
  readonly copy = join(this.dir, 'copy')
  readonly file = join(this.dir, 'ingot.db')
  readonly destination: Destination
  connections!: Connections<Tables>
  /** Time of the clock, which advances by a second at each read. */
  time = Date.parse('2026-11-22T00:00:00Z')
  /** The last number. */
  written = 0
  #restored = 0

  constructor() {
    mkdirSync(this.copy)
    this.destination = directoryDestination(this.copy)
  }

  static async make(): Promise<CopiedDatabase> {
    const made = new CopiedDatabase()
    made.open()
    await sql`create table t (v integer primary key, text text)`.execute(made.connections.write)
    return made
  }

  open(): void {
    this.connections = sqliteDialect(this.file, { keepLog: true }).connect<Tables>()
  }

  async remove(): Promise<void> {
    await this.connections.close()
    rmSync(this.dir, { recursive: true, force: true })
  }

  /** Inserts the next numbers, in one transaction. */
  async write(count: number, size = 100, text = (): string => 'x'.repeat(size)): Promise<void> {
    const rows = Array.from({ length: count }, () => ({ v: ++this.written, text: text() }))
    await this.connections.write.transaction().execute(async (tx: Kysely<Tables>) => {
      for (const row of rows) await tx.insertInto('t').values(row).execute()
    })
  }

  copier(given: Partial<DatabaseCopierDeps> = {}): DatabaseCopier {
    return new DatabaseCopier({
      log: this.connections.log!,
      destination: this.destination,
      clock: { now: () => (this.time += 1000) },
      logger: createLogger('silent'),
      databaseFile: this.file,
      bookmarkFile: join(this.dir, 'backup-position.json'),
      snapshotIntervalMs: 1_000_000_000,
      maxLogBytes: 1_000_000_000,
      ...given,
    })
  }

  merger(copier: DatabaseCopier, given: { destination?: Destination; exactMs?: number } = {}): SegmentMerger {
    return new SegmentMerger({
      destination: this.destination,
      clock: { now: () => this.time },
      exactMs: 0,
      position: () => copier.position,
      signal: new AbortController().signal,
      ...given,
    })
  }

  /** The numbers in the database as it is restored. */
  async restored(at = Infinity, destination = this.destination): Promise<number[]> {
    const to = join(this.dir, `restored-${this.#restored++}.db`)
    await restoreDatabase({ destination, at, file: to, progress: () => {} })
    const database = new Sqlite(to)
    try {
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
      return database.prepare<[], number>('select v from t order by v').pluck().all()
    } finally {
      database.close()
    }
  }

  /** Paths in the copy that end with a text. */
  files(ending: string): string[] {
    return readdirSync(this.copy, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .toSorted()
  }
}

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

export async function copyAll(copier: DatabaseCopier): Promise<void> {
  while (await copier.copy());
  await copier.settle()
  while (await copier.copy());
}
