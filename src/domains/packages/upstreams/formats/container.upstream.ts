import {
  DIGEST,
  IMAGE,
  MANIFEST_ACCEPT,
  MAX_MANIFEST,
  mediaTypeOf,
  TAG,
} from '../../formats/container/manifest.policy.ts'
import type { Digest, UpstreamFormat } from '../upstream-format.ts'

const PATH = /^\/(?<image>[a-z0-9._/-]+)\/(?<kind>blobs|manifests)\/(?<reference>[^/]+)$/

/**
 * A registry of container images; its address is that of the distribution API, which ends with /v2, or longer, so that
 * names of images are shorter.
 */
export const containerUpstream: UpstreamFormat = {
  type: 'container',
  hasTimes: false,
  hasTokens: true,
  parse(path) {
    const { image = '', kind, reference = '' } = PATH.exec(path)?.groups ?? {}
    if (!IMAGE.test(image)) return undefined
    const accept = kind === 'manifests' ? MANIFEST_ACCEPT : '*/*'
    const common = { path: path.slice(1), accept }
    if (DIGEST.test(reference)) {
      const [algorithm, digest] = reference.split(':') as [Digest, string]
      return { names: [image], source: { ...common, expected: [algorithm, digest] } }
    }
    if (kind !== 'manifests' || !TAG.test(reference)) return undefined
    return { names: [image], source: { document: { ...common, type: 'application/json' } } }
  },
  isDocument: (bytes) => bytes.length <= MAX_MANIFEST && mediaTypeOf(bytes.toString('utf8')) !== undefined,
}
