import type { FastifyInstance } from 'fastify'
import type { Services } from '../../../../core/module.ts'
import { webPages } from '../../../accounts/index.ts'
import { presentBadge } from './badge.present.ts'
import type { Runs } from './runs.service.ts'

interface BadgeRouteDeps {
  readonly webAccess: Services['webAccess']
  readonly runs: Pick<Runs, 'findResult'>
}

const one = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * `/{owner}/{repo}/actions/workflows/{file}/badge.svg?branch=&event=&style=`, the address in documents of a repository
 * (behaviour/actions#runs-jobs-workflows-tasks-artifacts).
 */
export function registerBadges(app: FastifyInstance, { webAccess, runs }: BadgeRouteDeps): void {
  app.get(
    '/:owner/:repo/actions/workflows/:file/badge.svg',
    webPages.plainTextErrors(async (request, reply) => {
      const { repo } = await webAccess.requireRepo(request, { unit: 'repo.actions' })
      const { file } = request.params as { file: string }
      const { branch, event, style } = request.query as Record<string, unknown>
      const wanted = { workflow: file, branch: one(branch) ?? repo.defaultBranch, event: one(event) }
      const result = await runs.findResult(repo.id, wanted)
      return reply
        .headers({
          'cache-control': 'no-cache',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
          'x-content-type-options': 'nosniff',
        })
        .type('image/svg+xml')
        .send(presentBadge(file, result, { isSquare: style === 'flat-square' }))
    }),
  )
}
