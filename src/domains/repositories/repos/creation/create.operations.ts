import type { ScopeCategory, SignedIn } from '../../../../core/access/viewer.ts'
import { created, unknownWords, withWarnings } from '../../../../core/http/answer/answer.ts'
import type { Guard } from '../../../../core/http/guards/guard.ts'
import { type Area, defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { User } from '../../../accounts/index.ts'
import { presentRepo } from '../repo.present.ts'
import type { Repos } from '../repos.service.ts'
import { Repository, CreateRepoOption } from '../repos.model.ts'
import { isTrustModel, type NewRepo } from './insert-new-repo.ts'

interface CreateOperation {
  readonly id: string
  readonly path: string
  readonly area: Area
  readonly summary: string
  readonly scopes: readonly ScopeCategory[]
  readonly guard: Guard<User>
}

interface CreateRepoOperationDeps {
  readonly guards: Pick<Guards, 'createRepo'>
  readonly repos: Repos
  readonly site: Site
}

/**
 * Creates a repository, by four paths: for oneself, for an organization (two paths), by an administrator
 * (behaviour/repositories#creating).
 */
export function createRepoOperations({
  guards: { createRepo: may },
  repos,
  site,
}: CreateRepoOperationDeps): Operation[] {
  const define = (operation: CreateOperation): Operation =>
    defineOperation({
      ...operation,
      method: 'POST',
      body: CreateRepoOption,
      responses: { 201: Repository },
      errors: [400, 403, 404, 409, 413, 422],
      async handler({ viewer, access: owner, body }) {
        const repo = await repos.create(viewer as SignedIn, owner, newRepo(body))
        const answer = created(presentRepo(await repos.viewOfCreator(viewer, repo), site))
        return withWarnings(answer, unknownWords('trust_model', [body.trust_model ?? ''], isTrustModel))
      },
    })
  return [
    define({
      id: 'createCurrentUserRepo',
      path: '/user/repos',
      area: 'repository',
      summary: 'Create a repository',
      scopes: ['repository', 'user'],
      guard: may.self,
    }),
    define({
      id: 'createOrgRepo',
      path: '/orgs/{org}/repos',
      area: 'organization',
      summary: 'Create a repository in an organization',
      scopes: ['organization'],
      guard: may.inOrg,
    }),
    define({
      id: 'createOrgRepoDeprecated',
      path: '/org/{org}/repos',
      area: 'organization',
      summary: 'Create a repository in an organization',
      scopes: ['repository', 'organization'],
      guard: may.inOrgByOldPath,
    }),
    define({
      id: 'adminCreateRepo',
      path: '/admin/users/{username}/repos',
      area: 'admin',
      summary: 'Create a repository for a user or organization',
      scopes: ['admin'],
      guard: may.byAdmin,
    }),
  ]
}

function newRepo(body: CreateRepoOption): NewRepo {
  return {
    name: body.name,
    description: body.description,
    isPrivate: body.private,
    isTemplate: body.template ?? body.is_template,
    defaultBranch: body.default_branch,
    objectFormat: body.object_format_name,
    trustModel: body.trust_model,
    autoInit: body.auto_init,
    readme: body.readme,
    gitignores: body.gitignores,
    license: body.license,
    labelSet: body.issue_labels,
  }
}
