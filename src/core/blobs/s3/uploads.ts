import { tooLarge } from '../../platform/errors.ts'
import { type S3Settings, encryptionOf, type RunS3, unknownUpload } from './client.ts'
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'

/** A multipart upload that was begun; nobody sees the object before it is completed. */
export interface S3Upload {
  readonly key: string
  readonly id: string
}

export type S3Uploads = ReturnType<typeof createS3Uploads>

export function createS3Uploads(settings: S3Settings, run: RunS3) {
  const { bucket: Bucket } = settings
  return {
    begin: (Key: string): Promise<S3Upload> =>
      run(async ({ sdk, client }) => {
        const { UploadId } = await client.send(
          new sdk.CreateMultipartUploadCommand({ Bucket, Key, ...encryptionOf(settings) }),
        )
        if (UploadId === undefined) throw new Error('the answer to CreateMultipartUpload has no UploadId')
        return { key: Key, id: UploadId }
      }),
    /** Returns the tag that completing the upload requires; it is no checksum. Parts count from 1. */
    sendPart: ({ key: Key, id: UploadId }: S3Upload, PartNumber: number, Body: Uint8Array): Promise<string> =>
      run(async ({ sdk, client }) => {
        const part = { Bucket, Key, UploadId, PartNumber, Body }
        const { ETag } = await client.send(new sdk.UploadPartCommand(part))
        if (ETag === undefined) throw new Error('the answer to UploadPart has no ETag')
        return ETag
      }),
    /** False when the server does not know the upload: an earlier try completed it, or it was aborted. */
    complete: ({ key: Key, id: UploadId }: S3Upload, tags: readonly string[]): Promise<boolean> =>
      run(async ({ sdk, client }) => {
        const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
        const command = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
        return client.send(command).then(() => true, unknownUpload)
      }),
    abort: ({ key: Key, id: UploadId }: S3Upload): Promise<void> =>
      run(async ({ sdk, client }) => {
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(unknownUpload)
      }),
    /** Uploads that are not completed, with the time of their begin (epoch milliseconds). */
    async *listUploads(Prefix: string): AsyncIterable<S3Upload & { readonly begunAt: number }> {
      let marks: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
      while (marks !== undefined) {
        const input: ListMultipartUploadsCommandInput = { Bucket, Prefix, ...marks }
        const page: ListMultipartUploadsCommandOutput = await run(({ sdk, client }) =>
          client.send(new sdk.ListMultipartUploadsCommand(input)),
        )
        for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
          if (Key !== undefined && UploadId !== undefined)
            yield { key: Key, id: UploadId, begunAt: Initiated?.getTime() ?? Infinity }
        marks =
          page.IsTruncated === true && page.NextKeyMarker !== undefined
            ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker ?? '' }
            : undefined
      }
    },
  }
}

/** Parts of one upload that are sent at once; one more is being received. */
const AT_ONCE = 2

/**
 * Bytes of each part of an object: more than usual where the size is known and the parts would be too many. Throws
 * TooLarge for an object that has no room in the largest parts.
 */
export function partSize(
  { partBytes, maxPartBytes, maxParts }: Pick<S3Settings, 'maxPartBytes' | 'maxParts' | 'partBytes'>,
  size = 0,
): number {
  const needed = Math.ceil(size / maxParts)
  if (needed > maxPartBytes)
    throw tooLarge(`the upload is larger than ${maxPartBytes * maxParts} bytes, which an object of the bucket may have`)
  return Math.max(partBytes, needed)
}

/** The bytes in parts of equal size; the last one is shorter, and nothing comes of nothing. */
export async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Uint8Array[] = []
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + size - filled)
      chunks.push(piece)
      filled += piece.length
      at += piece.length
      if (filled < size) continue
      yield Buffer.concat(chunks, filled)
      chunks = []
      filled = 0
    }
  }
  if (filled > 0) yield Buffer.concat(chunks, filled)
}

/** Sends parts while further ones come in; returns the tags to complete the upload with. */
export async function sendParts(s3: S3Uploads, upload: S3Upload, parts: AsyncIterable<Buffer>): Promise<string[]> {
  const tags: string[] = []
  const sending = new Set<Promise<void>>()
  const failures: unknown[] = []
  let number = 0
  try {
    for await (const part of parts) {
      const index = number++
      const sent: Promise<void> = s3
        .sendPart(upload, index + 1, part)
        .then(
          (tag) => void (tags[index] = tag),
          (error: unknown) => void failures.push(error),
        )
        .finally(() => sending.delete(sent))
      sending.add(sent)
      if (sending.size >= AT_ONCE) await Promise.race(sending)
      if (failures.length > 0) break
    }
  } finally {
    await Promise.all(sending)
  }
  if (failures.length > 0) throw failures[0]
  return tags
}
