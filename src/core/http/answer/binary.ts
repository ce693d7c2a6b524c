import { Type } from '@sinclair/typebox'

/** Answers that are not JSON, for the API description. */
export const TextFile = Type.String({ contentMediaType: 'text/plain' })
export const BinaryFile = Type.String({ contentMediaType: 'application/octet-stream' })
/** A file whose type depends on its name and content. */
export const StoredFile = Type.String({ contentMediaType: '*/*' })
