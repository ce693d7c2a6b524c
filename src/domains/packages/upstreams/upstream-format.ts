/** A document of an upstream that changes: the index of a package. */
export interface UpstreamDocument {
  /** Below the address of the upstream; the key of the stored copy, with `variant`. */
  readonly path: string
  /** The media type that is asked for. */
  readonly accept?: string
  /** Media type of the answer. */
  readonly type: string
  /** The form of it that is shown, if there are several. */
  readonly variant?: string
  /** The name of the package in it, for the reader; if absent, the document is returned unchanged. */
  readonly name?: string
}

/** A file of an upstream, which never changes. */
export type UpstreamFileSource =
  /** Listed in a document, with its digest. `config`: a document with the addresses of files. */
  | { readonly listed: string; readonly index: UpstreamDocument; readonly config?: UpstreamDocument }
  /**
   * A path below the address of the upstream. `digests`: algorithms; the digest of a file is at its path and the
   * algorithm.
   */
  | { readonly path: string; readonly digests: readonly Digest[] }
  /** A path that contains the digest. */
  | { readonly path: string; readonly expected: ExpectedDigest; readonly accept?: string }

/** The digest is in lower-case hex. */
export type ExpectedDigest = readonly [algorithm: Digest, digest: string]

/** A request of a client. */
interface UpstreamTarget {
  /** Names of the package; the first one is compared with the allowed names, and none may be a package of the owner. */
  readonly names: readonly string[]
  readonly source: { readonly document: UpstreamDocument } | UpstreamFileSource
  /** Media type of a file. */
  readonly type?: string
  /** Only the digest of the file or document is wanted. */
  readonly digest?: 'md5' | Digest
}

export type Digest = 'sha1' | 'sha256' | 'sha512'

/** The context in which an index is read. */
export interface IndexContext {
  /** The name of the package. */
  readonly name: string
  /** The address of the index. */
  readonly url: string
  /** The address of the registry of the owner. */
  readonly base: string
  /** The latest time of publication of versions that are served, in epoch milliseconds; 0 for any. */
  readonly newest: number
  readonly variant: string
  /** The text of the document with the addresses of files; empty without one. */
  readonly config: string
}

export interface ListedFile {
  readonly url: string
  readonly algorithm: Digest
  /** In lower-case hex. */
  readonly digest: string
}

interface ReadIndex {
  /** The index as it is served. */
  readonly text: string
  /** Files by name. */
  readonly files: ReadonlyMap<string, ListedFile>
}

/** How the registry of a type of packages is read: a file in `formats/`, and a line in `upstream-formats.ts`. */
export interface UpstreamFormat {
  /** A value of `package.type`. */
  readonly type: string
  /** Whether its indexes state when versions were published. */
  readonly hasTimes: boolean
  /** Whether its registries refer clients to a server of tokens. */
  readonly hasTokens?: boolean
  /**
   * The target of a path below the registry, with the header Accept; undefined for paths that upstreams do not have.
   */
  parse(path: string, accept: string): UpstreamTarget | undefined
  /** Whether the answer for this path is a document; a stored one is not replaced by another page. */
  isDocument?(bytes: Buffer, path: string): boolean
  /** Reads an index; throws for another document. Runs in a child process. */
  read?(text: string, context: IndexContext): ReadIndex
}

const HEX_LENGTH: Readonly<Record<Digest, number>> = { sha512: 128, sha256: 64, sha1: 40 }

/** The file at an address, with the strongest of these digests in hex; undefined without a valid one. */
export function listedFile(
  address: string,
  base: string,
  digests: Readonly<Partial<Record<Digest, string>>>,
): ListedFile | undefined {
  const url = URL.parse(address, base)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  for (const algorithm of ['sha512', 'sha256', 'sha1'] as const) {
    const digest = digests[algorithm]?.toLowerCase() ?? ''
    if (digest.length === HEX_LENGTH[algorithm] && /^[0-9a-f]+$/.test(digest))
      return { url: url.href, algorithm, digest }
  }
  return undefined
}
