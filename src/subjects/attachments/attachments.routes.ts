import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isPublicOnly, type Viewer } from '../../access/viewer.ts'
import { notFound } from '../../platform/errors.ts'
import type { Repos } from '../repos/index.ts'
import { guarded, type WebDoor } from '../sign-in/index.ts'
import type { Attachment } from './attachment.store.ts'
import type { Attachments } from './attachments.service.ts'
import { serveAttachment } from './serve-attachment.routes.ts'

interface AttachmentRouteDeps {
  readonly attachments: Attachments
  readonly door: WebDoor
  readonly repos: Pick<Repos, 'getInView' | 'getInViewById'>
}

const METHODS = ['GET', 'HEAD'] as const

/** Uploaded files by their uuid: `/attachments/<uuid>` (behaviour/repositories#releases). */
export function registerAttachments(app: FastifyInstance, { attachments, door, repos }: AttachmentRouteDeps): void {
  const byUuid = async (viewer: Viewer, request: FastifyRequest): Promise<Attachment> => {
    const found = await attachments.findByUuid((request.params as { uuid: string }).uuid)
    if (found === undefined) throw notFound('attachment does not exist')
    const target = await repos.getInViewById(viewer, found.repoId)
    const isPublic = !target.repo.isPrivate && target.repo.owner.visibility === 'public'
    if (isPublicOnly(viewer) && !isPublic) throw notFound('outside of the token')
    await attachments.requireVisible(viewer, target, found)
    return found
  }
  app.route({
    method: [...METHODS],
    url: '/attachments/:uuid',
    handler: guarded(async (request, reply) =>
      serveAttachment(attachments, await byUuid(await door.viewer(request), request), request, reply),
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
      return serveAttachment(attachments, found, request, reply)
    }),
  })
}
