import { buffer } from 'node:stream/consumers'
import { isDomainError, unavailable } from '../../../../core/platform/errors.ts'
import type { ContainerRouteDeps, ImageRequest } from './image-request.routes.ts'
import { MAX_MANIFEST, mediaTypeOf } from './manifest.policy.ts'

type UpstreamDeps = Pick<ContainerRouteDeps, 'contents' | 'pullThrough'>

interface UpstreamBlob {
  readonly sha256: string
  /** Bytes. */
  readonly size: number
}

/** The blob in the upstream registry, for an image that the owner does not have. Throws Unavailable. */
export const findUpstreamBlob = (deps: UpstreamDeps, { owner, image }: ImageRequest, digest: string) =>
  find(deps, owner, `/${image}/blobs/${digest}`)

/** The manifest in the upstream registry; `reference` is a tag or a digest. Throws Unavailable. */
export async function findUpstreamManifest(deps: UpstreamDeps, { owner, image }: ImageRequest, reference: string) {
  const found = await find(deps, owner, `/${image}/manifests/${reference}`)
  if (found === undefined) return undefined
  const text = found.size > MAX_MANIFEST ? '' : (await buffer(await deps.contents.open(found))).toString('utf8')
  const type = mediaTypeOf(text)
  if (type === undefined) throw unavailable('the manifest of the upstream registry cannot be read')
  return { ...found, digest: reference.includes(':') ? reference : `sha256:${found.sha256}`, media_type: type }
}

/** Undefined also if the upstream does not have it. */
async function find(
  { pullThrough }: UpstreamDeps,
  owner: ImageRequest['owner'],
  path: string,
): Promise<UpstreamBlob | undefined> {
  try {
    const answer = await pullThrough.answer({ owner, type: 'container', path, accept: '', base: '' })
    return answer !== undefined && 'file' in answer ? answer.file : undefined
  } catch (error) {
    if (isDomainError(error, 'not-found')) return undefined
    throw error
  }
}
