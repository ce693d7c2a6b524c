import type { Generated } from 'kysely'
import type { Flag } from '../../../../core/db/flag.ts'

/** A blob that was pushed to an image, or mounted into it. The image is a row of `package`. */
export interface ContainerBlobTable {
  id: Generated<number>
  package_id: number
  /** `sha256:` or `sha512:` and hexadecimal digits. */
  digest: string
  /** The name of the bytes in the blob store. */
  sha256: string
  /** Bytes. */
  size: number
  created_at: number
}

export interface ContainerManifestTable {
  id: Generated<number>
  package_id: number
  digest: string
  media_type: string
  /** The type that the referrers API shows; empty for none. */
  artifact_type: Generated<string>
  /** The digest of the manifest that this one refers to; empty for none. */
  subject: Generated<string>
  /** JSON; empty for none. */
  annotations: Generated<string>
  sha256: string
  size: number
  /** The account may have been deleted. */
  creator_id: number
  created_at: number
}

/** References of a manifest: to blobs, or to manifests of an index. */
export interface ContainerReferenceTable {
  id: Generated<number>
  manifest_id: number
  /** Copy of the manifest's column. */
  package_id: number
  digest: string
  is_manifest: Generated<Flag>
}

export interface ContainerTagTable {
  id: Generated<number>
  package_id: number
  manifest_id: number
  /** Case-sensitive. */
  name: string
}

/** An upload of a blob in several requests. */
export interface ContainerUploadTable {
  /** A UUID. */
  id: string
  package_id: number
  /** Bytes received so far. */
  size: Generated<number>
  /** Epoch milliseconds. */
  updated_at: number
}

export interface ContainerChunkTable {
  id: Generated<number>
  upload_id: string
  /** The offset in the blob. */
  position: number
  sha256: string
  /** Empty; earlier releases compute it of every chunk. */
  sha512: string
  size: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    container_blob: ContainerBlobTable
    container_manifest: ContainerManifestTable
    container_reference: ContainerReferenceTable
    container_tag: ContainerTagTable
    container_upload: ContainerUploadTable
    container_chunk: ContainerChunkTable
  }
}
