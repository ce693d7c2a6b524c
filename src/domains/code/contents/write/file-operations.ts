import {
  isSafePath,
  MODE,
  type ObjectWriter,
  PathConflictError,
  type TreeChange,
  type TreeEntry,
  type Identity,
} from '../../../../core/git/index.ts'
import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { engineErrors, invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { isZeroTime, parseOptionalTimestamp } from '../../../../core/platform/timestamp.ts'
import { type User, commitIdentity } from '../../../accounts/index.ts'

export type FileOperationKind = 'create' | 'update' | 'upload' | 'rename' | 'delete'

export interface FileOperation {
  readonly kind: FileOperationKind
  readonly path: string
  /** Update and rename: the former path of the file. */
  readonly fromPath?: string | undefined
  readonly content?: Buffer | undefined
  /** The blob id that the file must have. */
  readonly sha?: string | undefined
}

type Entry = Pick<TreeEntry, 'mode' | 'oid' | 'type'>
type Lookup = (path: string) => Promise<Entry | undefined>

/**
 * Computes the tree changes of the operations, each applied to the result of the previous ones. Throws the errors of
 * the API (behaviour/git-data-and-transport#writing-contents).
 */
export async function planChanges(
  writer: ObjectWriter,
  base: Lookup,
  operations: readonly FileOperation[],
): Promise<readonly TreeChange[]> {
  const changed = new Map<string, Entry | undefined>()
  const find: Lookup = async (path) => (changed.has(path) ? changed.get(path) : base(path))
  const pause = createPauses()
  for (const operation of operations) {
    await apply(writer, find, changed, operation)
    await pause()
  }
  const changes: TreeChange[] = []
  for (const [path, entry] of changed) {
    if (entry) changes.push({ path, mode: entry.mode, oid: entry.oid })
    else if (await base(path)) changes.push({ path, delete: true })
  }
  return changes
}

interface KindRules {
  /** The file must exist in the tree before the operation. */
  readonly mustExist: boolean
  /** `fromPath` may name the former path of the file. */
  readonly mayMove: boolean
  /** The operation replaces the content of the path, so the path must not be a symbolic link or a submodule. */
  readonly needsFile: boolean
}

const RULES: Readonly<Record<FileOperationKind, KindRules>> = {
  create: { mustExist: false, mayMove: false, needsFile: true },
  update: { mustExist: true, mayMove: true, needsFile: true },
  upload: { mustExist: false, mayMove: false, needsFile: true },
  rename: { mustExist: true, mayMove: true, needsFile: false },
  delete: { mustExist: true, mayMove: false, needsFile: false },
}

async function apply(
  writer: ObjectWriter,
  find: Lookup,
  changed: Map<string, Entry | undefined>,
  operation: FileOperation,
): Promise<void> {
  const { kind, path } = operation
  const source = sourceOf(operation)
  const moves = source !== path
  const existing = await find(source)
  if (kind === 'create' || moves) requireFree(path, moves ? await find(path) : existing)
  if (kind !== 'delete') await requireFreeParents(find, path)
  requireSource(operation, source, existing)
  if (kind === 'delete' || moves) changed.set(source, undefined)
  if (kind === 'delete') return
  const oid = kind === 'rename' ? existing!.oid : writer.blob(operation.content ?? Buffer.alloc(0))
  changed.set(path, { mode: existing?.mode ?? MODE.file, oid, type: existing?.type ?? 'blob' })
}

/** The path of the file before the operation. */
function sourceOf({ kind, path, fromPath }: FileOperation): string {
  requireSafePath(path)
  if (fromPath !== undefined) requireSafePath(fromPath)
  else if (kind === 'rename') throw engineErrors.fieldRequired('FromPath')
  return RULES[kind].mayMove ? (fromPath ?? path) : path
}

/** `entry` is the tree entry at `source`. */
function requireSource({ kind, sha }: FileOperation, source: string, entry: Entry | undefined): void {
  if (entry === undefined) {
    if (RULES[kind].mustExist) throw errors.objectNotFound(source)
    return
  }
  if (RULES[kind].needsFile) requireFile(source, entry)
  else requireNoDirectory(source, entry)
  if (sha && sha !== entry.oid) throw errors.fileChanged(sha, entry.oid)
}

const MAX_DIRECTORIES = 10_000

/**
 * Throws Invalid if the paths have so many directories that writing their trees would cost more than writing the files.
 */
export function requireFewDirectories(operations: readonly FileOperation[]): void {
  const directories = new Set<string>()
  for (const { path } of operations) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) directories.add(path.slice(0, at))
    if (directories.size > MAX_DIRECTORIES)
      throw invalid(`[Files]: the paths have more than ${MAX_DIRECTORIES} directories`)
  }
}

function requireSafePath(path: string): void {
  if (!isSafePath(path)) throw errors.pathMalformed(path)
}

async function requireFreeParents(find: Lookup, path: string): Promise<void> {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const parent = path.slice(0, at)
    const entry = await find(parent)
    if (entry !== undefined && entry.type !== 'tree') throw fileAbove(parent)
  }
}

const fileAbove = (path: string): Error =>
  invalid(`a file exists where you’re trying to create a subdirectory [path: ${path}]`)

function requireFree(path: string, entry: Entry | undefined): void {
  if (entry === undefined) return
  requireFile(path, entry)
  throw errors.fileExists(path)
}

function requireNoDirectory(path: string, { type }: Entry): void {
  if (type === 'tree') throw errors.directoryInTheWay(path)
}

function requireFile(path: string, entry: Entry): void {
  requireNoDirectory(path, entry)
  const { mode, type } = entry
  if (type === 'commit') throw invalid(`a submodule exists where you’re trying to create a file [path: ${path}]`)
  if (mode === MODE.symlink)
    throw invalid(`a symbolic link exists where you’re trying to create a file [path: ${path}]`)
}

/** Maps a PathConflictError to the error that clients expect; returns other errors unchanged. */
export function fromPathConflict(error: unknown): unknown {
  if (!(error instanceof PathConflictError)) return error
  const { path, reason } = error
  switch (reason) {
    case 'malformed':
      return errors.pathMalformed(path)
    case 'file-above':
      return fileAbove(path)
    case 'directory':
      return errors.directoryInTheWay(path)
    case 'missing':
      return errors.objectNotFound(path)
  }
}

const VERBS: readonly (readonly [verb: string, kinds: readonly FileOperationKind[]])[] = [
  ['Add', ['create']],
  ['Update', ['update', 'upload', 'rename']],
  ['Delete', ['delete']],
]

/** The default commit message: `Add a, b`, `Update c`, `Delete d`, one line each. */
export function defaultMessage(operations: readonly FileOperation[]): string {
  const lines = VERBS.map(
    ([verb, kinds]) => [verb, operations.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path)] as const,
  )
  return lines
    .filter(([, paths]) => paths.length > 0)
    .map(([verb, paths]) => `${verb} ${paths.join(', ')}`)
    .join('\n')
}

interface PersonInput {
  readonly name?: string | undefined
  readonly email?: string | undefined
}

/** The identities and times of a request; times in RFC 3339. */
interface SignatureInput {
  readonly author?: PersonInput | undefined
  readonly committer?: PersonInput | undefined
  readonly authorDate?: string | undefined
  readonly committerDate?: string | undefined
}

export interface FileChange extends SignatureInput {
  readonly operations: readonly FileOperation[]
  /** A diff to apply instead of operations. */
  readonly patch?: Buffer | undefined
  /** The branch to start from; the default branch if absent. */
  readonly branch?: string | undefined
  /** The branch to commit to; `branch` if absent. */
  readonly newBranch?: string | undefined
  readonly message?: string | undefined
  readonly signoff?: boolean | undefined
  /** Allows the new branch to exist already. */
  readonly force?: boolean | undefined
}

export interface Signatures {
  readonly author: Identity
  readonly committer: Identity
}

/**
 * Absent parts come from the other identity, then from the requester. Absent dates are the current time
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function signaturesFor(input: SignatureInput, caller: User, noReplyDomain: string, nowMs: number): Signatures {
  const own = commitIdentity(caller, noReplyDomain)
  const person = (
    first: PersonInput | undefined,
    second: PersonInput | undefined,
  ): { name: string; email: string } => ({
    name: first?.name || second?.name || own.name,
    email: first?.email || second?.email || own.email,
  })
  return {
    author: { ...person(input.author, input.committer), ...timeOf(input.authorDate, nowMs) },
    committer: { ...person(input.committer, input.author), ...timeOf(input.committerDate, nowMs) },
  }
}

/** Preserves the UTC offset that the client sent. Throws Invalid for a time that git cannot store. */
function timeOf(text: string | undefined, nowMs: number): { time: number; offset: number } {
  const given = parseOptionalTimestamp(text)
  if (!text || given === undefined || isZeroTime(given)) return { time: Math.floor(nowMs / 1000), offset: 0 }
  if (given < 0) throw invalid(`[Dates]: a commit has no date before 1970: ${text}`)
  const zone = /([+-])(\d{2}):(\d{2})$/.exec(text)
  const minutes = zone ? Number(zone[2]) * 60 + Number(zone[3]) : 0
  return { time: Math.floor(given / 1000), offset: zone?.[1] === '-' && minutes !== 0 ? -minutes : minutes }
}

/** The message as stored: trimmed, with a newline at the end. A sign-off is the last line, without a newline. */
export function messageFor(message: string | undefined, fallback: string, signoff: Identity | undefined): string {
  const text = message?.trim() || fallback
  return signoff === undefined ? `${text}\n` : `${text}\n\nSigned-off-by: ${signoff.name} <${signoff.email}>`
}
