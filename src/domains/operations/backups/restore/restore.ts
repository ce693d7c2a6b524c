import { readdir, mkdir, writeFile } from 'node:fs/promises'
import { join, dirname } from 'node:path'
import { engineErrors } from '../../../../core/platform/errors.ts'
import { denyOthers, makeDirectory } from '../../../../core/platform/files/private.ts'
import type { Destination } from '../destinations/directory-destination.ts'
import { COVERED, OBJECTS, versionsByUnit, readVersions } from '../files/states.ts'
import { unseal } from '../sealed-file.ts'
import { listSeries } from './list-series.ts'
import { type RestoredDatabase, restoreDatabase } from './restore-database.ts'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

interface FilesRestore {
  readonly destination: Destination
  /** Epoch milliseconds; Infinity for the newest state. */
  readonly at: number
  readonly to: string
  progress(text: string): void
}

/** Folders that git requires, even if they are empty. */
const FOLDERS = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']
const PROGRESS_EVERY = 1000

/** Restores the repositories, blobs and keys to a point in time. Restores all blobs of the copy. */
async function restoreFiles(request: FilesRestore): Promise<{ readonly units: number; readonly files: number }> {
  const { destination, at, progress } = request
  const restored = new Set<string>()
  for await (const versions of versionsByUnit(destination)) {
    const { unit } = versions[0]!
    const before = versions.filter(({ time }) => time <= at)
    const known = await readVersions(destination, before)
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

async function restoreObjects(
  { destination, to, progress }: FilesRestore,
  restored: ReadonlySet<string>,
): Promise<number> {
  let files = 0
  for await (const { name } of destination.list(OBJECTS)) {
    const path = name.slice(OBJECTS.length)
    const unit = UNIT.exec(path)?.groups?.['unit']
    if (unit !== undefined && !restored.has(unit)) continue
    const source = await destination.open(name)
    if (source === undefined) continue
    await mkdir(dirname(join(to, path)), { recursive: true })
    await pipeline(source, createWriteStream(join(to, path), { flags: 'wx', mode: 0o600 }))
    if (++files % PROGRESS_EVERY === 0) progress(`files: ${files}`)
  }
  progress(`files: ${files}`)
  return files
}

export interface RestoreRequest {
  readonly destination: Destination
  /** Epoch milliseconds; Infinity for the newest state. */
  readonly at: number
  /** An empty or missing directory, which becomes a data directory. */
  readonly to: string
  progress(text: string): void
}

export interface Restored {
  /** Undefined if the copy contains no database, because it is a PostgreSQL server. */
  readonly database: RestoredDatabase | undefined
  /** Epoch milliseconds: the time until which repositories and files were copied; undefined without any. */
  readonly filesUntil: number | undefined
}

/**
 * Restores a data directory to a point in time. Throws Conflict when the directory is not empty, and the errors of
 * `restoreDatabase`.
 */
export async function restore({ destination, at, to, progress }: RestoreRequest): Promise<Restored> {
  makeDirectory(to)
  if ((await readdir(to)).length > 0) throw engineErrors.directoryNotEmpty(to)
  denyOthers(to)
  const hasDatabase = (await listSeries(destination)).length > 0
  const database = hasDatabase
    ? await restoreDatabase({ destination, at, file: join(to, 'ingot.db'), progress })
    : undefined
  await restoreFiles({ destination, at, to, progress })
  return { database, filesUntil: await filesUntil(destination) }
}

/** Epoch milliseconds: the time until which repositories and files were copied; undefined without any. */
export async function filesUntil(destination: Destination): Promise<number | undefined> {
  const covered = await destination.get(COVERED)
  return covered && unseal<{ readonly until: number }>(COVERED, covered).header.until
}
