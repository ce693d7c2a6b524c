import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { conflict } from '../../../../core/platform/errors.ts'
import { denyOthers, makeDirectory } from '../../../../core/platform/files/private.ts'
import type { Place } from '../places/place.ts'
import { COVERED } from '../files/layout.ts'
import { unseal } from '../sealed-file.ts'
import { listSeries } from './list-moments.ts'
import { type RestoredDatabase, restoreDatabase } from './restore-database.ts'
import { restoreFiles } from './restore-files.ts'

export interface RestoreRequest {
  readonly place: Place
  /** Epoch milliseconds; Infinity for the newest moment. */
  readonly at: number
  /** A directory that is empty or missing; becomes a data directory. */
  readonly to: string
  progress(text: string): void
}

export interface Restored {
  /** Undefined where the copy has none: the database is a PostgreSQL server. */
  readonly database: RestoredDatabase | undefined
  /** Epoch milliseconds: until when repositories and files were copied; undefined where none were. */
  readonly filesUntil: number | undefined
}

/** Makes the data directory of a moment. Throws Conflict when the directory is not empty, and as restoreDatabase. */
export async function restore({ place, at, to, progress }: RestoreRequest): Promise<Restored> {
  makeDirectory(to)
  if ((await readdir(to)).length > 0) throw conflict(`${to} is not empty`)
  denyOthers(to)
  const hasDatabase = (await listSeries(place)).length > 0
  const database = hasDatabase ? await restoreDatabase({ place, at, file: join(to, 'ingot.db'), progress }) : undefined
  await restoreFiles({ place, at, to, progress })
  return { database, filesUntil: await filesUntil(place) }
}

/** Epoch milliseconds: until when repositories and files are in the copy; undefined where none are. */
export async function filesUntil(place: Place): Promise<number | undefined> {
  const covered = await place.get(COVERED)
  return covered && unseal<{ readonly until: number }>(COVERED, covered).header.until
}
