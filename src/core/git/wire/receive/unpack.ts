import { createHash } from 'node:crypto'
import type { ObjectFormat } from '../../engine/object/format.ts'
import { type GitChild, startGit } from '../git-child.ts'
import type { PktReader } from '../pkt/pkt-reader.ts'
import { protocolError, WireError } from '../wire-error.ts'
import { isDomainError } from '../../../platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../platform/files/out-of-space.ts'
import { isGitError, RefConflictError, type RefConflictReason } from '../../errors.ts'
import type { GitRepo } from '../../repo.ts'
import type { RefMove } from './receive-request.ts'

/** Packs of up to this many objects are stored as loose objects, like git's `receive.unpackLimit`. */
const UNPACK_LIMIT = 100

/** Harmless flaws that only old tools produced; all other fsck errors are refused. */
const TOLERATED = ['zeroPaddedFilemode', 'badTimezone', 'missingSpaceBeforeDate'].map((id) => `${id}=ignore`).join(',')

/**
 * Bytes git may allocate at once for one object: larger ones are streamed, and a delta that claims more is an attack.
 */
const MAX_ALLOCATION = '1g'
const BIG_FILE = '128m'

export interface UnpackOptions {
  readonly format: ObjectFormat
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly deadlineMs: number
  readonly maxBytes: number
  /** Receives git's progress lines. */
  readonly onProgress: (chunk: Buffer) => void
  /** The whole pack has arrived; only the server works from here on. */
  readonly onReceived: () => void
}

export interface Unpacked {
  readonly objects: number
  /** Git's error in one line; absent if there is none. */
  readonly error?: string
}

/** Reads the pack from the stream and stores its objects where `env` says. Memory does not grow with the pack. */
export async function unpack(reader: PktReader, options: UnpackOptions): Promise<Unpacked> {
  const header = await reader.bytes(12)
  if (header === undefined) throw protocolError('the pack is missing')
  const version = header.readUInt32BE(4)
  if (header.toString('latin1', 0, 4) !== 'PACK' || version < 2 || version > 3)
    throw protocolError('this is not a pack')
  const objects = header.readUInt32BE(8)
  if (objects === 0) return finishEmpty(reader, header, options)
  reader.unshift(header)
  return { objects, ...(await store(reader, objects, options)) }
}

async function finishEmpty(
  reader: PktReader,
  header: Buffer,
  { format, onReceived }: UnpackOptions,
): Promise<Unpacked> {
  const expected = createHash(format).update(header).digest()
  const trailer = await reader.bytes(expected.length)
  onReceived()
  return trailer?.equals(expected) ? { objects: 0 } : { objects: 0, error: 'pack is corrupted (checksum mismatch)' }
}

async function store(reader: PktReader, objects: number, options: UnpackOptions): Promise<{ error?: string }> {
  const env = { ...options.env, GIT_ALLOC_LIMIT: MAX_ALLOCATION }
  const small = objects <= UNPACK_LIMIT
  const common = [`--strict=${TOLERATED}`, `--max-input-size=${options.maxBytes}`]
  const args = small
    ? ['unpack-objects', '-q', ...common]
    : ['index-pack', '--stdin', '--fix-thin', '--show-resolving-progress', '--report-end-of-input', ...common]
  const received = Promise.withResolvers<undefined>()
  const onReceived = (): void => {
    received.resolve(undefined)
    options.onReceived()
  }
  // Nothing in a quarantine needs to survive a crash: objects are synced when they leave it.
  const child = startGit(['-c', `core.bigFileThreshold=${BIG_FILE}`, '-c', 'core.fsync=none', ...args], {
    env,
    signal: options.signal,
    deadlineMs: options.deadlineMs,
    onStderr: small ? () => {} : (chunk) => splitProgress(chunk, options.onProgress, onReceived),
  })
  try {
    const over = Promise.race([received.promise, child.exited.then(() => undefined)])
    await Promise.all([feedPack(reader, child, over), drop(child)])
    const code = await child.exited
    onReceived()
    return code === 0 ? {} : { error: unpackError(child.stderr()) }
  } finally {
    child.kill()
    await child.exited.catch(() => {})
  }
}

/** NOTE: index-pack writes one NUL byte when it has all it needs; over SSH the client sends no end of input. */
function splitProgress(chunk: Buffer, onProgress: (chunk: Buffer) => void, onReceived: () => void): void {
  const nul = chunk.indexOf(0)
  if (nul < 0) return onProgress(chunk)
  onReceived()
  onProgress(Buffer.concat([chunk.subarray(0, nul), chunk.subarray(nul + 1)]))
}

async function feedPack(reader: PktReader, child: GitChild, over: Promise<undefined>): Promise<void> {
  for (;;) {
    const chunk = await Promise.race([reader.chunk(), over])
    if (chunk === undefined) return child.closeInput()
    await child.write(chunk)
  }
}

async function drop(child: GitChild): Promise<void> {
  for await (const _ of child.stdout) continue
}

/** Git's error line, without paths of this machine. */
function unpackError(stderr: string): string {
  const lines = stderr.split(/[\r\n\0]+/).filter((line) => /^(error|fatal):/.test(line))
  const line = lines.find((text) => text.startsWith('error: ')) ?? lines.at(-1) ?? 'the pack could not be unpacked'
  return line
    .replace(/^(error|fatal): /, '')
    .replaceAll(/(?:\/[^\s/'"]+)+\/(?=[^\s/])/g, '')
    .slice(0, 300)
}

/** Reads and discards further data of a refused client, so that it can read the response; stops after `maxBytes`. */
export async function discard(reader: PktReader, maxBytes: number): Promise<void> {
  let seen = 0
  for (let chunk = await reader.chunk(); chunk !== undefined; chunk = await reader.chunk()) {
    seen += chunk.length
    if (seen > maxBytes) throw new WireError('protocol', 'the client continues to send a refused pack')
  }
}

const REASONS: Readonly<Record<RefConflictReason, string>> = {
  stale: 'the ref has moved, fetch first',
  exists: 'reference already exists',
  missing: 'reference does not exist',
  'name-clash': 'a ref with a conflicting name exists',
  locked: 'the ref is locked, try again',
}

export const NO_COMMIT = 'a branch must point to a commit'

/** Moves all refs or none. Returns the reason for the client if nothing moved; `onError` receives the details. */
export async function moveRefs(
  repo: GitRepo,
  moves: readonly RefMove[],
  onError: (error: unknown) => void,
): Promise<string | undefined> {
  try {
    await repo.refs.update(moves.map((move) => ({ ref: move.ref, new: move.newOid, old: move.oldOid })))
    return undefined
  } catch (error) {
    if (error instanceof RefConflictError) return REASONS[error.reason]
    if (isGitError(error) && /non-commit object/.test(error.message)) return NO_COMMIT
    onError(error)
    // Another server took the lock.
    if (isDomainError(error, 'unavailable')) return error.message
    if (isOutOfSpace(error)) return OUT_OF_SPACE
    return 'failed to update ref'
  }
}
