import { mkdir, open, rename, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../platform/files/durable.ts'
import type { GitCommand, Settings } from '../engine/command.ts'
import { isGitError } from '../errors.ts'
import { measureRepo } from './size.ts'

/**
 * An open bundle of all branches and tags as of some earlier time. It stays readable when a newer bundle replaces it.
 */
export interface OpenBundle {
  readonly file: FileHandle
  readonly size: number
  readonly modifiedMs: number
  /** Unique among the bundles of the repository. */
  readonly tag: string
}

export interface BundleContext {
  readonly path: string
  readonly command: GitCommand
  readonly settings: Settings
  /** Timeout in milliseconds of one git process. */
  readonly deadline: number
}

/** The bundle is stored inside the repository, so that it moves with it; backups and sizes leave it out. */
const FOLDER = 'bundle'
const NAME = 'clone.bundle'
/** The bundle is rebuilt when the packs have grown by this share of its size. */
const GROWTH = 0.25

const bundlePath = (repoPath: string): string => join(repoPath, FOLDER, NAME)

/** Opens the bundle of a repository; undefined if there is none. The caller closes the file. */
export async function openBundle(repoPath: string): Promise<OpenBundle | undefined> {
  const file = await open(bundlePath(repoPath)).catch(() => undefined)
  if (file === undefined) return undefined
  const { size, mtimeMs, ino } = await file.stat()
  return {
    file,
    size,
    modifiedMs: mtimeMs,
    tag: `${ino.toString(36)}-${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`,
  }
}

/**
 * Creates, rebuilds or removes the bundle, or leaves it as it is, for packs of at least `minBytes`. Returns true if a
 * bundle was written.
 */
export async function refreshBundle(context: BundleContext, minBytes: number): Promise<boolean> {
  const { path } = context
  const { packBytes } = await measureRepo(path)
  if (packBytes < minBytes) {
    await removeTree(join(path, FOLDER))
    return false
  }
  if (await isGoodStill(context)) return false
  await make(context)
  return true
}

async function make({ path, command, settings, deadline }: BundleContext): Promise<void> {
  const fresh = join(path, FOLDER, `${NAME}.new`)
  await mkdir(join(path, FOLDER), { recursive: true })
  // Leftovers of a killed process; git itself creates the lock file.
  for (const left of [fresh, `${fresh}.lock`]) await removeTree(left)
  try {
    await command.run(['bundle', 'create', '--quiet', fresh, '--branches', '--tags'], {
      deadline,
      settings,
      paced: true,
    })
  } catch (error) {
    if (!isGitError(error) || !/empty bundle/.test(error.message)) throw error
    await removeTree(join(path, FOLDER)) // the repository no longer has any branch or tag
    return
  }
  await rename(fresh, bundlePath(path))
}

/** True if the bundle contains only reachable objects, and most of them. */
async function isGoodStill({ path, command, settings, deadline }: BundleContext): Promise<boolean> {
  const opened = await openBundle(path)
  if (opened === undefined) return false
  await opened.file.close()
  const options = { deadline, settings, paced: true }
  try {
    const heads = await command.run(['bundle', 'list-heads', bundlePath(path)], options)
    const tips = heads.stdout
      .toString('latin1')
      .split('\n')
      .flatMap((line) => line.split(' ', 1))
      .filter(Boolean)
    const lost = await command.run(['rev-list', '--count', '--stdin', '--not', '--branches', '--tags'], {
      ...options,
      input: lines(tips),
    })
    if (Number(lost.stdout.toString('latin1')) > 0) return false
    const newObjects = [
      'rev-list',
      '--disk-usage',
      '--objects',
      '--use-bitmap-index',
      '--branches',
      '--tags',
      '--stdin',
    ]
    const added = await command.run(newObjects, { ...options, input: lines(tips.map((oid) => `^${oid}`)) })
    return Number(added.stdout.toString('latin1')) <= opened.size * GROWTH
  } catch (error) {
    if (isGitError(error)) return false // a tip no longer exists, or the file is not a bundle
    throw error
  }
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
