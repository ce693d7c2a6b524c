import { createHash } from 'node:crypto'
import type { FormatAnswer } from '../../registry/format.ts'
import { uploadRange } from './blob-uploads.service.ts'
import {
  type ContainerRouteDeps,
  type ImageRequest,
  type ImageRoute,
  type ImageWrite,
  pageOf,
  requireImage,
} from './image-request.routes.ts'
import { ContainerRefusal, unknownBlob, unknownManifest, unknownUpload, wrongDigest } from './container-refusal.ts'
import { findUpstreamBlob, findUpstreamManifest } from './image-upstream.ts'
import { DIGEST, MAX_MANIFEST, parseManifest, TAG } from './manifest.policy.ts'

const NAME = String.raw`(?<name>[^?]+)`
const at = (rest: string): RegExp => new RegExp(`^/${NAME}${rest}$`)

const BLOB = at('/blobs/(?<digest>[^/]+)')
const UPLOADS = at('/blobs/uploads/?')
const UPLOAD = at('/blobs/uploads/(?<id>[0-9a-f-]{36})')
const MANIFEST = at('/manifests/(?<reference>[^/]+)')
const TAGS = at('/tags/list')
const REFERRERS = at('/referrers/(?<digest>[^/]+)')

/** The first route whose path and method match is used. */
export const imageRoutes: readonly ImageRoute[] = [
  { method: 'POST', path: UPLOADS, access: 'write', handle: startUpload },
  { method: 'GET', path: UPLOAD, access: 'write', handle: showUpload },
  { method: 'PATCH', path: UPLOAD, access: 'write', handle: appendToUpload },
  { method: 'PUT', path: UPLOAD, access: 'write', handle: finishUpload },
  { method: 'DELETE', path: UPLOAD, access: 'write', handle: cancelUpload },
  { method: 'GET', path: BLOB, access: 'read', handle: getBlob },
  { method: 'DELETE', path: BLOB, access: 'write', handle: deleteBlob },
  { method: 'GET', path: MANIFEST, access: 'read', handle: getManifest },
  { method: 'PUT', path: MANIFEST, access: 'write', handle: putManifest },
  { method: 'DELETE', path: MANIFEST, access: 'write', handle: deleteManifest },
  { method: 'GET', path: TAGS, access: 'read', handle: listTags },
  { method: 'GET', path: REFERRERS, access: 'read', handle: listReferrers },
]

function requireDigest(text: string | null | undefined): string {
  if (text === null || text === undefined || !DIGEST.test(text)) throw wrongDigest('the digest is not valid')
  return text
}

const blobCreated = (name: string, digest: string): FormatAnswer => ({
  status: 201,
  headers: { location: `/v2/${name}/blobs/${digest}`, 'docker-content-digest': digest, etag: `"${digest}"` },
})

const uploadAnswer = (status: number, name: string, upload: { id: string; size: number }): FormatAnswer => ({
  status,
  headers: {
    location: `/v2/${name}/blobs/uploads/${upload.id}`,
    'docker-upload-uuid': upload.id,
    range: uploadRange(upload),
  },
})

async function startUpload(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  const { query, name, viewer, hold } = request
  const target = { owner: request.owner, image: request.image }
  const mount = query.get('mount')
  if (mount !== null) {
    const digest = requireDigest(mount)
    const source = await deps.reads.findMountSource(viewer, digest, query.get('from'))
    if (source !== undefined && (await deps.uploads.mount(target, digest, source))) return blobCreated(name, digest)
  } else if (query.has('digest')) {
    const digest = requireDigest(query.get('digest'))
    await deps.uploads.put(target, digest, { body: request.request.raw, hold })
    return blobCreated(name, digest)
  }
  return uploadAnswer(202, name, { id: await deps.uploads.start(target), size: 0 })
}

async function showUpload(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  return uploadAnswer(204, request.name, await deps.uploads.get(requireUploadOf(request), request.params['id']!))
}

function requireUploadOf({ packageId }: ImageRequest): number {
  if (packageId === undefined) throw unknownUpload()
  return packageId
}

async function appendToUpload(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  return uploadAnswer(202, request.name, await appendBody(deps, request))
}

/** Appends the body, if there is one; `digest` with the last one. */
function appendBody({ uploads }: ContainerRouteDeps, request: ImageWrite, digest?: string) {
  const { request: sent, hold, params } = request
  const range = sent.headers['content-range']
  const match = range === undefined ? undefined : /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/.*)?$/.exec(range)
  if (match === null) throw new ContainerRefusal(416, 'BLOB_UPLOAD_INVALID', 'Content-Range is not valid')
  const start = match === undefined ? undefined : Number(match[1])
  return uploads.append(requireUploadOf(request), params['id']!, {
    body: sent.raw,
    start,
    hold,
    ...(digest !== undefined && { digest }),
  })
}

async function finishUpload(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  const digest = requireDigest(request.query.get('digest'))
  await appendBody(deps, request, digest)
  await deps.uploads.finish(requireUploadOf(request), request.params['id']!, digest, request.hold)
  return blobCreated(request.name, digest)
}

async function cancelUpload(deps: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  await deps.uploads.cancel(requireUploadOf(request), request.params['id']!)
  return { status: 204 }
}

async function getBlob(deps: ContainerRouteDeps, request: ImageRequest): Promise<FormatAnswer> {
  const digest = requireDigest(request.params['digest'])
  const { packageId } = request
  const blob =
    packageId === undefined ? await findUpstreamBlob(deps, request, digest) : await deps.reads.blob(packageId, digest)
  if (blob === undefined) throw unknownBlob()
  const headers = { 'docker-content-digest': digest, etag: `"${digest}"` }
  return { file: { name: digest, ...blob }, headers }
}

async function deleteBlob({ images }: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  const digest = requireDigest(request.params['digest'])
  if (!(await images.deleteBlob(requireImage(request), digest))) throw unknownBlob()
  return { status: 202 }
}

/** Throws ContainerRefusal for a text that is neither a tag nor a digest. */
function referenceOf({ params }: ImageRequest): string {
  const { reference = '' } = params
  if (reference.includes(':')) return requireDigest(reference)
  if (!TAG.test(reference)) throw new ContainerRefusal(400, 'MANIFEST_INVALID', 'Tag is invalid')
  return reference
}

async function getManifest(deps: ContainerRouteDeps, request: ImageRequest): Promise<FormatAnswer> {
  const reference = referenceOf(request)
  const { packageId } = request
  const manifest =
    packageId === undefined
      ? await findUpstreamManifest(deps, request, reference)
      : await deps.images.find(packageId, reference)
  if (manifest === undefined) throw unknownManifest()
  const { digest, media_type: type } = manifest
  const headers = { 'docker-content-digest': digest, etag: `"${digest}"` }
  return { file: { name: 'manifest.json', ...manifest }, type, headers }
}

async function putManifest({ images }: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  const reference = referenceOf(request)
  const bytes = await readManifest(request.request.raw)
  const isSha512 = reference.startsWith('sha512:')
  const algorithm = isSha512 ? 'sha512' : 'sha256'
  const digest = `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`
  if (reference.includes(':') && reference !== digest) throw wrongDigest()
  const parsed = parseManifest(bytes.toString('utf8'), request.request.headers['content-type'] ?? '')
  if ('fault' in parsed) throw new ContainerRefusal(400, 'MANIFEST_INVALID', parsed.fault)
  const target = { owner: request.owner, image: request.image }
  await images.put(request.viewer, target, { reference, bytes, parsed, digest }, request.hold)
  return {
    status: 201,
    headers: {
      location: `/v2/${request.name}/manifests/${reference}`,
      'docker-content-digest': digest,
      ...(parsed.subject !== '' && { 'oci-subject': parsed.subject }),
    },
  }
}

async function readManifest(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_MANIFEST) throw new ContainerRefusal(413, 'MANIFEST_INVALID', 'the manifest is larger than 4 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function deleteManifest({ images }: ContainerRouteDeps, request: ImageWrite): Promise<FormatAnswer> {
  const reference = referenceOf(request)
  const target = { owner: request.owner, image: request.image }
  if (request.packageId === undefined) throw unknownManifest()
  await images.delete(request.viewer, target, request.packageId, reference)
  return { status: 202 }
}

async function listTags({ reads }: ContainerRouteDeps, request: ImageRequest): Promise<FormatAnswer> {
  const { limit, after } = pageOf(request.query)
  const tags = await reads.tags(requireImage(request), { after, limit: limit + 1 })
  const page = tags.slice(0, limit)
  const { name } = request
  const link = `</v2/${name}/tags/list?last=${encodeURIComponent(page.at(-1) ?? '')}&n=${limit}>; rel="next"`
  return {
    status: 200,
    body: { name, tags: page },
    headers: tags.length > limit && limit > 0 ? { link } : {},
  }
}

const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'

async function listReferrers({ reads }: ContainerRouteDeps, request: ImageRequest): Promise<FormatAnswer> {
  const digest = requireDigest(request.params['digest'])
  const wanted = request.query.get('artifactType')
  const all = request.packageId === undefined ? [] : await reads.referrers(request.packageId, digest)
  const manifests = all
    .filter((one) => wanted === null || one.artifact_type === wanted)
    .map((one) => ({
      mediaType: one.media_type,
      digest: one.digest,
      size: one.size,
      ...(one.artifact_type !== '' && { artifactType: one.artifact_type }),
      ...(one.annotations !== '' && { annotations: JSON.parse(one.annotations) as object }),
    }))
  return {
    status: 200,
    type: INDEX_TYPE,
    body: { schemaVersion: 2, mediaType: INDEX_TYPE, manifests },
    headers: wanted === null ? {} : { 'oci-filters-applied': 'artifactType' },
  }
}
