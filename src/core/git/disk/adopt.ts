import { copyFile, link, lstat, mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../platform/files/durable.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import { isValidBranchName } from '../engine/refs/refs.ts'
import { GitError } from '../errors.ts'
import { createOnDisk, type NewRepo, writePackedRefs } from './create.ts'
import type { Layout } from './layout.ts'

/** A bare repository that an operator has put into the directory `adopt`, as `<owner>/<name>.git`. */
export interface UnadoptedRepo {
  readonly owner: string
  readonly name: string
}

const ENDING = '.git'
const REFS = ['heads', 'tags', 'notes']
const SAFE = /^\w[\w.-]*$/

export type Adoptions = ReturnType<typeof createAdoptions>

/** Lists, imports and discards the repositories that wait in the `adopt` directory. */
export function createAdoptions(layout: Layout) {
  const pathOf = ({ owner, name }: UnadoptedRepo): string => {
    if (!SAFE.test(owner) || !SAFE.test(name)) throw new GitError('no-repo', 'there is no such repository')
    return join(layout.adopt, owner, name + ENDING)
  }
  return {
    /** Lists them in no particular order. */
    async list(): Promise<UnadoptedRepo[]> {
      const found: UnadoptedRepo[] = []
      for (const owner of await namesIn(layout.adopt)) {
        const names = (await namesIn(join(layout.adopt, owner)))
          .filter((name) => name.endsWith(ENDING))
          .map((name) => name.slice(0, -ENDING.length))
        for (const name of names)
          if (SAFE.test(name) && (await isBare(pathOf({ owner, name })))) found.push({ owner, name })
      }
      return found
    },

    /**
     * Creates a repository under the key from the branches, tags, notes and objects of the found one. Hooks, settings
     * and other files are not copied. The original stays until `discard`. Throws GitError `no-repo`, or `invalid` if
     * the directory cannot be imported.
     */
    async adopt(found: UnadoptedRepo, storage: string): Promise<NewRepo> {
      const path = pathOf(found)
      if (!(await isBare(path))) throw new GitError('no-repo', 'there is no such repository')
      const repo = await readBasics(path)
      await createOnDisk(layout, storage, repo, async (target) => {
        await copyPackedRefs(path, target)
        for (const kind of REFS)
          if ((await kindOf(join(path, 'refs', kind))) === 'directory')
            await copyDirectory(join(path, 'refs', kind), join(target, 'refs', kind), copyFile)
        await copyDirectory(join(path, 'objects'), join(target, 'objects'), linkOrCopy)
      })
      return repo
    },

    /** Returns false if there was nothing to discard. */
    async discard(found: UnadoptedRepo): Promise<boolean> {
      const path = pathOf(found)
      if ((await kindOf(path)) !== 'directory') return false
      await rename(path, layout.trashPath())
      await syncDirectory(dirname(path))
      return true
    },
  }
}

/** Returns the names of the directories in a directory, or an empty list if it does not exist. */
async function namesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory() && SAFE.test(entry.name)).map((entry) => entry.name)
}

async function kindOf(path: string): Promise<'directory' | 'file' | 'other' | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return undefined
  return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other'
}

/** NOTE: links are not followed: their targets may be outside of the directory. */
async function isBare(path: string): Promise<boolean> {
  const kinds = await Promise.all(['.', 'objects', 'refs', 'HEAD'].map((name) => kindOf(join(path, name))))
  return kinds.join() === 'directory,directory,directory,file'
}

async function readBasics(path: string): Promise<NewRepo> {
  const config = await readFile(join(path, 'config'), 'utf8').catch(() => '')
  if (/^\s*refstorage\s*=\s*(?!files)\S/im.test(config))
    throw new GitError('invalid', 'the refs are not stored in files')
  if (await kindOf(join(path, 'shallow'))) throw new GitError('invalid', 'the repository is shallow')
  for (const name of ['alternates', 'http-alternates']) {
    if (await kindOf(join(path, 'objects', 'info', name)))
      throw new GitError('invalid', 'the repository borrows objects from another one')
  }
  const objectFormat: ObjectFormat = /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? 'sha256' : 'sha1'
  const branch = /^ref: refs\/heads\/(.+)$/m.exec(await readFile(join(path, 'HEAD'), 'utf8'))?.[1] ?? ''
  return { objectFormat, defaultBranch: isValidBranchName(branch) ? branch : 'main' }
}

/** NOTE: other refs (`refs/pull`, `refs/ingot`) belong to the server and would be mistaken for its own. */
async function copyPackedRefs(from: string, to: string): Promise<void> {
  if ((await kindOf(join(from, 'packed-refs'))) !== 'file') return
  const kept: string[] = []
  let keeps = true
  for (const line of (await readFile(join(from, 'packed-refs'), 'utf8')).split('\n')) {
    if (!line.startsWith('#') && !line.startsWith('^')) keeps = REFS.some((kind) => line.includes(` refs/${kind}/`))
    if (keeps) kept.push(line)
  }
  await writePackedRefs(to, `${kept.join('\n')}\n`)
}

type CopyFile = (from: string, to: string) => Promise<void>

async function copyDirectory(from: string, to: string, file: CopyFile): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyDirectory(source, target, file)
    else if (!entry.isFile()) throw new GitError('invalid', 'the repository contains symbolic links')
    else if (!entry.name.endsWith('.lock')) await file(source, target)
  }
}

/** Objects never change, so two repositories may share a file. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(from, to)
  }
}
