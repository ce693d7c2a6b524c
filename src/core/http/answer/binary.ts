import { Type } from '@sinclair/typebox'

/** Answers that are not JSON, for the API description. */
export const TextFile = Type.String({ contentMediaType: 'text/plain' })
export const BinaryFile = Type.String({ contentMediaType: 'application/octet-stream' })
/** Of the type that its name and content tell. */
export const StoredFile = Type.String({ contentMediaType: '*/*' })
