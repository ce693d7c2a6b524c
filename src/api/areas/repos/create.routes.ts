import { Repository } from '../../../contract/models/repository.ts'
import { CreateRepoOption } from '../../../contract/options/create-repo.ts'
import type { NewRepo } from '../../../domain/repos/index.ts'
import { presentRepo } from '../../../present/repo.present.ts'
import type { User } from '../../../domain/users/index.ts'
import type { ScopeCategory } from '../../../policy/scopes.ts'
import type { SignedIn } from '../../../policy/viewer.ts'
import { created } from '../../answer.ts'
import type { Guard } from '../../guards/guard.ts'
import { defineOperation, type Area, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

interface CreateOperation {
  readonly id: string
  readonly path: string
  readonly area: Area
  readonly summary: string
  readonly scopes: readonly ScopeCategory[]
  readonly guard: Guard<User>
}

/** One creation behind four paths: for oneself, for an organization (two paths), by an administrator (reference repositories §4). */
export function createRepoOperations({ guards, repos, site }: Pick<AreaDeps, 'guards' | 'repos' | 'site'>): Operation[] {
  const define = (operation: CreateOperation): Operation =>
    defineOperation({
      ...operation,
      method: 'POST',
      body: CreateRepoOption,
      responses: { 201: Repository },
      errors: [400, 403, 404, 409, 413, 422],
      async handler({ viewer, access: owner, body }) {
        const repo = await repos.create(viewer as SignedIn, owner, newRepo(body))
        return created(presentRepo(await repos.viewOfCreator(viewer, repo), site))
      },
    })
  const { createRepo: may } = guards
  return [
    define({ id: 'createCurrentUserRepo', path: '/user/repos', area: 'repository', summary: 'Create a repository', scopes: ['repository', 'user'], guard: may.self }),
    define({ id: 'createOrgRepo', path: '/orgs/{org}/repos', area: 'organization', summary: 'Create a repository in an organization', scopes: ['organization'], guard: may.inOrg }),
    define({ id: 'createOrgRepoDeprecated', path: '/org/{org}/repos', area: 'organization', summary: 'Create a repository in an organization', scopes: ['repository', 'organization'], guard: may.inOrgByOldPath }),
    define({ id: 'adminCreateRepo', path: '/admin/users/{username}/repos', area: 'admin', summary: 'Create a repository for a user or organization', scopes: ['admin'], guard: may.byAdmin }),
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
