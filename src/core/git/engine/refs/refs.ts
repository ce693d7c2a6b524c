import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceDurably, syncDirectory } from '../../../platform/files/durable.ts'
import type { KeyedMutex, Confirm } from '../../../platform/concurrency/lock-table.ts'
import { clearStaleLock } from '../../disk/locks.ts'
import { GitError, isGitError, RefConflictError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { isOid, isZeroOid, type ObjectFormat, zeroOid } from '../object/format.ts'
import type { Objects } from '../read/objects.ts'
import type { RefReader, RefSnapshot } from './ref-store.ts'
import { moveRefFile } from './ref-file.ts'
import { chooseSync, moveByGit, UPDATE_REF } from './ref-transaction.ts'

const MAX_REF_BYTES = 1024

// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/

/**
 * Implements git-check-ref-format(1) for a full name such as `refs/heads/main`. A property test compares it with git.
 */
export function isValidRefName(name: string): boolean {
  return name.includes('/') && isValidRefPart(name)
}

/** The same without the rule that there must be a slash (`--allow-onelevel`). */
export function isValidRefPart(name: string): boolean {
  if (name === '' || name === '@' || FORBIDDEN.test(name)) return false
  if (Buffer.byteLength(name) > MAX_REF_BYTES || !name.isWellFormed()) return false
  return name
    .split('/')
    .every((part) => !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= MAX_COMPONENT)
}

/** NOTE: file systems, not git, have this limit: a component and its `.lock` must fit into 255 bytes. */
const MAX_COMPONENT = 250

/**
 * True for a valid short branch name: not an option, not HEAD, valid below refs/heads/ (git check-ref-format --branch).
 */
export function isValidBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** True for a valid short tag name. */
export function isValidTagName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** A name that looks like a full object id, of either length. */
const ID_LIKE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/**
 * True if a branch or tag may be created with this short name. Names that look like an object id exist only in older
 * and imported repositories: as a revision such a name means the id.
 */
export const isNewRefName = (name: string): boolean => isValidBranchName(name) && !ID_LIKE.test(name)

export const branchRef = (name: string): string => `refs/heads/${name}`
export const tagRef = (name: string): string => `refs/tags/${name}`

/**
 * One ref of a transaction. The zero id as `new` deletes; as `old` it requires that the ref does not exist. Without
 * `old` the current value does not matter.
 */
interface RefUpdate {
  readonly ref: string
  readonly new: string
  readonly old?: string
}

export interface RefsContext {
  readonly path: string
  readonly format: ObjectFormat
  readonly objects: Objects
  readonly reader: RefReader
  readonly mutex: KeyedMutex
  readonly command: GitCommand
  /** Wall-clock milliseconds of this server's start: an older lock has no owner. */
  readonly startedAt: number
  /** Notifies processes on other machines that refs have moved. */
  onMoved(): void
}

export type Refs = ReturnType<typeof createRefs>

export function createRefs(context: RefsContext) {
  const { path, format, objects, reader, mutex, command, startedAt } = context

  async function transact({ updates, confirm }: Transaction): Promise<void> {
    const snapshot = await reader.fresh()
    checkAll(updates, snapshot)
    for (const name of [...updates.map((update) => update.ref), 'packed-refs', 'HEAD'])
      clearStaleLock(join(path, `${name}.lock`), startedAt)
    const [first, ...others] = updates
    if (first === undefined || others.length > 0 || isZeroOid(first.new) || !(await moveOne(first, confirm)))
      await moveAll({ updates, confirm })
    await makeDurable(path, updates)
  }

  /** Returns false if only git can move the ref. */
  async function moveOne(update: RefUpdate, confirm: Confirm | undefined): Promise<boolean> {
    const { ref, new: oid } = update
    const found = await objects.findStored(oid)
    if (found === undefined) throw new GitError('missing', `nonexistent object ${oid} for ${ref}`)
    if (ref.startsWith('refs/heads/') && found.type !== 'commit')
      throw new GitError('missing', `non-commit object ${oid} for ${ref}`)
    const check = async (loose: string | undefined): Promise<void> => {
      if (loose === undefined) checkAll([update], await reader.fresh())
      else checkExpected(update, loose)
    }
    return moveRefFile({ path, ref, oid, check, confirm })
  }

  async function moveAll({ updates, confirm }: Transaction): Promise<void> {
    const lines = updates.map((update) => `update ${update.ref}\0${update.new}\0${update.old ?? ''}\0`).join('')
    try {
      const moves = { path, refs: updates.map((update) => update.ref), lines, confirm }
      const sync = chooseSync(updates)
      // NOTE: git syncs and nothing has to be confirmed in between, so the number of concurrent processes is limited
      // here.
      if (confirm === undefined && sync === 'git')
        await command.run(UPDATE_REF, { input: `start\0${lines}prepare\0commit\0` })
      else if (!(await moveByGit(command, sync, moves))) await moveByGit(command, 'git', moves)
    } catch (error) {
      throw isGitError(error, 'failed') ? explain(error, updates) : error
    }
  }

  return {
    /** The current refs, including changes by other processes. Costs a few stat calls if nothing changed. */
    snapshot: (): Promise<RefSnapshot> => reader.current(),
    /**
     * Like `snapshot`, for callers that write: includes changes by other machines that were complete before the call.
     */
    freshSnapshot: (): Promise<RefSnapshot> => reader.fresh(),
    /**
     * Moves all refs or none, durably. Throws RefConflictError if one does not have its expected old value or its name
     * clashes with another ref; GitError `invalid` for a bad name or id, `missing` for an object that does not exist.
     */
    async update(updates: readonly RefUpdate[]): Promise<void> {
      for (const update of updates) checkUpdate(update, format)
      if (updates.length === 0) return
      await mutex.run(path, (confirm) => transact({ updates, confirm }))
      context.onMoved()
    },
    /** Points HEAD at a branch, which need not exist yet. */
    async setHead(branch: string): Promise<void> {
      if (!isValidBranchName(branch)) throw new GitError('invalid', `bad branch name: ${branch}`)
      await mutex.run(path, (confirm) => {
        clearStaleLock(join(path, 'HEAD.lock'), startedAt)
        return replaceHead(path, branch, confirm)
      })
      context.onMoved()
    },
    /** Call it when another process has moved refs: the next snapshot reads all files again. */
    movedElsewhere: (): void => reader.invalidate(),
  }
}

interface Transaction {
  readonly updates: readonly RefUpdate[]
  /** Confirms the lock under which the refs move, where it can be lost. */
  readonly confirm: Confirm | undefined
}

function checkAll(updates: readonly RefUpdate[], snapshot: RefSnapshot): void {
  for (const update of updates) checkExpected(update, snapshot.get(update.ref)?.oid)
  checkClashes(updates, snapshot)
}

function checkUpdate(update: RefUpdate, format: ObjectFormat): void {
  const deletes = isZeroOid(update.new)
  // A name that git would not create may exist and must be deletable, but it must not break the input format.
  const valid = deletes
    ? /^refs\/[^\0\n]+$/.test(update.ref)
    : update.ref.startsWith('refs/') && isValidRefName(update.ref)
  if (!valid) throw new GitError('invalid', `bad ref name: ${update.ref}`)
  for (const oid of [update.new, update.old ?? zeroOid(format)]) {
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid}`)
  }
}

/** Detects a lost race: before the ref is locked, which is the common one, and while it is locked. */
function checkExpected(update: RefUpdate, actual: string | undefined): void {
  if (update.old === undefined) return
  if (isZeroOid(update.old) ? actual === undefined : actual === update.old) return
  if (actual === undefined) throw new RefConflictError(update.ref, 'missing')
  throw new RefConflictError(update.ref, isZeroOid(update.old) ? 'exists' : 'stale', actual)
}

/** Up to this many names, scanning all refs for each is cheaper. */
const FEW = 8

/** Returns `refs/heads/a` and `refs/heads/a/b` for `refs/heads/a/b/c`. */
function directoriesOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(2, -1).map((_, index) => parts.slice(0, index + 3).join('/'))
}

function directorySet(snapshot: RefSnapshot, deleted: ReadonlySet<string>): (name: string) => boolean {
  const all = new Set(
    snapshot
      .list('')
      .filter(({ name }) => !deleted.has(name))
      .flatMap(({ name }) => directoriesOf(name)),
  )
  return (name) => all.has(name)
}

/** `feat` and `feat/x` cannot both exist (a file and a directory). */
function checkClashes(updates: readonly RefUpdate[], snapshot: RefSnapshot): void {
  const deleted = new Set(updates.filter((update) => isZeroOid(update.new)).map((update) => update.ref))
  const made = new Set(
    updates.filter((update) => !deleted.has(update.ref) && !snapshot.get(update.ref)).map((update) => update.ref),
  )
  const isDirectory =
    made.size > FEW
      ? directorySet(snapshot, deleted)
      : (ref: string): boolean => snapshot.list(`${ref}/`).some((other) => !deleted.has(other.name))
  for (const ref of made) {
    const above = directoriesOf(ref).some(
      (parent) => (snapshot.get(parent) && !deleted.has(parent)) || made.has(parent),
    )
    if (above || isDirectory(ref)) throw new RefConflictError(ref, 'name-clash')
  }
}

const CAUSES: readonly (readonly [
  pattern: RegExp,
  reason: 'stale' | 'exists' | 'missing' | 'name-clash' | 'locked',
])[] = [
  [/is at ([0-9a-f]+) but expected/, 'stale'],
  [/reference already exists/, 'exists'],
  [/unable to resolve reference|reference is missing/, 'missing'],
  [/cannot create|there are still refs under|unable to create directory|Is a directory/i, 'name-clash'],
  [/Unable to create '.*\.lock'/, 'locked'],
]

function explain(error: GitError, updates: readonly RefUpdate[]): Error {
  const ref =
    /(?:cannot lock ref|update_ref failed for ref) '([^']+)'/.exec(error.message)?.[1] ?? updates[0]?.ref ?? ''
  for (const [pattern, reason] of CAUSES) {
    const match = pattern.exec(error.message)
    if (match) return new RefConflictError(ref, reason, match[1])
  }
  if (/nonexistent object|bad object|non-commit object/.test(error.message))
    return new GitError('missing', error.message, { cause: error })
  return error
}

/** NOTE: git syncs the ref file before it renames it, but not the directory with the new name. */
async function makeDurable(path: string, updates: readonly RefUpdate[]): Promise<void> {
  const directories = new Set(updates.map((update) => dirname(join(path, update.ref))))
  if (updates.some((update) => isZeroOid(update.new))) directories.add(path)
  await Promise.all([...directories].map((directory) => syncDirectory(directory)))
}

/** HEAD.lock is the lock that git itself would take. */
async function replaceHead(path: string, branch: string, confirm: Confirm | undefined): Promise<void> {
  const lock = join(path, 'HEAD.lock')
  const handle = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new RefConflictError('HEAD', 'locked')
    throw new GitError('no-repo', 'the repository does not exist', { cause: error })
  })
  try {
    await handle.writeFile(`ref: refs/heads/${branch}\n`)
    await handle.sync()
    await confirm?.()
  } catch (error) {
    await rm(lock, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await replaceDurably(lock, join(path, 'HEAD'))
}
