/** The git wire protocol as streams, independent of HTTP, SSH and accounts. */
export { serviceHeader, type BundleUrl, type Exchange } from './protocol.ts'
export { PackCache } from './upload/pack-cache.ts'

export type {
  IncomingPush,
  PushDecision,
  PushPolicy,
  PushResult,
  RefMove,
  RefVerdict,
} from './receive/receive-request.ts'
export { readRefs as readWireRefs } from './repo.ts'
export { createReceivePack, type ReceivePack } from './receive/receive-pack.ts'

export { serveUploadArchive, type UploadArchiveOptions } from './upload/upload-archive.ts'
export type { SpooledStream } from './upload/spooled-stream.ts'
export { createUploadPack, type UploadPack, type UploadPackOptions } from './upload/upload-pack.ts'
export { WireError } from './wire-error.ts'
