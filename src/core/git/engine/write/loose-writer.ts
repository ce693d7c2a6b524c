import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflate } from 'node:zlib'
import { settleAll } from '../../../platform/concurrency/settle-all.ts'
import { syncDirectory, writeSynced } from '../../../platform/files/durable.ts'
import { ifMissing } from '../../../platform/files/missing.ts'
import { objectHeader, type ObjectType } from '../object/format.ts'
import { loosePath } from '../read/loose-object.ts'

export interface NewObject {
  readonly oid: string
  readonly type: ObjectType
  readonly content: Buffer
}

const deflateAsync = promisify(deflate)
const MAX_CONCURRENT_WRITES = 16
/** Attempts for one file whose folder is removed concurrently. */
const MAX_ATTEMPTS = 20

/**
 * Writes each object to its own file below the objects directory, durably. When it throws, no write is in progress and
 * no temporary file remains.
 */
export async function writeLoose(directory: string, objects: readonly NewObject[]): Promise<void> {
  const folders = new Set(objects.map(({ oid }) => join(directory, oid.slice(0, 2))))
  let isFolderNew = false
  for (let at = 0; at < objects.length; at += MAX_CONCURRENT_WRITES) {
    const part = objects.slice(at, at + MAX_CONCURRENT_WRITES)
    const made = await settleAll(part.map((object) => writeOne(loosePath(directory, object.oid), object)))
    isFolderNew ||= made.includes(true)
  }
  const changed = isFolderNew ? [...folders, directory] : [...folders]
  await Promise.all(changed.map((folder) => syncDirectory(folder)))
}

/** Returns whether it created the folder. */
async function writeOne(path: string, { type, content }: NewObject): Promise<boolean> {
  // NOTE: an existing object may be unreachable and about to expire: touching it makes it young again.
  const now = (performance.timeOrigin + performance.now()) / 1000
  const known = await utimes(path, now, now).then(
    () => true,
    () => false,
  )
  if (known) return false
  const data = await deflateAsync(Buffer.concat([objectHeader(type, content.length), content]), {
    level: constants.Z_BEST_SPEED,
  })
  // NOTE: git prune-packed of maintenance removes empty folders, including one that was just created.
  for (let attempt = 1; ; attempt++) {
    try {
      await writeFile(path, data)
      return attempt > 1
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error
      await mkdir(dirname(path), { recursive: true }).catch(ifMissing(undefined))
    }
  }
}

async function writeFile(path: string, data: Buffer): Promise<void> {
  const temporary = join(dirname(path), `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    await writeSynced(temporary, data, 0o444)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
