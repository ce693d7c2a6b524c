import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3'
import { encryptionOf, type RunS3, unknownUpload } from './client.ts'
import type { S3Settings } from './settings.ts'

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
    /** Gives the tag to complete the upload with; it says nothing about the bytes. Parts count from 1. */
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
