import type { RemoteCredentials, GitRepo } from '../../../core/git/index.ts'
import { forbidden, invalid } from '../../../core/platform/errors.ts'
import { lfsServerOf } from '../../code/index.ts'
import { type RemoteAddress, parseRemoteAddress, readMirrorInterval } from '../mirrors/remote-access.ts'
import {
  type ImportDeps,
  type ImportSettings,
  type NewImport,
  forgeOf,
  leftOut,
  type MetadataPart,
  type RemoteForge,
} from './new-import.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'

/** Validated input of an import. */
export interface ImportRequest {
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** Access token of the service; empty without one. */
  readonly token: string
  readonly forge: RemoteForge
  /** Requested metadata that this server can import from the forge. */
  readonly parts: ReadonlySet<MetadataPart>
  /** Sentence about requested metadata that cannot be imported. */
  readonly leftOut: string | undefined
  /** Milliseconds; undefined if the repository is not to be a mirror. */
  readonly interval: number | undefined
  readonly wiki: boolean
  readonly lfs: boolean
  /** Empty: derived from the address. */
  readonly lfsEndpoint: string
}

/**
 * Throws Invalid and Forbidden with the messages of the API (behaviour/repositories#imports-and-pull-mirrors). Sends no
 * request and writes nothing.
 */
export async function readRequest(
  { settings, access, largeFiles }: ImportDeps,
  input: NewImport,
): Promise<ImportRequest> {
  if (settings.disabled) throw forbidden('the site administrator has disabled migrations')
  if (input.isMirror && !settings.mirrorsEnabled)
    throw forbidden('the site administrator has disabled the creation of new pull mirrors')
  const address = readAddress(input.address)
  const forge = forgeOf(input.service)
  const { token = '', lfsEndpoint = '', wiki = false, lfs = false } = input
  const request = {
    url: address.url,
    credentials: givenCredentials(input, forge) ?? address.credentials,
    token,
    forge,
    ...(input.isMirror ? mirrorParts(settings, input) : metadataParts(forge, input)),
    wiki,
    lfs: lfs && largeFiles !== undefined,
    lfsEndpoint,
  }
  const server = lfsServerOf({ ...request, endpoint: lfsEndpoint })
  if (request.lfs && server === undefined) throw invalid('[LFSEndpoint]: Url')
  // Refuses a forbidden host before anything is fetched.
  if (request.lfs && lfsEndpoint !== '') await access.open(server!.url, undefined)
  return request
}

function readAddress(text: string): Extract<RemoteAddress, { kind: 'remote' }> {
  const address = parseRemoteAddress(text)
  if (address.kind === 'local') throw invalid('You are not allowed to import local repositories.')
  if (!['http', 'https', 'git'].includes(address.scheme))
    throw invalid(`migration/cloning from '${address.host}' is not allowed: the provided url protocol is not allowed`)
  return address
}

function givenCredentials(
  { username = '', password = '', token = '' }: NewImport,
  forge: RemoteForge,
): RemoteCredentials | undefined {
  if (username !== '' || password !== '') return { username, password }
  return token === '' ? undefined : forge.tokenCredentials(token)
}

type Parts = Pick<ImportRequest, 'parts' | 'leftOut' | 'interval'>

/**
 * A mirror contains only git data and wiki, whatever the request selects
 * (behaviour/repositories#imports-and-pull-mirrors).
 */
function mirrorParts(settings: ImportSettings, { mirrorInterval }: NewImport): Parts {
  return { parts: new Set(), leftOut: undefined, interval: readInterval(settings, mirrorInterval) }
}

function metadataParts(forge: RemoteForge, { parts }: NewImport): Parts {
  return { parts: parts.intersection(forge.parts), leftOut: leftOut(forge, parts), interval: undefined }
}

function readInterval({ defaultInterval, minInterval }: ImportSettings, text = ''): number {
  if (text === '') return defaultInterval
  const interval = readMirrorInterval(text, minInterval)
  if (typeof interval !== 'number') throw invalid(interval.message)
  return interval
}

/** The context of the parts of an import. */
export interface ImportContext {
  readonly request: ImportRequest
  /** Location after redirects, with the credentials for it. */
  readonly location: Pick<ImportRequest, 'url' | 'credentials'>
  /** The fetched repository; it has no row yet. */
  readonly repo: GitRepo
  /** The remaining number of bytes that may be fetched; Infinity for no limit. */
  remainingBytes(): number
  /** Counts fetched bytes. Throws RemoteError if the limit is exceeded. */
  countBytes(bytes: number): void
  /** Adds a warning about missing data to the response and the log. */
  warn(text: string): void
  readonly signal: AbortSignal
  /** Runs the task after the import has succeeded or failed. */
  onEnd(task: () => Promise<void>): void
}

/** Writes the fetched data; runs in the transaction that inserts the repository. */
export type WritePart = (tx: Tx, repoId: RepoId) => Promise<void>

/** Fetches one kind of data besides git data, such as labels. It is written after all parts have been fetched. */
export type ImportPart = (context: ImportContext) => Promise<WritePart>
