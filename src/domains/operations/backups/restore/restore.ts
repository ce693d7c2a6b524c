import { readdir, mkdir, writeFile } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { engineErrors } from '../../../../core/platform/errors.ts'
import { denyOthers, makeDirectory } from '../../../../core/platform/files/private.ts'
import type { Place } from '../places/directory-place.ts'
import { COVERED, OBJECTS, versionsByUnit, readVersions } from '../files/states.ts'
import { unseal } from '../sealed-file.ts'
import { listSeries } from './list-moments.ts'
import { type RestoredDatabase, restoreDatabase } from './restore-database.ts'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

interface FilesRestore {
  readonly place: Place
  /** Epoch milliseconds; Infinity for the newest. */
  readonly at: number
  readonly to: string
  progress(text: string): void
}

/** What git wants to be there, also when it is empty. */
const FOLDERS = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']
const PROGRESS_EVERY = 1000

/** Makes the repositories, blobs and keys of a moment. Blobs are all that the copy has. */
async function restoreFiles(request: FilesRestore): Promise<{ readonly units: number; readonly files: number }> {
  const { place, at, progress } = request
  const restored = new Set<string>()
  for await (const versions of versionsByUnit(place)) {
    const { unit } = versions[0]!
    const before = versions.filter(({ time }) => time <= at)
    const known = await readVersions(place, before)
    if (known === undefined || known.state.size === 0) continue
    await writeState(join(request.to, unit), known.state, unit !== '')
    restored.add(unit)
  }
  progress(`repositories: ${[...restored].filter((unit) => unit !== '').length}`)
  const files = await restoreObjects(request, restored)
  return { units: restored.size, files }
}

async function writeState(root: string, state: ReadonlyMap<string, string>, isRepo: boolean): Promise<void> {
  for (const folder of isRepo ? FOLDERS : ['.']) await mkdir(join(root, folder), { recursive: true })
  for (const [path, content] of state) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content, { encoding: 'latin1', mode: 0o600 })
  }
}

const UNIT = /^(?<unit>git\/(?:repos|pools)\/[^/]+\/[^/]+)\//

async function restoreObjects({ place, to, progress }: FilesRestore, restored: ReadonlySet<string>): Promise<number> {
  let files = 0
  for await (const { name } of place.list(OBJECTS)) {
    const path = name.slice(OBJECTS.length)
    const unit = UNIT.exec(path)?.groups?.['unit']
    if (unit !== undefined && !restored.has(unit)) continue
    const source = await place.open(name)
    if (source === undefined) continue
    await mkdir(dirname(join(to, path)), { recursive: true })
    await pipeline(source, createWriteStream(join(to, path), { flags: 'wx', mode: 0o600 }))
    if (++files % PROGRESS_EVERY === 0) progress(`files: ${files}`)
  }
  progress(`files: ${files}`)
  return files
}

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
  if ((await readdir(to)).length > 0) throw engineErrors.directoryNotEmpty(to)
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
