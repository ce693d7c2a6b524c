export { createFileBlobs } from './file-blobs.ts'
export { type BlobLimits, type BlobRange, type BlobStore, isBlobHash, type StoredBlob } from './blob-store.ts'
export { type BlobUse, checkBlobs } from './check-blobs.ts'
