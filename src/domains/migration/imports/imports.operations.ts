import type { Services } from '../../../core/module.ts'
import { created, unknownWords, withWarnings } from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { Repository, presentRepo } from '../../repositories/index.ts'
import type { Imports } from './imports.service.ts'
import { MigrateRepoOptions } from './migrate-repo.model.ts'
import { type NewImport, isService, METADATA_PARTS } from './new-import.ts'

interface ImportOperationDeps {
  readonly imports: Imports
  readonly repos: Services['repos']
  readonly site: Site
}

/** Imports from other servers (behaviour/repositories#imports-and-pull-mirrors). */
export function importOperations({ imports, repos, site }: ImportOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoMigrate',
      method: 'POST',
      path: '/repos/migrate',
      area: 'repository',
      summary: 'Import a repository of another server; answers when all of it is there',
      scopes: ['repository'],
      guard: signedIn,
      body: MigrateRepoOptions,
      responses: { 201: Repository },
      errors: [403, 409, 413, 422],
      async handler({ viewer, access: actor, body }) {
        const { repo, warnings } = await imports.importRepo(
          actor,
          { owner: body.repo_owner, ownerId: body.uid },
          newImport(body),
        )
        const answer = created(presentRepo(await repos.viewOfCreator(viewer, repo), site))
        return withWarnings(answer, [...unknownWords('service', [body.service ?? ''], isService), ...warnings])
      },
    }),
  ]
}

function newImport(body: MigrateRepoOptions): NewImport {
  return {
    address: body.clone_addr,
    name: body.repo_name,
    service: body.service,
    username: body.auth_username,
    password: body.auth_password,
    token: body.auth_token,
    description: body.description,
    isPrivate: body.private,
    isMirror: body.mirror,
    mirrorInterval: body.mirror_interval,
    wiki: body.wiki,
    lfs: body.lfs,
    lfsEndpoint: body.lfs_endpoint,
    parts: new Set(METADATA_PARTS.filter((part) => body[part] === true)),
  }
}
