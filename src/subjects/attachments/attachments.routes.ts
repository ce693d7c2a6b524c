import { buffer } from 'node:stream/consumers'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessMode } from '../../access/access-mode.ts'
import { isRepoAdmin, unitMode } from '../../access/repo-access.ts'
import type { Unit } from '../../access/units.ts'
import { isPublicOnly, type Viewer, viewerId } from '../../access/viewer.ts'
import { isDomainError, notFound } from '../../platform/errors.ts'
import { contentDisposition, contentType, etagMatches, INERT, parseRange } from '../../platform/http-content.ts'
import type { Releases } from '../releases/releases.service.ts'
import type { ReleaseView } from '../releases/views.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repos } from '../repos/repos.service.ts'
import { guarded, type WebDoor } from '../sign-in/web-door.ts'
import type { Attachment } from './attachment.store.ts'
import type { Attachments } from './attachments.service.ts'

export interface AttachmentDoorDeps {
  readonly attachments: Attachments
  readonly door: WebDoor
  readonly releases: Releases
  readonly repos: Repos
}

const SNIFF = 1024
const METHODS = ['GET', 'HEAD'] as const
const CACHE = 'max-age=0, private, must-revalidate, no-transform'

/**
 * Uploaded files at the addresses that answers give: `/attachments/<uuid>`, and `releases/download/<tag>/<name>`
 * (reference repositories §19).
 */
export function registerAttachments(app: FastifyInstance, deps: AttachmentDoorDeps): void {
  const { attachments, door, releases, repos } = deps
  const byUuid = async (viewer: Viewer, request: FastifyRequest): Promise<Attachment> => {
    const found = await attachments.findByUuid((request.params as { uuid: string }).uuid)
    if (found === undefined) throw notFound('attachment does not exist')
    await requireSight(deps, viewer, found)
    return found
  }
  app.route({
    method: [...METHODS],
    url: '/attachments/:uuid',
    handler: guarded(async (request, reply) =>
      serve(attachments, await byUuid(await door.viewer(request), request), request, reply),
    ),
  })
  app.route({
    method: [...METHODS],
    url: '/:owner/:repo/attachments/:uuid',
    handler: guarded(async (request, reply) => {
      const viewer = await door.viewer(request)
      const { owner, repo: name } = request.params as { owner: string; repo: string }
      const { repo } = await repos.getInView(viewer, owner, name)
      const found = await byUuid(viewer, request)
      if (found.repoId !== repo.id) throw notFound('attachment of another repository')
      return serve(attachments, found, request, reply)
    }),
  })
  app.route({
    method: [...METHODS],
    url: '/:owner/:repo/releases/download/*',
    handler: guarded(async (request, reply) => {
      const { viewer, ...target } = await door.visit(request, 'repo.releases')
      const path = (request.params as Record<string, string>)['*']!
      const slash = path.lastIndexOf('/')
      const { release } = await releaseOf(releases, viewer, target, path.slice(0, Math.max(0, slash)))
      const found = await attachments.findInRelease(release.id, path.slice(slash + 1))
      if (found === undefined) throw notFound('attachment does not exist')
      return serve(attachments, found, request, reply)
    }),
  })
}

/** `latest` is the newest release, unless one has that tag. */
async function releaseOf(releases: Releases, viewer: Viewer, target: RepoInView, tag: string): Promise<ReleaseView> {
  try {
    return await releases.getByTag(viewer, target, tag)
  } catch (error) {
    if (tag === 'latest' && isDomainError(error, 'not-found')) return releases.latest(target)
    throw error
  }
}

/** NotFound unless the viewer may see what the file hangs on; one that hangs on nothing yet is its uploader's. */
async function requireSight({ releases, repos }: AttachmentDoorDeps, viewer: Viewer, file: Attachment): Promise<void> {
  const target = await repos.getInViewById(viewer, file.repoId)
  const isOpen = !target.repo.isPrivate && target.repo.owner.visibility === 'public'
  if (isPublicOnly(viewer) && !isOpen) throw notFound('outside of the token')
  const reads = (unit: Unit): boolean => unitMode(target.access, unit) >= AccessMode.read || isRepoAdmin(target.access)
  if (file.releaseId !== 0) {
    if (!reads('repo.releases')) throw notFound('releases are not readable')
    await releases.get(viewer, target, file.releaseId)
  } else if (file.issueId !== 0 || file.commentId !== 0) {
    if (!reads('repo.issues') && !reads('repo.pulls')) throw notFound('issues are not readable')
  } else if (viewerId(viewer) !== file.uploaderId) throw notFound('not linked yet')
}

async function serve(
  attachments: Attachments,
  file: Attachment,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (file.externalUrl !== '') return reply.code(302).header('location', file.externalUrl).send()
  const head = await firstBytes(attachments, file)
  const etag = `"${file.uuid}"`
  void reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': CACHE,
    'content-disposition': contentDisposition('inline', file.name),
    'content-security-policy': INERT,
    'content-type': contentType(file.name, head),
    'last-modified': new Date(file.createdAt).toUTCString(),
    'x-content-type-options': 'nosniff',
    etag,
  })
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const range = parseRange(ifRange(request, etag), file.size)
  if (range === 'bad')
    return reply
      .code(416)
      .header('content-range', `bytes */${file.size}`)
      .type('text/plain; charset=utf-8')
      .send('invalid range\n')
  if (range !== undefined)
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
  void reply.header('content-length', String(range === undefined ? file.size : range.end - range.start + 1))
  if (request.method === 'HEAD') return reply.send()
  const body = await attachments.open(file, range)
  if (body === undefined) throw notFound('the bytes are missing')
  // A download in pieces is one download.
  if (range === undefined || range.start === 0) await attachments.countDownload(file)
  return reply.send(body)
}

/** A range of an older file is no use (RFC 9110 §13.1.5). */
function ifRange(request: FastifyRequest, etag: string): string | undefined {
  const condition = request.headers['if-range']
  return condition === undefined || condition === etag ? request.headers.range : undefined
}

async function firstBytes(attachments: Attachments, file: Attachment): Promise<Buffer> {
  if (file.size === 0) return Buffer.alloc(0)
  const stream = await attachments.open(file, { start: 0, end: Math.min(SNIFF, file.size) - 1 })
  if (stream === undefined) throw notFound('the bytes are missing')
  return buffer(stream)
}
