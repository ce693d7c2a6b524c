import type { Core } from '../../../core/module.ts'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStores, copyBlobsTo } from '../../../core/blobs/index.ts'
import { type Copied, copyTree } from '../../../core/platform/files/copy-tree.ts'
import { syncFile, writeSynced } from '../../../core/platform/files/durable.ts'
import { denyOthers, makeDirectory } from '../../../core/platform/files/private.ts'
import { conflict, engineErrors } from '../../../core/platform/errors.ts'

export interface BackupDeps extends Pick<Core, 'database' | 'git'> {
  /** Undefined: the files of the bucket are not included. */
  readonly blobs: BlobStores | undefined
  readonly dataDir: string
  readonly now: number
  readonly version: string
}

export interface BackupReport extends Copied {
  /** False: the database is a server and must be dumped with its own tools. */
  readonly database: boolean
}

const DATABASE_FILE = 'ingot.db'
/** Written last: a directory without this file is not a complete backup. */
const MANIFEST = 'backup.json'

/** Caches, directories of nodes, the lock of the running server, and data that is copied separately. */
const SKIPPED =
  /^(?:git|cache|nodes|tmp|server\.lock.*|storage-migration\.json.*|secret\.key\..*|(?:ingot|search)\.db.*|backup\.json|backup-(?:position|owner|failures)\.json.*)$/

/**
 * Copies the whole server into `to`, which becomes a data directory that a server can start on. Files are copied before
 * and again after the database, so that all files referenced by the copied rows exist even while the server runs. Files
 * of a bucket become local files in the copy. Throws Conflict when the directory is not empty, and when the encryption
 * key of stored secrets is changed concurrently.
 */
export async function backUp(deps: BackupDeps, to: string, progress?: (what: string) => void): Promise<BackupReport> {
  makeDirectory(to)
  if ((await readdir(to)).length > 0) throw engineErrors.directoryNotEmpty(to)
  denyOthers(to)
  const copyFiles = async (): Promise<Copied> => {
    const repos = await deps.git.copyAll(join(to, 'git'), progress)
    const others = await copyTree(deps.dataDir, to, {
      skip: (path) => SKIPPED.test(path),
      isImmutable: (path) => path.startsWith('blobs/'),
    })
    const none = { files: 0, bytes: 0 }
    const blobs = deps.blobs ? await copyBlobsTo(deps.blobs, join(to, 'blobs'), progress) : none
    return { files: repos.files + others.files + blobs.files, bytes: repos.bytes + others.bytes + blobs.bytes }
  }
  const first = await copyFiles()
  const key = await readSecretKey(to)
  const file = join(to, DATABASE_FILE)
  const database = await deps.database.dialect.copyTo(deps.database.connections, file)
  if (database) await syncFile(file)
  const second = await copyFiles()
  if ((await readSecretKey(to)) !== key)
    throw conflict(
      'the secret key was changed during the backup, which may not be readable: delete it and make another',
    )
  const report = { database, files: first.files + second.files, bytes: first.bytes + second.bytes }
  await writeSynced(
    join(to, MANIFEST),
    `${JSON.stringify({ ...report, version: deps.version, made_at: new Date(deps.now).toISOString() }, undefined, 2)}\n`,
  )
  return report
}

/** Empty if the key is in the configuration. */
const readSecretKey = (dir: string): Promise<string> =>
  readFile(join(dir, 'secret.key'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
