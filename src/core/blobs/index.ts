export {
  type BlobLimits,
  type BlobLink,
  type BlobRange,
  type BlobStore,
  isBlobHash,
  LINK_LIFETIME,
  type StoredBlob,
  sweepBlobs,
} from './blob-store.ts'
export { type BlobStores, createBlobStores } from './file-backend.ts'
export { type BlobUse, blobsCheck } from './check-blobs.ts'
export { copyBlobsTo, migrateBlobs, type MigrationProgress } from './migrate-blobs.ts'
export { createS3Objects, type S3Folder, type S3Objects } from './s3/objects.ts'
export type { S3Settings } from './s3/client.ts'
export { inParts, partSize, sendParts } from './s3/uploads.ts'
export { abortOldUploads, inspectStorage } from './inspect-storage.ts'
