import { listOf, type Members, members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

export const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/
export const TAG = /^\w[\w.-]{0,127}$/
/** The name of an image, without the owner. */
export const IMAGE = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
export const MAX_IMAGE_LENGTH = 255
/** Bytes of a manifest (OCI distribution specification, pushing manifests). */
export const MAX_MANIFEST = 4 * 1024 * 1024
const MAX_REFERENCES = 10_000

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json'
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const INDEX_TYPES = new Set([OCI_INDEX, 'application/vnd.docker.distribution.manifest.list.v2+json'])
const MANIFEST_TYPES = new Set([OCI_MANIFEST, 'application/vnd.docker.distribution.manifest.v2+json'])

/** A reference of a manifest. */
interface Descriptor {
  readonly digest: string
  readonly size: number
  readonly isManifest: boolean
  /** A layer that a registry may lack (non-distributable, foreign). */
  readonly isOptional: boolean
}

/** A manifest or an index that may be stored. */
export interface ParsedManifest {
  readonly mediaType: string
  /** Empty for none. */
  readonly artifactType: string
  /** Empty for none. */
  readonly subject: string
  /** JSON; empty for none. */
  readonly annotations: string
  readonly references: readonly Descriptor[]
}

/** The problem of a manifest, for the client. */
export interface ManifestFault {
  readonly fault: string
}

/** The Accept header of clients that read all types. */
export const MANIFEST_ACCEPT = [...INDEX_TYPES, ...MANIFEST_TYPES].join(', ')

/** Media type of a manifest from another registry; undefined for other texts. Manifests of OCI may lack the member. */
export function mediaTypeOf(text: string): string | undefined {
  const { schemaVersion, mediaType, manifests } = members(parseJson(text)?.value)
  const type = textOf(mediaType) || (manifests === undefined ? OCI_MANIFEST : OCI_INDEX)
  return schemaVersion === 2 && (INDEX_TYPES.has(type) || MANIFEST_TYPES.has(type)) ? type : undefined
}

/** Reads the manifest of a push. `contentType` is empty if the client sent none. */
export function parseManifest(text: string, contentType: string): ParsedManifest | ManifestFault {
  const root = members(parseJson(text)?.value)
  if (Object.keys(root).length === 0) return { fault: 'the manifest is not a JSON object' }
  const typeInside = textOf(root['mediaType'])
  const sent = contentType.split(';', 1)[0]!.trim()
  if (typeInside !== '' && sent !== '' && typeInside !== sent) return { fault: 'mediaType differs from Content-Type' }
  const mediaType = typeInside || sent
  if (root['schemaVersion'] !== 2) return { fault: 'schemaVersion must be 2' }
  const isIndex = INDEX_TYPES.has(mediaType)
  if (!isIndex && !MANIFEST_TYPES.has(mediaType)) return { fault: `the media type ${mediaType} is not supported` }
  const references = referencesOf(root, isIndex)
  if ('fault' in references) return references
  const subject = textOf(members(root['subject'])['digest'])
  if (root['subject'] !== undefined && !DIGEST.test(subject)) return { fault: 'subject has no valid digest' }
  return { mediaType, subject, references, ...describe(root, isIndex) }
}

/** The members of a manifest that the referrers API shows. */
function describe(root: Members, isIndex: boolean): Pick<ParsedManifest, 'artifactType' | 'annotations'> {
  const config = isIndex ? '' : textOf(members(root['config'])['mediaType'])
  return {
    artifactType: textOf(root['artifactType']) || config,
    annotations: root['annotations'] === undefined ? '' : JSON.stringify(members(root['annotations'])),
  }
}

function referencesOf(root: Members, isIndex: boolean): readonly Descriptor[] | ManifestFault {
  const values = isIndex ? listOf(root['manifests']) : [root['config'], ...listOf(root['layers'])]
  if (values.length > MAX_REFERENCES) return { fault: `a manifest names at most ${MAX_REFERENCES} blobs or manifests` }
  const references = values.map((value) => descriptorOf(value, isIndex)).filter((one) => one !== undefined)
  return references.length < values.length ? { fault: 'a descriptor has no valid digest and size' } : references
}

function descriptorOf(value: unknown, isManifest: boolean): Descriptor | undefined {
  const { digest, size, mediaType } = members(value)
  if (!DIGEST.test(textOf(digest)) || typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    return undefined
  const isOptional = /\.(?:nondistributable|foreign)\b/.test(textOf(mediaType))
  return { digest: textOf(digest), size, isManifest, isOptional }
}
