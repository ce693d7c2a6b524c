import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { conflict } from '../errors.ts'

/** Rights of the group and of others in a file mode. */
export const OTHERS = 0o077

/**
 * Creates a directory with its missing parents, accessible only to their owner; an existing one is not changed. Throws
 * the system's error, which names the path, or Conflict where the file system allows no directories.
 *
 * NOTE: `mkdir` of Node.js with `recursive` never returns where a parent exists but answers ENOENT, as /proc does.
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (existsSync(parent))
      throw conflict(`the directory ${path} cannot be made: the file system of ${parent} allows no new directories`)
    makeDirectory(parent)
    mkdirSync(path, { mode: 0o700 })
  }
}

/**
 * Creates an empty file that only its owner can access; an existing file of this user loses the rights of group and
 * others.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    // NOTE: never opened here: closing any descriptor of a file ends the locks that this process has on it.
    denyOthers(path)
  }
}

/**
 * Removes the rights of group and others from a path of this user; a path that is missing or not its own is not
 * changed.
 */
export function denyOthers(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return
  chmodSync(path, found.mode & 0o7777 & ~OTHERS)
}
