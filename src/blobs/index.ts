export { createFileBlobs } from './file-blobs.ts'
export { isBlobHash, type BlobHold, type BlobLimits, type BlobRange, type BlobStore, type StoredBlob } from './blob-store.ts'
