/** Codes of the OCI distribution specification (error codes). */
export type ContainerCode =
  | 'BLOB_UNKNOWN'
  | 'BLOB_UPLOAD_INVALID'
  | 'BLOB_UPLOAD_UNKNOWN'
  | 'DENIED'
  | 'DIGEST_INVALID'
  | 'MANIFEST_BLOB_UNKNOWN'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_UNKNOWN'
  | 'SIZE_INVALID'
  | 'TOOMANYREQUESTS'
  | 'UNAVAILABLE'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED'

interface RefusalOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** An error of the container registry in the client's own shape. */
export class ContainerRefusal extends Error {
  readonly status: number
  readonly code: ContainerCode
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: ContainerCode, message: string, { headers = {} }: RefusalOptions = {}) {
    super(message)
    this.name = 'ContainerRefusal'
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const unknownManifest = (): ContainerRefusal =>
  new ContainerRefusal(404, 'MANIFEST_UNKNOWN', 'the image has no such manifest')
export const unknownBlob = (): ContainerRefusal =>
  new ContainerRefusal(404, 'BLOB_UNKNOWN', 'the image has no such blob')
export const unknownUpload = (): ContainerRefusal =>
  new ContainerRefusal(404, 'BLOB_UPLOAD_UNKNOWN', 'there is no such upload')
export const unknownImage = (): ContainerRefusal => new ContainerRefusal(404, 'NAME_UNKNOWN', 'there is no such image')
export const wrongDigest = (message = 'the digest is not that of the content'): ContainerRefusal =>
  new ContainerRefusal(400, 'DIGEST_INVALID', message)
