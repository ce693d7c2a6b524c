/** The bucket and how it is reached (docs/operate/storage.md). */
export interface S3Settings {
  readonly bucket: string
  /** Before every key; empty or with a slash at its end. */
  readonly prefix: string
  readonly region: string
  /** Empty for Amazon's own of the region. */
  readonly endpoint: string
  /** The endpoint in links given to clients; empty for `endpoint`. */
  readonly publicEndpoint: string
  /** The bucket is in the path of addresses, not in their host name. */
  readonly pathStyle: boolean
  /** Undefined: what the environment, the shared files or the machine's role give. */
  readonly keys: { readonly id: string; readonly secret: string } | undefined
  /** Certificates to trust beside those of the system, in PEM; empty for none. */
  readonly ca: string
  readonly encryption: 'none' | 'AES256' | 'aws:kms'
  /** For `aws:kms`; empty for the default key of the bucket. */
  readonly kmsKey: string
  /** For an answer to begin, and for further bytes of it. */
  readonly timeoutMs: number
  /** Tries of each request, the first included. */
  readonly attempts: number
  /** Bytes of the parts of uploads; the memory of one upload is four of them. */
  readonly partBytes: number
  /** Bytes of the parts of objects that would have too many; more is refused. */
  readonly maxPartBytes: number
  /** Parts that one object may have. */
  readonly maxParts: number
  /** Seconds for which links are valid. */
  readonly linkLifetime: number
}
