import { readdirSync, type Stats, statSync } from 'node:fs'
import { chmod, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { denyOthers, OTHERS } from '../core/platform/files/private.ts'
import type { DoctorCheck, Finding } from '../core/module.ts'

/** The entries that the server creates in the data directory. */
const OWN =
  /^(?:git|blobs|cache|nodes|ssh|tls|ingot\.db.*|secret\.key.*|lfs\.key.*|server\.lock.*|backup(?:-position)?\.json.*)$/
/** Entries of other programs that do not make the data directory a shared one. */
const HARMLESS = /^(?:\..*|lost\+found)$/
const STICKY = 0o1000
const AT_ONCE = 64
const MAX_NAMED = 10

/**
 * Removes the permissions of group and others from the data directory, if this user owns it. A directory shared with
 * other programs, such as /tmp, stays as it is.
 */
export function denyOthersDataDir(dataDir: string): void {
  if (!isShared(dataDir)) denyOthers(dataDir)
}

function isShared(dataDir: string): boolean {
  if ((statSync(dataDir).mode & STICKY) !== 0) return true
  return readdirSync(dataDir, { withFileTypes: true }).some(
    (entry) => entry.isDirectory() && !OWN.test(entry.name) && !HARMLESS.test(entry.name),
  )
}

/** Reports files in the data directory that are accessible to group or others; with `fix` removes these permissions. */
export const permissionsCheck = (dataDir: string): DoctorCheck => ({
  name: 'permissions',
  async *run({ fix }) {
    const isClosed = ((await stat(dataDir)).mode & OTHERS) === 0
    const [fixed, open] = [new PathCount(), new PathCount()]
    for await (const entry of walkOpen(dataDir)) (fix && (await close(entry)) ? fixed : open).add(entry)
    yield* fixed.finding('fixed', 'are now accessible to their owner only')
    if (isClosed) yield* open.finding('note', `would be accessible to others in a copy; ${dataDir} itself is not`)
    else yield* open.finding('problem', 'are accessible to others')
  },
})

interface Entry {
  readonly path: string
  readonly mode: number
  readonly isDirectory: boolean
}

/** The data directory and the server's own files in it that are accessible to group or others. */
async function* walkOpen(dataDir: string): AsyncGenerator<Entry, void, undefined> {
  const top = await stat(dataDir)
  if (isOpen(top) && !isShared(dataDir)) yield { path: dataDir, mode: top.mode, isDirectory: true }
  for (const name of await readdir(dataDir)) {
    // A directory may be a symbolic link to another disk.
    if (OWN.test(name)) yield* walk(join(dataDir, name), await stat(join(dataDir, name)).catch(ignoreMissing))
  }
}

async function* walk(path: string, found: Stats | undefined): AsyncGenerator<Entry, void, undefined> {
  if (found === undefined || found.isSymbolicLink()) return
  const isDirectory = found.isDirectory()
  if (isOpen(found)) yield { path, mode: found.mode, isDirectory }
  if (!isDirectory) return
  const names = (await readdir(path).catch(ignoreMissing)) ?? []
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const paths = names.slice(at, at + AT_ONCE).map((name) => join(path, name))
    const all = await Promise.all(paths.map((each) => lstat(each).catch(ignoreMissing)))
    for (const [index, each] of paths.entries()) yield* walk(each, all[index])
  }
}

const isOpen = ({ mode }: Stats): boolean => (mode & OTHERS) !== 0

/** False where the file belongs to another user. */
async function close({ path, mode }: Entry): Promise<boolean> {
  try {
    await chmod(path, mode & 0o7777 & ~OTHERS)
    return true
  } catch (error) {
    if (!['EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return false
  }
}

/** Counts directories and files, and stores the first paths of each. */
class PathCount {
  readonly #directories: string[] = []
  readonly #files: string[] = []
  #directoryCount = 0
  #fileCount = 0

  add({ path, isDirectory }: Entry): void {
    const named = isDirectory ? this.#directories : this.#files
    if (named.length < MAX_NAMED) named.push(path)
    if (isDirectory) this.#directoryCount++
    else this.#fileCount++
  }

  *finding(state: Finding['state'], what: string): Iterable<Finding> {
    const count = this.#directoryCount + this.#fileCount
    if (count === 0) return
    const named = [...this.#directories, ...this.#files].slice(0, MAX_NAMED)
    const more = count > named.length ? ` and ${count - named.length} more` : ''
    yield {
      state,
      what: `${counted(this.#directoryCount, 'directory', 'directories')} and ${counted(this.#fileCount, 'file', 'files')} ${what}: ${named.join(', ')}${more}`,
    }
  }
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** Ignores files that were deleted during the walk and directories of other users. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(error.code ?? '')) throw error
  return undefined
}
