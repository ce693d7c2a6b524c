import { createHash, type Hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { countReachable, readWholePack, type WholePack, wholePackFile } from '../../disk/whole-pack.ts'
import { createMemo } from '../../engine/memo.ts'
import { isGitError } from '../../errors.ts'
import type { GitRepo } from '../../repo.ts'
import type { ByteSink } from '../pkt/byte-sink.ts'
import { answersWithPackOnly, fetchKey, refsDigest } from './fetch-key.ts'
import { FLUSH, lengthPrefix, MAX_PAYLOAD } from '../pkt/pkt-line.ts'
import { isBelow, type WireRefs } from '../repo.ts'
import { SideBand } from '../pkt/side-band.ts'
import type { V2Request } from './v2-request.ts'

/** An answer to a clone: a pack of the repository as it lies on disk, and after it what has come since. */
interface Answer {
  readonly file: string
  readonly hash: string
  /** Objects in all. */
  readonly objects: number
  /** Packed objects without header and trailer; empty when the file is the whole answer. */
  readonly added: Buffer
  /** The last bytes of the pack, once they are known. */
  trailer?: Buffer
}

/** Where there is no such answer. */
type Found = { readonly answer?: Answer }

export interface WholePacksOptions {
  /** Refs that clients do not see; prefixes that end with a slash. */
  readonly hiddenRefs: readonly string[]
}

const CACHE_BYTES = 16 * 1024 ** 2
/** What came since the pack was made is computed for each state of the refs, so it has to be little. */
const MAX_ADDED_BYTES = 4 * 1024 ** 2
/**
 * Share of the answer that has to be asked for: who leaves tags out or takes one branch may get the few objects of the
 * others too.
 */
const LEAST_WANTED = 0.95
const HEADER_BYTES = 12

/** Clones served from the pack that maintenance has made, without a process and without a copy. */
export class WholePacks {
  readonly #options: WholePacksOptions
  readonly #memo = createMemo(CACHE_BYTES)

  constructor(options: WholePacksOptions) {
    this.#options = options
  }

  /** Answers a clone request if it can: false when nothing was sent. */
  async answer(repo: GitRepo, refs: WireRefs, request: V2Request, sink: ByteSink): Promise<boolean> {
    if (!isForWhole(request)) return false
    const pack = await readWholePack(repo.path)
    if (pack === undefined) return false
    const key = [pack.name, await fetchKey(repo, refs, request), refsDigest(refs).toString('hex')].join(' ')
    const { answer } = await this.#memo.get<Found>(
      key,
      (found) => 500 + (found.answer?.added.length ?? 0),
      () => this.#find(repo, refs, { pack, wants: wantsOf(request) }),
    )
    const file = answer && (await openIfThere(answer.file))
    if (answer === undefined || file === undefined) return false
    try {
      await send(answer, file, sink)
    } finally {
      await file.close()
    }
    return true
  }

  async #find(
    repo: GitRepo,
    refs: WireRefs,
    { pack, wants }: { readonly pack: WholePack; readonly wants: readonly string[] },
  ): Promise<Found> {
    const advertised = refs.refs.filter((ref) => !isBelow(ref.name, this.#options.hiddenRefs)).map((ref) => ref.oid)
    try {
      return { ...((await isGone(repo, pack, [...wants, ...advertised])) ? {} : await complete(repo, pack, wants)) }
    } catch (error) {
      if (isGitError(error)) return {} // git reports the error to the client
      throw error
    }
  }
}

/** A plain clone by a client that reads packs as they lie on disk. */
function isForWhole(request: V2Request): boolean {
  return (
    answersWithPackOnly(request) &&
    request.args.includes('ofs-delta') &&
    !request.args.some((arg) => arg.startsWith('filter'))
  )
}

const wantsOf = ({ args }: V2Request): string[] => [
  ...new Set(args.filter((arg) => arg.startsWith('want ')).map((arg) => arg.slice('want '.length))),
]

/** True when the pack has objects that no advertised ref reaches any more. */
async function isGone(repo: GitRepo, pack: WholePack, advertised: readonly string[]): Promise<boolean> {
  const seen = new Set(advertised)
  const moved = pack.tips.filter((oid) => !seen.has(oid))
  return moved.length > 0 && (await countReachable(repo, moved, [...seen])) > 0
}

async function complete(repo: GitRepo, pack: WholePack, wants: readonly string[]): Promise<Found> {
  const packTips = new Set(pack.tips)
  const wanted = new Set(wants)
  const newTips = wants.filter((oid) => !packTips.has(oid))
  const unwantedTips = pack.tips.filter((oid) => !wanted.has(oid))
  const answer: Answer = {
    file: wholePackFile(repo.path, pack),
    hash: repo.objectFormat,
    objects: pack.objects,
    added: Buffer.alloc(0),
  }
  if (newTips.length === 0 && unwantedTips.length === 0) return { answer }
  const wantedObjects = await countReachable(repo, wants)
  const added = newTips.length === 0 ? undefined : await packOf(repo, newTips, pack.tips)
  const objects = pack.objects + (added?.readUInt32BE(8) ?? 0)
  // NOTE: equal exactly when every object is there once: both parts lie within what is counted, and together are all of
  // it.
  const all = unwantedTips.length === 0 ? wantedObjects : await countReachable(repo, [...wants, ...unwantedTips])
  if (all !== objects || wantedObjects < objects * LEAST_WANTED) return {}
  const trailer = repo.objectFormat === 'sha1' ? 20 : 32
  return { answer: { ...answer, objects, ...(added && { added: added.subarray(HEADER_BYTES, -trailer) }) } }
}

/** A pack of what is new: its deltas may stand on objects of the other pack, which come first in the same answer. */
async function packOf(repo: GitRepo, tips: readonly string[], not: readonly string[]): Promise<Buffer> {
  const input = [...tips, ...not.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('')
  const args = ['pack-objects', '--revs', '--thin', '--stdout', '-q', '--delta-base-offset', '--threads=1']
  return (await repo.command.run(args, { input, maxOutput: MAX_ADDED_BYTES })).stdout
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined // packed anew meanwhile
    throw error
  })
}

const FRAME = 4 + MAX_PAYLOAD
const FRAMES = 8
const BAND = 5
const DATA = 1

async function send(answer: Answer, file: FileHandle, sink: ByteSink): Promise<void> {
  const { size } = await file.stat()
  const band = new SideBand(sink)
  await sink(Buffer.from('000dpackfile\n'))
  if (answer.added.length === 0) await sendRange(file, [0, size], sink)
  else {
    const hash = answer.trailer ? undefined : createHash(answer.hash)
    const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    header.writeUInt32BE(answer.objects, 8)
    hash?.update(header)
    await band.data(header)
    await sendRange(file, [HEADER_BYTES, size - (answer.hash === 'sha1' ? 20 : 32)], sink, hash)
    hash?.update(answer.added)
    await band.data(answer.added)
    answer.trailer ??= hash!.digest()
    await band.data(answer.trailer)
  }
  await sink(FLUSH)
}

/** The bytes of a file in packets of the data band, all in one buffer that is filled again and again. */
async function sendRange(
  file: FileHandle,
  [from, to]: readonly [number, number],
  sink: ByteSink,
  hash?: Hash,
): Promise<void> {
  const buffer = Buffer.allocUnsafeSlow(FRAME * FRAMES)
  for (let i = 0; i < FRAMES; i++) buffer[i * FRAME + BAND - 1] = DATA
  for (let at = from; at < to;) {
    const payloads: Buffer[] = []
    let length = 0
    for (let start = 0; start < buffer.length && at + length < to; start += FRAME) {
      const payload = buffer.subarray(start + BAND, start + Math.min(FRAME, BAND + to - at - length))
      buffer.write(lengthPrefix(payload.length + 1), start, 'latin1')
      payloads.push(payload)
      length += payload.length
    }
    // NOTE: the kernel reads all requested bytes of a file that is never truncated.
    if ((await file.readv(payloads, at)).bytesRead !== length) throw new Error('a pack is shorter than it was')
    if (hash) for (const payload of payloads) hash.update(payload)
    await sink(buffer.subarray(0, length + payloads.length * BAND))
    at += length
  }
}
