import { open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceDurably, syncDirectory } from '../../../platform/files/durable.ts'
import type { KeyedMutex, Confirm } from '../../../platform/concurrency/lock-table.ts'
import { clearStaleLock } from '../../disk/locks.ts'
import { GitError, isGitError, RefConflictError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { isOid, isZeroOid, type ObjectFormat, zeroOid } from '../object/format.ts'
import type { RefReader, RefSnapshot } from './ref-store.ts'
import { chooseSync, RefMover, UPDATE_REF } from './ref-transaction.ts'

const MAX_REF_BYTES = 1024

// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/

/**
 * The rules of git-check-ref-format(1) for a full name such as `refs/heads/main`. Pure; proven equal to git by a test.
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

/** NOTE: git has no such limit, file systems do: a component and its `.lock` must fit in 255 bytes. */
const MAX_COMPONENT = 250

/** A short branch name: not an option, not HEAD, valid below refs/heads/ (git check-ref-format --branch). */
export function isValidBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** A short tag name. */
export function isValidTagName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** A name that looks like a full object id, of either length. */
const ID_LIKE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/**
 * Whether a branch or tag may be created with this short name. Names that look like an object id exist in older and
 * imported repositories only: the id is what they mean wherever a revision is named.
 */
export const isNewRefName = (name: string): boolean => isValidBranchName(name) && !ID_LIKE.test(name)

export const branchRef = (name: string): string => `refs/heads/${name}`
export const tagRef = (name: string): string => `refs/tags/${name}`

/**
 * One ref of a transaction. The zero id as `new` deletes, as `old` demands that the ref does not exist; no `old`:
 * whatever it is.
 */
interface RefUpdate {
  readonly ref: string
  readonly new: string
  readonly old?: string
}

export interface RefsContext {
  readonly path: string
  readonly format: ObjectFormat
  readonly reader: RefReader
  readonly mutex: KeyedMutex
  readonly command: GitCommand
  /** Wall-clock milliseconds at which this server began: an older lock has no owner. */
  readonly startedAt: number
  /** Tells processes on other machines that refs have moved. */
  onMoved(): void
}

export type Refs = ReturnType<typeof createRefs>

export function createRefs(context: RefsContext) {
  const { path, format, reader, mutex, command, startedAt } = context

  async function transact({ updates, mover, confirm }: Transaction): Promise<void> {
    checkAll(updates, await reader.fresh())
    for (const name of [...updates.map((update) => update.ref), 'packed-refs', 'HEAD'])
      clearStaleLock(join(path, `${name}.lock`), startedAt)
    const lines = updates.map((update) => `update ${update.ref}\0${update.new}\0${update.old ?? ''}\0`).join('')
    try {
      const moves = { path, refs: updates.map((update) => update.ref), lines, confirm }
      const sync = chooseSync(updates)
      // NOTE: where git syncs and nothing is asked in between, the number of processes at once is bounded.
      if (mover === undefined && confirm === undefined && sync === 'git')
        await command.run(UPDATE_REF, { input: `start\0${lines}prepare\0commit\0` })
      else if (!(await (mover ?? new RefMover(command, sync)).move(moves)))
        await new RefMover(command, 'git').move(moves)
    } catch (error) {
      throw isGitError(error, 'failed') ? explain(error, updates) : error
    }
    await makeDurable(path, updates)
  }

  return {
    /** The refs as they are now, also when another process changed them. Costs a few stat calls when nothing changed. */
    snapshot: (): Promise<RefSnapshot> => reader.current(),
    /** As snapshot, for what is written by it: sees changes by other machines that were complete before the call. */
    freshSnapshot: (): Promise<RefSnapshot> => reader.fresh(),
    /**
     * Begins what one `update` of these or some of these refs will need, while other work goes on. To be closed.
     */
    mover: (updates: readonly Pick<RefUpdate, 'new'>[]): RefMover => new RefMover(command, chooseSync(updates)),
    /**
     * Moves all refs or none, durably. Throws RefConflictError when one is not at its expected old value or its name
     * clashes with another ref; GitError `invalid` for a bad name or id, `missing` for an object that is not there.
     * `mover`: what `mover()` gave, once.
     */
    async update(updates: readonly RefUpdate[], mover?: RefMover): Promise<void> {
      for (const update of updates) checkUpdate(update, format)
      if (updates.length === 0) return
      await mutex.run(path, (confirm) => transact({ updates, mover, confirm }))
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
    /** Another process has moved refs: the next snapshot reads all files again. */
    movedElsewhere: (): void => reader.distrust(),
  }
}

interface Transaction {
  readonly updates: readonly RefUpdate[]
  readonly mover: RefMover | undefined
  /** Of the lock under which the refs move, where it can be lost. */
  readonly confirm: Confirm | undefined
}

function checkAll(updates: readonly RefUpdate[], snapshot: RefSnapshot): void {
  for (const update of updates) checkExpected(update, snapshot)
  checkClashes(updates, snapshot)
}

function checkUpdate(update: RefUpdate, format: ObjectFormat): void {
  const deletes = isZeroOid(update.new)
  // A name git would not make may still exist and must be deletable; it must not break the input format though.
  const valid = deletes
    ? /^refs\/[^\0\n]+$/.test(update.ref)
    : update.ref.startsWith('refs/') && isValidRefName(update.ref)
  if (!valid) throw new GitError('invalid', `bad ref name: ${update.ref}`)
  for (const oid of [update.new, update.old ?? zeroOid(format)]) {
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid}`)
  }
}

/** The common lost race, found without a process. Git checks again under its own lock. */
function checkExpected(update: RefUpdate, snapshot: RefSnapshot): void {
  if (update.old === undefined) return
  const actual = snapshot.get(update.ref)?.oid
  if (isZeroOid(update.old) ? actual === undefined : actual === update.old) return
  if (actual === undefined) throw new RefConflictError(update.ref, 'missing')
  throw new RefConflictError(update.ref, isZeroOid(update.old) ? 'exists' : 'stale', actual)
}

/** Names for which it is cheaper to look through all refs for each. */
const FEW = 8

/** `refs/heads/a` and `refs/heads/a/b` of `refs/heads/a/b/c`. */
function directoriesOf(ref: string): string[] {
  const parts = ref.split('/')
  return parts.slice(2, -1).map((_, index) => parts.slice(0, index + 3).join('/'))
}

function directorySet(snapshot: RefSnapshot, gone: ReadonlySet<string>): (name: string) => boolean {
  const all = new Set(
    snapshot
      .list('')
      .filter(({ name }) => !gone.has(name))
      .flatMap(({ name }) => directoriesOf(name)),
  )
  return (name) => all.has(name)
}

/** `feat` and `feat/x` cannot both exist (a file and a directory). */
function checkClashes(updates: readonly RefUpdate[], snapshot: RefSnapshot): void {
  const gone = new Set(updates.filter((update) => isZeroOid(update.new)).map((update) => update.ref))
  const made = new Set(
    updates.filter((update) => !gone.has(update.ref) && !snapshot.get(update.ref)).map((update) => update.ref),
  )
  const isDirectory =
    made.size > FEW
      ? directorySet(snapshot, gone)
      : (ref: string): boolean => snapshot.list(`${ref}/`).some((other) => !gone.has(other.name))
  for (const ref of made) {
    const above = directoriesOf(ref).some((parent) => (snapshot.get(parent) && !gone.has(parent)) || made.has(parent))
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

/** NOTE: git syncs the ref file before it renames it, not the directory with the new name. */
async function makeDurable(path: string, updates: readonly RefUpdate[]): Promise<void> {
  const directories = new Set(updates.map((update) => dirname(join(path, update.ref))))
  if (updates.some((update) => isZeroOid(update.new))) directories.add(path)
  await Promise.all([...directories].map((directory) => syncDirectory(directory)))
}

/** HEAD.lock is what git itself would take. */
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
