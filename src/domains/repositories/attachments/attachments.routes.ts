import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Viewer } from '../../../core/access/viewer.ts'
import { notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Repos } from '../repos/repos.service.ts'
import { requireVisible } from '../repos/lookup.ts'
import type { WebAccess } from '../repo-access/repo-access.service.ts'
import { webPages } from '../../accounts/index.ts'
import type { Attachment } from './attachment.store.ts'
import type { Attachments } from './attachments.service.ts'
import { serveAttachment } from './serve-attachment.routes.ts'

interface AttachmentRouteDeps {
  readonly attachments: Attachments
  readonly webAccess: WebAccess
  readonly repos: Pick<Repos, 'authorize'>
}

const METHODS = ['GET', 'HEAD'] as const

/** Serves uploaded files by their uuid: `/attachments/<uuid>` (behaviour/repositories#releases). */
export function registerAttachments(
  app: FastifyInstance,
  { attachments, webAccess, repos }: AttachmentRouteDeps,
): void {
  const byUuid = async (viewer: Viewer, request: FastifyRequest): Promise<Attachment> => {
    const found = await attachments.findByUuid((request.params as { uuid: string }).uuid)
    if (found === undefined) throw errors.attachmentNotFound()
    const target = requireVisible(await repos.authorize(viewer, { id: found.repoId }, { level: 'see' }))
    await attachments.requireVisible(viewer, target, found)
    return found
  }
  app.route({
    method: [...METHODS],
    url: '/attachments/:uuid',
    handler: webPages.plainTextErrors(async (request, reply) =>
      serveAttachment(attachments, await byUuid(await webAccess.viewer(request), request), request, reply),
    ),
  })
  app.route({
    method: [...METHODS],
    url: '/:owner/:repo/attachments/:uuid',
    handler: webPages.plainTextErrors(async (request, reply) => {
      const { repo, viewer } = await webAccess.requireRepo(request)
      const found = await byUuid(viewer, request)
      if (found.repoId !== repo.id) throw notFound('attachment of another repository')
      return serveAttachment(attachments, found, request, reply)
    }),
  })
}
