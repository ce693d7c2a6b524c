import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../../../core/platform/crypto/crypto.ts'
import { removeTree, replaceDurably, writeSynced } from '../../../../core/platform/files/durable.ts'
import { ifGone } from '../../../../core/platform/files/gone.ts'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { Place } from './directory-place.ts'

/** Who copies to a place. */
export interface Owner {
  readonly format: 1
  /** Of the data directory. */
  readonly id: string
  /** Of the process that copies; empty after an orderly stop. */
  readonly session: string
  readonly host: string
  readonly directory: string
  /** Of the running kernel; empty where it has none. */
  readonly boot: string
  /** Epoch milliseconds when the process last renewed it. */
  readonly at: number
}

/** Not sealed, so that operators can read it. */
const OWNER = 'owner.json'
const ID_FILE = 'backup-owner.json'

/** With the version of its file. */
export interface FoundOwner extends Owner {
  readonly version: string
}

/** Undefined where no server has copied yet. Throws when the place is away. */
export async function readOwner(place: Place): Promise<FoundOwner | undefined> {
  const found = await place.getVersion(OWNER)
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
 * Puts `owner` in the place of the one that was found. False when another process was faster, as far as the place
 * tells.
 */
export async function replaceOwner(place: Place, found: FoundOwner | undefined, owner: Owner): Promise<boolean> {
  const data = Buffer.from(`${JSON.stringify(owner)}\n`)
  if (await place.replace(OWNER, data, found?.version)) return true
  const present = await readOwner(place)
  // NOTE: a request whose answer was lost is sent again, and is refused when the first one had its effect.
  if (isSame(present, owner)) return true
  if (found === undefined || !isSame(present, found)) return false
  // A server that gives versions which it does not know again.
  await place.put(OWNER, data)
  return true
}

const isSame = (found: Owner | undefined, { id, session, at }: Owner): boolean =>
  found?.id === id && found.session === session && found.at === at

/** The id that the data directory has for backups; undefined before the first. */
export async function readOwnId(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, ID_FILE), 'utf8').catch(ifGone(''))
  const { id } = members(parseJson(text)?.value)
  return typeof id === 'string' ? id : undefined
}

/** Makes the id where there is none. */
export async function ownIdOf(dataDir: string): Promise<string> {
  const known = await readOwnId(dataDir)
  if (known !== undefined) return known
  const id = randomHex(16)
  const file = join(dataDir, ID_FILE)
  await removeTree(`${file}.new`)
  await writeSynced(`${file}.new`, JSON.stringify({ id }))
  await replaceDurably(`${file}.new`, file)
  return id
}

export const foreignText = (label: string, { host, directory, at }: Owner): string =>
  `${label} belongs to another server (${directory} on ${host}, last seen ${new Date(at).toISOString()}): give this one a ` +
  `place of its own, or, if that server is gone for good, delete ${OWNER} in ${label}`
