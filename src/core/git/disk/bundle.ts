import { mkdir, open, rename, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../../platform/files/durable.ts'
import type { GitCommand, Settings } from '../engine/command.ts'
import { isGitError } from '../errors.ts'
import { measureRepo } from './size.ts'

/**
 * A bundle of all branches and tags as they were a while ago, opened: it stays whole while a newer one takes its place.
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
  /** Milliseconds for one git process. */
  readonly deadline: number
}

/** Inside the repository, so that it moves with the repository; left out of backups and sizes. */
const FOLDER = 'bundle'
const NAME = 'clone.bundle'
/** Made anew when this share of its size has come since. */
const GROWTH = 0.25

const bundlePath = (repoPath: string): string => join(repoPath, FOLDER, NAME)

/** The bundle of a repository; undefined when there is none. The caller closes the file. */
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
 * Makes the bundle, leaves it, makes it anew or removes it, whichever is right for packs of at least `minBytes`. True:
 * made.
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
  // What a killed process left; git itself makes the lock beside it.
  for (const left of [fresh, `${fresh}.lock`]) await removeTree(left)
  try {
    await command.run(['bundle', 'create', '--quiet', fresh, '--branches', '--tags'], {
      deadline,
      settings,
      paced: true,
    })
  } catch (error) {
    if (!isGitError(error) || !/empty bundle/.test(error.message)) throw error
    await removeTree(join(path, FOLDER)) // no branch and no tag is left
    return
  }
  await rename(fresh, bundlePath(path))
}

/** True when it has no object that the refs do not reach, and most of those that they reach. */
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
    if (isGitError(error)) return false // a tip that is gone, or a file that is no bundle
    throw error
  }
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('')
