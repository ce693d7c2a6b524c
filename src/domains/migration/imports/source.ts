import type { RemoteCredentials } from '../../../core/git/index.ts'
import type { OutgoingClient } from '../../../core/platform/outgoing/index.ts'

/** Metadata of a repository at another service. */
interface SourceFacts {
  readonly description: string
  readonly website: string
  readonly topics: readonly string[]
}

export interface SourceLabel {
  readonly name: string
  /** As the service writes it, such as `#ff0000`. */
  readonly color: string
  readonly description: string
  readonly isExclusive: boolean
  readonly isArchived: boolean
}

export interface SourceRelease {
  readonly tag: string
  readonly target: string
  readonly title: string
  readonly body: string
  readonly isDraft: boolean
  readonly isPrerelease: boolean
  /** Epoch milliseconds; undefined if the service does not have it. */
  readonly createdAt: number | undefined
  readonly assets: readonly SourceAsset[]
}

export interface SourceAsset {
  readonly name: string
  /** Address of the bytes, or target of the link. */
  readonly url: string
  readonly kind: 'file' | 'link'
  /** Request headers of the download besides credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly downloads: number
  readonly createdAt: number | undefined
}

/**
 * A repository at another service; lists are read page by page on demand. All methods throw ForgeError and
 * OutgoingError. A new kind of data (milestones, issues) needs a reader here, a part in parts/ and an entry in the
 * `parts` of its forges.
 */
export interface Source {
  facts(signal: AbortSignal): Promise<SourceFacts>
  labels(signal: AbortSignal): AsyncIterable<readonly SourceLabel[]>
  releases(signal: AbortSignal): AsyncIterable<readonly SourceRelease[]>
  /** Streams the bytes of a file to `consume`. */
  download<T>(
    asset: SourceAsset,
    signal: AbortSignal,
    consume: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T>
}

/** Location of a repository at another service, with credentials. */
export interface SourceLocation {
  /** Of its git data, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** An access token; empty for none. */
  readonly token: string
}

export interface SourceDeps {
  readonly client: OutgoingClient
  /** Milliseconds for one file. */
  readonly timeout: number
}

export type OpenSource = (deps: SourceDeps, location: SourceLocation) => Source

/**
 * Why a request to a service failed. `auth`: missing, wrong or insufficient credentials; `two-factor`: a one-time
 * password is required; `busy`: rate limit exceeded; `failed`: anything else.
 */
export class ForgeError extends Error {
  readonly kind: 'auth' | 'two-factor' | 'busy' | 'failed'

  constructor(kind: ForgeError['kind'], message: string) {
    super(message)
    this.name = 'ForgeError'
    this.kind = kind
  }
}
