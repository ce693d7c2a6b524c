import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Credentials, SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Core } from '../../../core/module.ts'
import type { SignableRequest } from '../../../core/platform/http/signature.ts'
import type { User } from '../../accounts/index.ts'
import type { Attestation } from '../packages/attestation.ts'
import type { PackageContents, PackageHold } from '../packages/package-contents.service.ts'
import type { PackageEntry } from '../packages/package-contents.store.ts'
import type { PackageFile, PackageVersion } from '../packages/package.store.ts'
import type { createFindRepo } from './addressed-repo.ts'
import type { PackageDocument } from './documents/package-documents.service.ts'
import type { IndexKind, PackageIndexes } from './indexes/package-indexes.service.ts'
import type { SigningKeys } from './signing/signing-keys.service.ts'

/** A request to a registry, authorized for its route. */
export interface FormatRequest {
  readonly viewer: Viewer
  /** The user or organization of the address. */
  readonly owner: User
  /** The named groups of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Not read yet, whatever its type. */
  readonly body: Readable
  /** The address of the registry of this owner, from the root URL, without a slash at the end. */
  readonly base: string
}

export interface FormatWrite extends FormatRequest {
  readonly viewer: SignedIn
  /** Released when the request ends. */
  readonly hold: PackageHold
}

/** The answer of a route. */
export type FormatAnswer =
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      /** An object is sent as JSON. */
      readonly body?: string | Buffer | object
      /** `application/json` of objects and `text/plain` of texts if absent. */
      readonly type?: string
      /** The ETag without quotes; 304 is sent to a client that has this version. */
      readonly etag?: string
    }
  | {
      /** Sent with ranges, or by a redirect to the object store, and counted as a download of its version, if any. */
      readonly file: Pick<PackageFile, 'name' | 'sha256' | 'size'> & {
        readonly version_id?: number
        /** Absent of a file that may change within a second, which is the precision of Last-Modified. */
        readonly created_at?: number
      }
      /** The name for the client if it is not the file's. */
      readonly name?: string
      readonly type?: string
      readonly headers?: Readonly<Record<string, string>>
    }

/** A document of a package, which has the ETag of the package's state. */
export interface DocumentAnswer {
  readonly document: PackageDocument
  readonly type: string
}

interface Route {
  /** Matches the encoded path below the registry of an owner, which begins with a slash. Must be linear. */
  readonly path: RegExp
}

export interface ReadRoute extends Route {
  /** GET routes answer HEAD too. */
  readonly method: 'GET' | 'POST'
  /** `open`: everyone, even for packages of a private owner. */
  readonly access: 'read' | 'open'
  handle(request: FormatRequest): Promise<FormatAnswer | DocumentAnswer>
}

interface WriteRoute extends Route {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'
  readonly access: 'write'
  handle(request: FormatWrite): Promise<FormatAnswer>
}

export type FormatRoute = ReadRoute | WriteRoute

/** Why a request is refused. */
export interface FormatRefusal {
  readonly status: number
  readonly message: string
  /** In X-Ingot-Reason: `package_access_required` for callers without rights, whether they have signed in or not. */
  readonly code: string
  /** `WWW-Authenticate`, `Allow` and the like. */
  readonly headers: Readonly<Record<string, string>>
}

/** One kind of packages: a folder in `formats/`, and a line in `formats.ts`. */
export interface PackageFormat {
  /** The type in addresses, in `package.type` and in the API. */
  readonly type: string
  readonly routes: readonly FormatRoute[]
  /** The index of all packages of an owner, whose registry has the address `base`. */
  index?(base: string): IndexKind
  /** The documents of a package. */
  documents?(entry: PackageEntry, base: string): readonly PackageDocument[]
  /** Attestations that were published about a version. */
  attestations?(version: PackageVersion): Promise<readonly Attestation[]>
  /** Suffixes that may directly follow the type in addresses, such as `.repo` in `rpm.repo`. */
  readonly suffixes?: readonly string[]
  /** The body of an error in the client's own shape; plain text if absent. */
  errorBody?(message: string, status: number): string | object
  /** The whole answer to a refused request, for clients that need another status, type or header as well. */
  errorAnswer?(refusal: FormatRefusal, sent: IncomingHttpHeaders): FormatAnswer
  /** The credentials of a request, from those of the standard headers and what only this client sends. */
  credentials?(sent: Credentials, request: SignableRequest): Credentials
  /**
   * COMPAT: a token with which clients must be configured whether or not it is used, so that a wrong one counts as
   * none: they send their credentials after the challenge (test/packages/registry/nuget.test.ts).
   */
  apiKey?(sent: IncomingHttpHeaders): string | undefined
}

/** Tools with which formats read uploaded metadata and write indexes. */
export interface FormatTools extends Pick<Core, 'clock' | 'secrets' | 'taskPool'> {
  readonly indexes: PackageIndexes
  readonly signingKeys: SigningKeys
  readonly findRepo: ReturnType<typeof createFindRepo>
}

export type CreateFormat = (contents: PackageContents, tools: FormatTools) => PackageFormat
