import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { writeDurably } from '../../../../core/platform/files/durable.ts'
import { ifMissing } from '../../../../core/platform/files/missing.ts'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { Destination } from './directory-destination.ts'

/** The process that copies to a destination. */
export interface Owner {
  readonly format: 1
  /** The id of the data directory. */
  readonly id: string
  /** The id of the process that copies; empty after an orderly stop. */
  readonly session: string
  readonly host: string
  readonly directory: string
  /** The boot id of the running kernel; empty if it has none. */
  readonly boot: string
  /** When the process last renewed the claim, in epoch milliseconds. */
  readonly at: number
}

/** The file has no checksum, so that operators can read it. */
const OWNER = 'owner.json'
const ID_FILE = 'backup-owner.json'

/** An owner with the version of its file. */
export interface FoundOwner extends Owner {
  readonly version: string
}

/** Undefined before the first copy. Throws when the destination is unavailable. */
export async function readOwner(destination: Destination): Promise<FoundOwner | undefined> {
  const found = await destination.getVersion(OWNER)
  if (found === undefined) return undefined
  const { data, version } = found
  const { id, session, host, directory, boot, at } = members(parseJson(data.toString('utf8'))?.value)
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  return {
    version,
    format: 1,
    id: text(id),
    session: text(session),
    host: text(host),
    directory: text(directory),
    boot: text(boot),
    at: typeof at === 'number' ? at : 0,
  }
}

/**
 * Replaces the owner that was found by `owner`. Returns false when another process was faster, as far as the
 * destination reports it.
 */
export async function replaceOwner(
  destination: Destination,
  found: FoundOwner | undefined,
  owner: Owner,
): Promise<boolean> {
  const data = Buffer.from(`${JSON.stringify(owner)}\n`)
  if (await destination.replace(OWNER, data, found?.version)) return true
  const present = await readOwner(destination)
  // NOTE: a request whose response was lost is sent again, and is refused when the first one succeeded.
  if (isSame(present, owner)) return true
  if (found === undefined || !isSame(present, found)) return false
  // A server that returns versions but does not recognize them later.
  await destination.put(OWNER, data)
  return true
}

const isSame = (found: Owner | undefined, { id, session, at }: Owner): boolean =>
  found?.id === id && found.session === session && found.at === at

/** The id of the data directory for backups; undefined before the first backup. */
export async function readOwnId(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, ID_FILE), 'utf8').catch(ifMissing(''))
  const { id } = members(parseJson(text)?.value)
  return typeof id === 'string' ? id : undefined
}

/** Creates the id if it is missing. */
export async function ownIdOf(dataDir: string): Promise<string> {
  const known = await readOwnId(dataDir)
  if (known !== undefined) return known
  const id = randomHex(16)
  await writeDurably(join(dataDir, ID_FILE), JSON.stringify({ id }))
  return id
}

export const foreignText = (label: string, { host, directory, at }: Owner): string =>
  `${label} belongs to another server (${directory} on ${host}, last seen ${new Date(at).toISOString()}): give this one a ` +
  `destination of its own, or, if that server is gone for good, delete ${OWNER} in ${label}`
