import { access, mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { settleAll } from '../../platform/concurrency/settle-all.ts'
import { removeTree, syncDirectory, writeSynced } from '../../platform/files/durable.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import { isValidBranchName } from '../engine/refs/refs.ts'
import { GitError } from '../errors.ts'
import type { Layout } from './layout.ts'

export interface NewRepo {
  readonly objectFormat: ObjectFormat
  readonly defaultBranch: string
}

const FOLDERS = ['objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'refs/tags']

function configText(format: ObjectFormat): string {
  const core = `[core]\n\trepositoryformatversion = ${format === 'sha1' ? 0 : 1}\n\tfilemode = true\n\tbare = true\n`
  const extensions = format === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${format}\n`
  return `${core}${extensions}[gc]\n\tauto = 0\n`
}

/** Writes the minimal files that make a directory a git repository, enough for git processes to run in it. */
export async function writeBasics(path: string, { objectFormat, defaultBranch }: NewRepo): Promise<void> {
  await settleAll([
    writeSynced(join(path, 'config'), configText(objectFormat)),
    writeSynced(join(path, 'HEAD'), `ref: refs/heads/${defaultBranch}\n`),
  ])
}

/**
 * Writes the refs of a new repository. NOTE: git takes an empty file for damage, so no file is written without refs.
 */
export async function writePackedRefs(path: string, text: string): Promise<void> {
  if (text.trim() !== '') await writeSynced(join(path, 'packed-refs'), text)
}

/** Adds content to a repository that no reader can see yet. Code that runs git in it must wait for `written`. */
export type Fill = (path: string, written: Promise<void>) => Promise<void>

/**
 * Creates a bare repository without a git process: it is built in staging, filled by `fill` while no reader can see it,
 * synced, then renamed into place. A crash leaves either the whole repository or a leftover in staging.
 */
export async function createOnDisk(layout: Layout, storage: string, repo: NewRepo, fill?: Fill): Promise<void> {
  if (!isValidBranchName(repo.defaultBranch)) throw new GitError('invalid', `bad branch name: ${repo.defaultBranch}`)
  const target = layout.repo(storage)
  if (await existsOnDisk(target)) throw new GitError('exists', 'the repository is already there')
  const path = layout.stagingPath()
  try {
    for (const folder of ['.', ...FOLDERS]) await mkdir(join(path, folder))
    const written = writeBasics(path, repo)
    await settleAll([written, fill?.(path, written) ?? written])
    await Promise.all(['.', 'objects', 'refs'].map((folder) => syncDirectory(join(path, folder))))
    const created = await mkdir(dirname(target), { recursive: true })
    await rename(path, target)
    await syncDirectory(dirname(target))
    if (created !== undefined) await syncDirectory(layout.repos)
  } catch (error) {
    await removeTree(path)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST')
      throw new GitError('exists', 'the repository is already there', { cause: error })
    throw error
  }
}

export async function existsOnDisk(path: string): Promise<boolean> {
  return access(join(path, 'HEAD')).then(
    () => true,
    () => false,
  )
}

/**
 * Moves the repository to the trash in one step, which removes it for every reader. The background job deletes the
 * files.
 */
export async function removeOnDisk(layout: Layout, storage: string): Promise<boolean> {
  const path = layout.repo(storage)
  try {
    await rename(path, layout.trashPath())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  await syncDirectory(dirname(path))
  return true
}
