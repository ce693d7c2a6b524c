import type { RemoteCredentials } from '../../../core/git/index.ts'
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
  /** Numbers of the issues and pull requests that are imported again; undefined for a new repository. */
  readonly changed: ReadonlySet<number> | undefined
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
  requireEnabled(settings, input)
  const address = readAddress(input.address)
  const forge = forgeOf(input.service)
  const { token = '', lfsEndpoint = '', wiki = false, lfs = false } = input
  const request = {
    url: address.url,
    credentials: givenCredentials(input, forge) ?? address.credentials,
    token,
    forge,
    changed: input.changed && new Set(input.changed),
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

function requireEnabled(settings: ImportSettings, { isMirror = false }: NewImport): void {
  if (settings.disabled) throw forbidden('the site administrator has disabled migrations')
  if (isMirror && !settings.mirrorsEnabled)
    throw forbidden('the site administrator has disabled the creation of new pull mirrors')
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
