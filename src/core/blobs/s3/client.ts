import type * as sdkModule from '@aws-sdk/client-s3'
import { getCACertificates } from 'node:tls'
import { isDomainError, unavailable } from '../../platform/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import type { BlobLink } from '../blob-store.ts'

/** The bucket and how it is reached (docs/operate/storage.md). */
export interface S3Settings {
  readonly bucket: string
  /** Prefix of every key; empty or with a trailing slash. */
  readonly prefix: string
  readonly region: string
  /** Empty for Amazon's own of the region. */
  readonly endpoint: string
  /** The endpoint in links given to clients; empty for `endpoint`. */
  readonly publicEndpoint: string
  /** The bucket is in the path of addresses, not in their host name. */
  readonly pathStyle: boolean
  /** Undefined: the credentials come from the environment, the shared files or the role of the machine. */
  readonly keys: { readonly id: string; readonly secret: string } | undefined
  /** Certificates to trust in addition to those of the system, in PEM; empty for none. */
  readonly ca: string
  readonly encryption: 'none' | 'AES256' | 'aws:kms'
  /** Key for `aws:kms`; empty for the default key of the bucket. */
  readonly kmsKey: string
  /** Milliseconds to wait for an answer to begin, and for further bytes of it. */
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

type Sdk = typeof sdkModule

interface Loaded {
  readonly sdk: Sdk
  readonly client: sdkModule.S3Client
}

/** Runs requests; whatever goes wrong is thrown as Unavailable with its cause. */
export type RunS3 = <T>(work: (loaded: Loaded) => Promise<T>) => Promise<T>

interface LazyClient {
  readonly run: RunS3
  /** A signed address to read an object. */
  link(key: string, as: BlobLink): Promise<string>
  close(): void
}

/** The library is loaded by the first request. */
export function createS3Client(settings: S3Settings, log: Pick<Logger, 'warn'>): LazyClient {
  let loading: Promise<Loaded> | undefined
  let signing: Promise<Sign> | undefined
  return {
    async run(work) {
      try {
        return await work(await (loading ??= load(settings)))
      } catch (error) {
        if ((error as Error).name !== 'AbortError') log.warn({ err: error }, 'a request to the bucket failed')
        throw asUnavailable(error)
      }
    },
    async link(key, as) {
      try {
        const sign = await (signing ??= createSigner(settings))
        return await sign(key, as)
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    close() {
      void loading?.then(({ client }) => client.destroy(), String)
    },
  }
}

type Sign = (key: string, as: BlobLink) => Promise<string>

/** The parameters of uploads. */
export const encryptionOf = ({ encryption, kmsKey }: S3Settings) =>
  encryption === 'none' ? {} : { ServerSideEncryption: encryption, ...(kmsKey !== '' && { SSEKMSKeyId: kmsKey }) }

/** Connections at once; reads by slow clients occupy one each. */
const MAX_SOCKETS = 512
const CONNECT_MS = 5_000

async function load(settings: S3Settings): Promise<Loaded> {
  const sdk = await import('@aws-sdk/client-s3')
  return { sdk, client: new sdk.S3Client(clientConfig(settings)) }
}

function clientConfig({
  endpoint,
  region,
  pathStyle,
  keys,
  ca,
  timeoutMs,
  attempts,
}: S3Settings): sdkModule.S3ClientConfig {
  return {
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== '' && { endpoint }),
    ...(keys && { credentials: { accessKeyId: keys.id, secretAccessKey: keys.secret } }),
    maxAttempts: attempts,
    // Checksums of further kinds are not understood by every server; each body is signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(CONNECT_MS, timeoutMs),
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      httpsAgent: {
        keepAlive: true,
        maxSockets: MAX_SOCKETS,
        ...(ca !== '' && { ca: [...getCACertificates('default'), ca] }),
      },
    },
  }
}

/** Signing sends nothing: clients reach the address by themselves. */
async function createSigner(settings: S3Settings): Promise<Sign> {
  const { publicEndpoint, bucket: Bucket, linkLifetime: expiresIn } = settings
  const [{ sdk, client }, { getSignedUrl }] = await Promise.all([
    load(publicEndpoint === '' ? settings : { ...settings, endpoint: publicEndpoint }),
    import('@aws-sdk/s3-request-presigner'),
  ])
  return (Key, { contentType, contentDisposition }) =>
    getSignedUrl(
      client,
      new sdk.GetObjectCommand({
        Bucket,
        Key,
        ...(contentType !== undefined && { ResponseContentType: contentType }),
        ...(contentDisposition !== undefined && { ResponseContentDisposition: contentDisposition }),
      }),
      { expiresIn },
    )
}

export interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** For `catch`: returns undefined if the object does not exist; throws every other error. */
export function missing(error: SdkError): undefined {
  if (error.name === 'NoSuchBucket' || error.$metadata?.httpStatusCode !== 404) throw error
  return undefined
}

/**
 * The object is not as a conditional write wants it: another one exists, none exists any longer, or another conditional
 * write is under way.
 */
export function isRefusedCondition({ name, $metadata }: SdkError): boolean {
  return (
    ['PreconditionFailed', 'NoSuchKey', 'ConditionalRequestConflict'].includes(name) ||
    $metadata?.httpStatusCode === 412
  )
}

/** For `catch`: returns false if the upload does not exist; throws every other error. */
export function unknownUpload(error: SdkError): false {
  if (error.name !== 'NoSuchUpload') throw error
  return false
}

const UNAVAILABLE = 'the store of files does not answer, try again later'

export const asUnavailable = (error: unknown): Error =>
  isDomainError(error, 'unavailable') ? error : unavailable(UNAVAILABLE).causedBy(error)
