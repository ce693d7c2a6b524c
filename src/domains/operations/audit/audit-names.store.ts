import type { Tx } from '../../../core/db/database.ts'
import type { RequestCredential } from '../../../core/platform/request-source.ts'

interface AccountName {
  readonly name: string
  readonly kind: 'user' | 'organization'
}

/** Undefined for an account that does not exist. */
export async function findAccountName(tx: Tx, id: number): Promise<AccountName | undefined> {
  if (id === 0) return undefined
  const row = await tx.selectFrom('user').select(['name', 'kind']).where('id', '=', id).executeTakeFirst()
  return row && { name: row.name, kind: row.kind === 'organization' ? 'organization' : 'user' }
}

interface RepoName {
  readonly name: string
  readonly isPrivate: boolean
  readonly isArchived: boolean
}

/** `name` is `owner/name`. */
export async function findRepoName(tx: Tx, id: number): Promise<RepoName | undefined> {
  const row = await tx
    .selectFrom('repo')
    .innerJoin('user as owner', 'owner.id', 'repo.owner_id')
    .select(['owner.name as owner', 'repo.name', 'repo.is_private', 'repo.is_archived'])
    .where('repo.id', '=', id)
    .executeTakeFirst()
  return row && { name: `${row.owner}/${row.name}`, isPrivate: row.is_private === 1, isArchived: row.is_archived === 1 }
}

export async function findTeamName(tx: Tx, id: number): Promise<string | undefined> {
  return (await tx.selectFrom('team').select('name').where('id', '=', id).executeTakeFirst())?.name
}

/** Empty for kinds without names, and for what was deleted meanwhile. */
export async function findCredentialName(tx: Tx, { kind, id }: RequestCredential): Promise<string> {
  if (id === 0) return ''
  switch (kind) {
    case 'access-token':
      return (await tx.selectFrom('access_token').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
    case 'oauth2-token':
      return (
        (await tx.selectFrom('oauth_application').select('name').where('id', '=', id).executeTakeFirst())?.name ?? ''
      )
    case 'ssh-key':
    case 'http-signature':
      return (await tx.selectFrom('user_key').select('title').where('id', '=', id).executeTakeFirst())?.title ?? ''
    case 'deploy-key':
      return (await tx.selectFrom('deploy_key').select('title').where('id', '=', id).executeTakeFirst())?.title ?? ''
    default:
      return ''
  }
}
