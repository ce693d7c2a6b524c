export { createFileBlobs } from './file-blobs.ts'
export {
  type BlobHold,
  type BlobLimits,
  type BlobRange,
  type BlobStore,
  isBlobHash,
  type StoredBlob,
} from './blob-store.ts'
export { type BlobCheck, type BlobUse, checkBlobs } from './check-blobs.ts'
