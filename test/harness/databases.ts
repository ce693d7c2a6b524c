import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { type Database, dialectFor, openDatabase } from '../../src/core/db/database.ts'
import { copyTemplate, createEmpty } from './postgres.ts'

const LIMITS = { max_connections: 4, statementTimeoutMs: 60_000 }

export interface TestDatabase {
  readonly database: Database
  close(): Promise<void>
}

export interface OpenedDatabase {
  readonly database: Database
  /** A folder that is deleted with the data. */
  readonly dir: string
  /** Deletes the data; the database is closed by then. */
  drop(): Promise<void>
}

/** A fresh migrated database of the named kind with a folder of its own, in milliseconds. */
export async function openFresh(kind: 'sqlite' | 'postgres'): Promise<OpenedDatabase> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-db-'))
  const deleteDir = (): void => rmSync(dir, { recursive: true, force: true })
  if (kind === 'postgres') {
    const copy = await copyTemplate(inject('postgresUrl'), `t_${randomBytes(6).toString('hex')}`)
    const database = openDatabase(dialectFor({ url: copy.url, ...LIMITS }, '.'))
    return { database, dir, drop: async () => (deleteDir(), await copy.drop()) }
  }
  copyFileSync(inject('sqliteTemplate'), join(dir, 'ingot.db'))
  return { database: openDatabase(dialectFor({ url: '', ...LIMITS }, dir)), dir, drop: async () => deleteDir() }
}

export interface EmptyDatabase {
  /** Opens it as another process would. */
  open(): Database
  /** The SQLite file, or the URL of the PostgreSQL database. */
  readonly address: string
  /** Deletes the data; whatever was opened is closed by then. */
  drop(): Promise<void>
}

/** A database of the named kind without tables. */
export async function makeEmpty(kind: 'sqlite' | 'postgres'): Promise<EmptyDatabase> {
  if (kind === 'postgres') {
    const { url, drop } = await createEmpty(inject('postgresUrl'), `e_${randomBytes(6).toString('hex')}`)
    return { open: () => openDatabase(dialectFor({ url, ...LIMITS }, '.')), address: url, drop }
  }
  const dir = mkdtempSync(join(tmpdir(), 'ingot-db-'))
  return {
    open: () => openDatabase(dialectFor({ url: '', ...LIMITS }, dir)),
    address: join(dir, 'ingot.db'),
    drop: async () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** A fresh migrated database of the named kind, in milliseconds. */
export async function freshDatabase(kind: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  const { database, drop } = await openFresh(kind)
  return { database, close: async () => (await database.close(), await drop()) }
}

/** The data of servers that run in processes of their own. */
export interface ServerPlace {
  /** Directory for what else a test writes; deleted with the data. */
  readonly folder: string
  readonly dataDir: string
  /** Arguments of `ingot` that name the database. */
  readonly settings: readonly string[]
  /** Opens the database as another process does. */
  open(): Database
  /** Deletes the data; the servers have ended by then. */
  remove(): Promise<void>
}

/** A data directory and a migrated, empty database of the named kind. */
export async function makePlace(kind: 'sqlite' | 'postgres'): Promise<ServerPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-run-'))
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const copy =
    kind === 'postgres'
      ? await copyTemplate(inject('postgresUrl'), `k_${randomBytes(6).toString('hex')}`)
      : copyFileSync(inject('sqliteTemplate'), join(dataDir, 'ingot.db'))
  const url = copy?.url ?? ''
  return {
    folder,
    dataDir,
    settings: copy ? ['--set', `database.url=${url}`] : [],
    open: () => openDatabase(dialectFor({ url, ...LIMITS }, dataDir)),
    async remove() {
      rmSync(folder, { recursive: true, force: true })
      await copy?.drop()
    },
  }
}

/** Runs a suite on SQLite and, where the machine has it, on PostgreSQL. */
export function describeOnBoth(name: string, suite: (kind: 'sqlite' | 'postgres') => void): void {
  describe(`${name} (sqlite)`, () => suite('sqlite'))
  describe.skipIf(inject('postgresUrl') === '')(`${name} (postgres)`, () => suite('postgres'))
}
