import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import { encryptionOf, type RunS3, unknownUpload } from './client.ts'
import type { S3Settings } from './settings.ts'

/** A multipart upload that was begun; nobody sees the object before it is completed. */
export interface S3Upload {
  readonly key: string
  readonly id: string
}

export interface S3Uploads {
  begin(key: string): Promise<S3Upload>
  /** Gives the tag to complete the upload with; it says nothing about the bytes. Parts count from 1. */
  sendPart(upload: S3Upload, number: number, body: Uint8Array): Promise<string>
  /** False when the server does not know the upload: an earlier try completed it, or it was aborted. */
  complete(upload: S3Upload, tags: readonly string[]): Promise<boolean>
  abort(upload: S3Upload): Promise<void>
  /** Uploads that are not completed, with the time of their begin (epoch milliseconds). */
  listUploads(prefix: string): AsyncIterable<S3Upload & { readonly begunAt: number }>
}

export function createS3Uploads(settings: S3Settings, run: RunS3): S3Uploads {
  const { bucket: Bucket } = settings
  return {
    begin: (Key) =>
      run(async ({ sdk, client }) => {
        const { UploadId } = await client.send(
          new sdk.CreateMultipartUploadCommand({ Bucket, Key, ...encryptionOf(settings) }),
        )
        if (UploadId === undefined) throw new Error('the answer to CreateMultipartUpload has no UploadId')
        return { key: Key, id: UploadId }
      }),
    sendPart: ({ key: Key, id: UploadId }, PartNumber, Body) =>
      run(async ({ sdk, client }) => {
        const part = { Bucket, Key, UploadId, PartNumber, Body }
        const { ETag } = await client.send(new sdk.UploadPartCommand(part))
        if (ETag === undefined) throw new Error('the answer to UploadPart has no ETag')
        return ETag
      }),
    complete: ({ key: Key, id: UploadId }, tags) =>
      run(async ({ sdk, client }) => {
        const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
        const command = new sdk.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } })
        return client.send(command).then(() => true, unknownUpload)
      }),
    abort: ({ key: Key, id: UploadId }) =>
      run(async ({ sdk, client }) => {
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(unknownUpload)
      }),
    async *listUploads(Prefix) {
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
