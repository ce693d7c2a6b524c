import type { Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { insertMirror, insertRepo, recordRepoCreation, upsertBranches } from '../../repositories/index.ts'
import type { FetchedGit } from './fetch-git.ts'
import type { ImportDeps, ImportTask, NewImport } from './new-import.ts'
import type { ImportRequest } from './read-request.ts'

interface Insertion extends Omit<ImportTask, 'signal'> {
  readonly input: NewImport
  readonly request: ImportRequest
  readonly fetched: FetchedGit
}

/** Inserts the rows of a repository whose git data has been fetched. */
export async function insertImported(
  tx: Tx,
  { clock, rules, access, events, jobs }: ImportDeps,
  { actor, owner, input, request, storage, fetched }: Insertion,
): Promise<RepoId> {
  const at = clock.now()
  const isMirror = request.interval !== undefined
  const id = await insertRepo(tx, {
    owner_id: owner.id,
    name: input.name,
    lower_name: input.name.toLowerCase(),
    description: input.description ?? '',
    default_branch: fetched.defaultBranch,
    wiki_branch: fetched.wikiBranch ?? rules.defaultBranch,
    object_format: fetched.objectFormat,
    storage,
    is_private: flag(rules.forcePrivate || (input.isPrivate ?? false)),
    is_mirror: flag(isMirror),
    original_url: request.url,
    units: isMirror ? rules.units.mirror : rules.units.normal,
    git_size: fetched.size,
    watchers_count: rules.autoWatch ? 1 : 0,
    is_empty: flag(fetched.branches.length === 0),
    branches_count: fetched.branches.length,
    pushed_at: fetched.branches.length === 0 ? 0 : at,
    created_at: at,
    updated_at: at,
  })
  await upsertBranches(tx, { repoId: id, pusherId: actor.account.id, at }, fetched.branches)
  if (request.interval !== undefined) {
    await insertMirror(tx, {
      repo_id: id,
      interval: request.interval,
      synced_at: at,
      next_sync_at: request.interval === 0 ? 0 : at + request.interval,
      remote_url: request.url,
      credentials: access.seal(request.credentials),
      remote_head: fetched.remoteHead,
      has_wiki: flag(fetched.wikiBranch !== undefined),
      has_lfs: flag(request.lfs),
      lfs_endpoint: access.sealEndpoint(request.lfsEndpoint),
    })
  }
  await recordRepoCreation(tx, events, { id, name: input.name, actor, owner, at, watch: rules.autoWatch })
  await jobs.enqueue(tx, 'repo.maintain', { repo_id: id }, { key: String(id) })
  return id
}
