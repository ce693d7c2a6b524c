import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, writeSynced } from '../../platform/files/durable.ts'
import { createObjectWriter, type ObjectWriter, applyChanges } from '../engine/write/tree-edit.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import type { Identity } from '../engine/object/commit.ts'
import { MODE } from '../engine/object/tree.ts'
import { GitError } from '../errors.ts'

/** The content of a new repository's first commit. */
export interface FirstCommit {
  readonly files: readonly FirstFile[]
  readonly author: Identity
  readonly committer: Identity
  readonly message: string
  /** Returns the armored signature of the commit's payload. */
  sign?(payload: Buffer): Promise<string | undefined>
}

export interface FirstFile {
  readonly path: string
  readonly content: string | Uint8Array
  readonly executable?: boolean
}

/**
 * Writes the commit and its branch without a process, as no reader can see the repository yet. Returns the commit's id.
 */
export async function writeFirstCommit(
  path: string,
  format: ObjectFormat,
  branch: string,
  first: FirstCommit,
): Promise<string> {
  const readTree = (oid: string): Promise<never> =>
    Promise.reject(new GitError('missing', `object ${oid} does not exist`))
  const writer = createObjectWriter({ directory: join(path, 'objects'), format, readTree })
  const changes = first.files.map((file) => ({
    path: file.path,
    mode: file.executable ? MODE.executable : MODE.file,
    oid: writer.blob(file.content),
  }))
  const tree = await applyChanges(writer, undefined, changes)
  const oid = await makeCommit(writer, tree, first)
  await writer.flush()
  const ref = join(path, 'refs/heads', branch)
  await mkdir(dirname(ref), { recursive: true })
  await writeSynced(ref, `${oid}\n`)
  await syncDirectory(dirname(ref))
  return oid
}

async function makeCommit(writer: ObjectWriter, tree: string, first: FirstCommit): Promise<string> {
  const commit = { tree, parents: [], author: first.author, committer: first.committer, message: first.message }
  const signature = await first.sign?.(writer.payload(commit))
  return writer.commit(signature === undefined ? commit : { ...commit, signature })
}
