import type { RemoteCredentials } from '../../git/index.ts'
import type { OutgoingClient } from '../../platform/outgoing/index.ts'

/** What another service keeps of a repository beside git data. */
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
  /** Epoch milliseconds; undefined when the service does not say. */
  readonly createdAt: number | undefined
  readonly assets: readonly SourceAsset[]
}

export interface SourceAsset {
  readonly name: string
  /** Where the bytes are, or what the link leads to. */
  readonly url: string
  readonly kind: 'file' | 'link'
  /** Headers that get the bytes, beside credentials. */
  readonly headers?: Readonly<Record<string, string>>
  readonly downloads: number
  readonly createdAt: number | undefined
}

/**
 * A repository at another service, read page by page as the importer asks. Everything throws ForgeError and
 * OutgoingError. A new kind of thing (milestones, issues) is a new reader here, a new part in parts/ and a word in the
 * `parts` of the services.
 */
export interface Source {
  facts(signal: AbortSignal): Promise<SourceFacts>
  labels(signal: AbortSignal): AsyncIterable<readonly SourceLabel[]>
  releases(signal: AbortSignal): AsyncIterable<readonly SourceRelease[]>
  /** Streams the bytes of a file to `take`. */
  download<T>(asset: SourceAsset, signal: AbortSignal, take: (bytes: AsyncIterable<Buffer>) => Promise<T>): Promise<T>
}

/** Where a repository is at another service, and who asks. */
export interface SourcePlace {
  /** Of its git data, without credentials. */
  readonly url: string
  readonly credentials: RemoteCredentials | undefined
  /** An access token; empty for none. */
  readonly token: string
}

export interface SourceDeps {
  readonly client: OutgoingClient
  /** For one file, in milliseconds. */
  readonly timeout: number
}

export type OpenSource = (deps: SourceDeps, place: SourcePlace) => Source

/**
 * Why a service did not answer. `auth`: credentials are missing, wrong or not enough; `two-factor`: it wants a one-time
 * password; `busy`: it wants fewer requests; `failed`: anything else.
 */
export class ForgeError extends Error {
  readonly kind: 'auth' | 'two-factor' | 'busy' | 'failed'

  constructor(kind: ForgeError['kind'], message: string) {
    super(message)
    this.name = 'ForgeError'
    this.kind = kind
  }
}
