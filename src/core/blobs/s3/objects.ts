import type { Readable } from 'node:stream'
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import type { Logger } from '../../platform/logger.ts'
import type { BlobLink, BlobRange } from '../blob-store.ts'
import {
  asUnavailable,
  createS3Client,
  encryptionOf,
  isRefusedCondition,
  missing,
  type SdkError,
  type S3Settings,
} from './client.ts'
import { createS3Uploads, type S3Uploads } from './uploads.ts'

interface S3Object {
  readonly key: string
  /** Bytes. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly modifiedAt: number
}

/** Part of an answer: the first bytes may be in, the others come as they are read. */
export interface S3Body {
  readonly body: Readable
  /** Bytes that the answer announces. */
  readonly size: number
  /** ETag of the object, as it stands in the header; empty if the server sends none. */
  readonly tag: string
}

/**
 * The requests to one bucket (Amazon S3 API reference). Each is tried again with growing pauses; then it throws
 * Unavailable with the error of the library as its cause. Keys are complete, with the prefix.
 */
export interface S3Objects extends S3Uploads {
  /** Replaces an object. The request is signed with the SHA-256 of the body, which the server compares. */
  put(key: string, body: Uint8Array): Promise<void>
  /**
   * As put, but only while the object has this ETag; undefined: only where there is no object. False when the server
   * refuses. A server that does not know the condition (If-Match, If-None-Match) writes in any case.
   */
  putIf(key: string, body: Uint8Array, tag: string | undefined): Promise<boolean>
  /** Undefined for an object that is not there. `signal` ends reading, too. */
  get(key: string, range: BlobRange | undefined, signal: AbortSignal): Promise<S3Body | undefined>
  /** Bytes, undefined for an object that is not there. */
  size(key: string): Promise<number | undefined>
  /** Does nothing for a missing object. */
  remove(key: string): Promise<void>
  /** Sorted by key; those behind `after`. */
  list(prefix: string, after: string): AsyncIterable<S3Object>
  /** A signed address to read an object. */
  link(key: string, as: BlobLink): Promise<string>
  /** Throws unless the bucket exists and may be listed. */
  check(): Promise<void>
  close(): void
}

/** A part of a bucket, for other uses than blobs. */
export interface S3Folder {
  readonly objects: S3Objects
  /** Prefix of every key, with a trailing slash. */
  readonly prefix: string
  /** Description for operators. */
  readonly label: string
}

const NOT_IMPLEMENTED = 501

export function createS3Objects(settings: S3Settings, log: Pick<Logger, 'warn'>): S3Objects {
  const { bucket: Bucket } = settings
  const client = createS3Client(settings, log)
  const { run } = client
  const encryption = encryptionOf(settings)
  return {
    ...createS3Uploads(settings, run),
    put: (Key, Body) =>
      run(async ({ sdk, client }) => {
        await client.send(new sdk.PutObjectCommand({ Bucket, Key, Body, ...encryption }))
      }),
    putIf: (Key, Body, tag) =>
      run(async ({ sdk, client }) => {
        const put = { Bucket, Key, Body, ...encryption }
        const condition = tag === undefined ? { IfNoneMatch: '*' } : tag === '' ? {} : { IfMatch: tag }
        return client.send(new sdk.PutObjectCommand({ ...put, ...condition })).then(
          () => true,
          async (error: SdkError) => {
            if (isRefusedCondition(error)) return false
            if (error.$metadata?.httpStatusCode !== NOT_IMPLEMENTED) throw error
            await client.send(new sdk.PutObjectCommand(put))
            return true
          },
        )
      }),
    get: (Key, range, abortSignal) =>
      run(({ sdk, client }) => {
        const Range = range && `bytes=${range.start}-${range.end ?? ''}`
        return client
          .send(new sdk.GetObjectCommand({ Bucket, Key, ...(Range !== undefined && { Range }) }), { abortSignal })
          .then(toBody, missing)
      }),
    size: (Key) =>
      run(async ({ sdk, client }) => {
        const found = await client.send(new sdk.HeadObjectCommand({ Bucket, Key })).catch(missing)
        return found && (found.ContentLength ?? 0)
      }),
    remove: (Key) =>
      run(async ({ sdk, client }) => {
        await client.send(new sdk.DeleteObjectCommand({ Bucket, Key })).catch(missing)
      }),
    async *list(Prefix, StartAfter) {
      const { sdk, client: library } = await run(async (loaded) => loaded)
      try {
        for await (const page of sdk.paginateListObjectsV2({ client: library }, { Bucket, Prefix, StartAfter }))
          for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
            yield { key: Key, size: Size, modifiedAt: LastModified?.getTime() ?? 0 }
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    link: client.link,
    check: () => run(async ({ sdk, client }) => void (await client.send(new sdk.HeadBucketCommand({ Bucket })))),
    close: client.close,
  }
}

function toBody({ Body, ContentLength, ETag = '' }: GetObjectCommandOutput): S3Body {
  if (Body === undefined || ContentLength === undefined) throw new Error('the answer to GetObject has no body')
  return { body: Body as Readable, size: ContentLength, tag: ETag }
}
