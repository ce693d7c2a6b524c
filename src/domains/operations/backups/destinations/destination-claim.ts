import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../../core/platform/clock.ts'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { conflict, invalid } from '../../../../core/platform/errors.ts'
import { type FoundOwner, foreignText, type Owner, ownIdOf, readOwner, replaceOwner } from './owner.ts'
import { type Destination, directoryDestination, type Stored } from './directory-destination.ts'
import { type S3Folder, inParts, partSize, type S3Objects, sendParts } from '../../../../core/blobs/index.ts'
import type { Config } from '../../../../core/config/index.ts'

export interface DestinationClaimDeps {
  readonly destination: Destination
  readonly dataDir: string
  readonly clock: Clock
  readonly host: string
  /** The boot id of the running kernel; empty if unknown, or if several machines use the data directory. */
  readonly boot: string
  /** Time between claiming a destination and checking for a concurrent claim. */
  readonly settleMs?: number
}

/** The interval at which the owner is read again. */
const CHECK_MS = 10_000
/** The interval at which the claim is renewed. */
const RENEW_MS = 30_000
/** A process that has not renewed its claim for this time no longer copies. */
const LEASE_MS = 75_000
const SETTLE_MS = 500

/**
 * Allows one process at a time, of one data directory, to copy to a destination. The file `owner.json` at the
 * destination names it; a process that finds another owner there stops writing within `CHECK_MS`.
 */
export class DestinationClaim {
  readonly #deps: DestinationClaimDeps
  readonly #session = randomHex(16)
  #isHeld = false
  #wasLost = false
  #checkedAt = 0
  #checking: Promise<void> | undefined
  /** The owner whose lease must expire, and since when it has not changed. */
  #seen: { readonly session: string; readonly at: number; readonly since: number } | undefined

  constructor(deps: DestinationClaimDeps) {
    this.#deps = deps
  }

  /** Throws Conflict while another process owns the destination, and when it is unavailable. */
  async require(): Promise<void> {
    if (this.#isHeld && this.#deps.clock.now() - this.#checkedAt < CHECK_MS) return
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    await this.#checking
  }

  /** Renews the claim. */
  async keep(): Promise<void> {
    if (this.#isHeld) await this.require()
  }

  /** Releases the claim, so that the next process can begin at once. */
  async release(): Promise<void> {
    if (!this.#isHeld) return
    this.#isHeld = false
    const found = await readOwner(this.#deps.destination)
    if (found?.session !== this.#session) return
    const { version: _, ...owner } = found
    await replaceOwner(this.#deps.destination, found, { ...owner, session: '' })
  }

  async #check(): Promise<void> {
    const { destination, dataDir, clock } = this.#deps
    const id = await ownIdOf(dataDir)
    const found = await readOwner(destination)
    const now = clock.now()
    const isOwn = found?.session === this.#session
    if (this.#isHeld && !isOwn) {
      this.#isHeld = false
      this.#wasLost = true
    }
    if (found !== undefined && found.id !== id) throw conflict(foreignText(destination.label, found))
    if (isOwn && now - found.at < RENEW_MS) return this.#hold(now)
    const isFree = isOwn || found?.session === '' || (found !== undefined && this.#isDead(found))
    if (!isFree && found !== undefined) this.#wait(found, now)
    await this.#take(found, { id, now, isFree })
  }

  async #take(
    found: FoundOwner | undefined,
    { id, now, isFree }: { id: string; now: number; isFree: boolean },
  ): Promise<void> {
    const { destination, dataDir, host, boot, settleMs = SETTLE_MS } = this.#deps
    const owner: Owner = { format: 1, id, session: this.#session, host, directory: dataDir, boot, at: now }
    const isTaken = await replaceOwner(destination, found, owner)
    // NOTE: for destinations that do not compare and write atomically.
    if (isTaken && !isFree) await wait(settleMs)
    const isLost = !isTaken || (!isFree && (await readOwner(destination))?.session !== this.#session)
    if (isLost) throw conflict(`${destination.label} was claimed by another process`)
    this.#hold(now)
  }

  #hold(now: number): void {
    this.#isHeld = true
    this.#checkedAt = now
    this.#seen = undefined
  }

  /** NOTE: only one server at a time can open the data directory, so its former process on this machine has ended. */
  #isDead({ host, directory, boot }: Owner): boolean {
    return (
      !this.#wasLost &&
      boot !== '' &&
      boot === this.#deps.boot &&
      host === this.#deps.host &&
      directory === this.#deps.dataDir
    )
  }

  /** Throws until the owner has not changed for the time of a lease. */
  #wait({ session, at, host }: Owner, now: number): void {
    if (this.#seen?.session !== session || this.#seen.at !== at) this.#seen = { session, at, since: now }
    if (now - this.#seen.since >= LEASE_MS) return
    throw conflict(`another process of this data directory copies to ${this.#deps.destination.label}, on ${host}`)
  }
}

/** Writes and deletes only while this process owns the destination. */
export const claimedDestination = (destination: Destination, claim: DestinationClaim): Destination => ({
  ...destination,
  put: async (name, data) => {
    await claim.require()
    await destination.put(name, data)
  },
  putStream: async (name, source, size) => {
    await claim.require()
    await destination.putStream(name, source, size)
  },
  remove: async (name) => {
    await claim.require()
    await destination.remove(name)
  },
  clean: async (before) => {
    await claim.require()
    await destination.clean(before)
  },
})

/** Three parts of an upload are in memory at once. Those of objects of more than 156 GiB are larger, up to 1.2 TiB. */
const PARTS = { partBytes: 16 * 1024 * 1024, maxPartBytes: 128 * 1024 * 1024, maxParts: 10_000 }

/** A folder of a bucket. `prefix` ends with a slash. */
export function bucketDestination(objects: S3Objects, prefix: string, label: string): Destination {
  const key = (name: string): string => `${prefix}${name}`
  const open = async (name: string): Promise<AsyncIterable<Uint8Array> | undefined> =>
    (await objects.get(key(name), undefined, new AbortController().signal))?.body
  return {
    label,
    put: (name, data) => objects.put(key(name), data),
    async putStream(name, source, most) {
      const part = partSize(PARTS, most)
      const upload = await objects.begin(key(name))
      try {
        let sent = 0
        const counted = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
          for await (const chunk of source) {
            sent += chunk.length
            yield chunk
          }
        }
        const tags = await sendParts(objects, upload, inParts(counted(), part))
        if (tags.length === 0) tags.push(await objects.sendPart(upload, 1, new Uint8Array()))
        await objects.complete(upload, tags)
        const size = await objects.size(key(name))
        if (size !== sent) throw new Error(`${name} has ${size ?? 'no'} bytes after an upload of ${sent}`)
      } catch (error) {
        await objects.abort(upload).catch(() => undefined)
        throw error
      }
    },
    async get(name) {
      const body = await open(name)
      return body && Buffer.concat(await Array.fromAsync(body))
    },
    async getVersion(name) {
      const found = await objects.get(key(name), undefined, new AbortController().signal)
      return found && { data: Buffer.concat(await Array.fromAsync(found.body)), version: found.tag }
    },
    replace: (name, data, version) => objects.putIf(key(name), data, version),
    open,
    async *list(folder, after = ''): AsyncGenerator<Stored, void, undefined> {
      for await (const { key: found, size } of objects.list(key(folder), after === '' ? '' : key(after)))
        yield { name: found.slice(prefix.length), size }
    },
    async folders(folder) {
      const found: string[] = []
      // NOTE: skips to the name after each folder: '0' follows the slash.
      for (let after = ''; ;) {
        const first = await objects.list(key(folder), after)[Symbol.asyncIterator]().next()
        if (first.done === true) return found
        const [name = '', ...rest] = first.value.key.slice(key(folder).length).split('/')
        if (rest.length > 0) found.push(name)
        after = rest.length > 0 ? `${key(folder)}${name}0` : first.value.key
      }
    },
    remove: (name) => objects.remove(key(name)),
    async clean(before) {
      for await (const upload of objects.listUploads(prefix)) if (upload.begunAt < before) await objects.abort(upload)
    },
  }
}

/**
 * The destination configured in `[backup]`; undefined if backups are disabled. Sends no request. Throws Invalid without
 * a directory.
 */
export function openDestination(
  { kind, directory }: Pick<Config['backup'], 'kind' | 'directory'>,
  bucket: S3Folder | undefined,
): Destination | undefined {
  if (bucket !== undefined) return bucketDestination(bucket.objects, bucket.prefix, bucket.label)
  if (kind !== 'local') return undefined
  if (directory === '') throw invalid('backup.kind = "local" needs backup.directory')
  return directoryDestination(directory)
}
