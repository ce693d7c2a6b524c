import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'
import type { Repo } from './repo.store.ts'

const Id = Type.Integer()
const InRepo = { repo_id: Id }

export const repoEvents = {
  /**
   * Later modules insert the initial data of the repository. The actor is its creator. With `auto_watch`,
   * `watchers_count` of the row includes the creator already.
   */
  'repo.created': Type.Object({
    ...InRepo,
    name: Type.String(),
    /** The organization that owns it; absent for a user. */
    org_id: Type.Optional(Id),
    /** Whether the creator watches it, and the members of the organization's teams that include all repositories. */
    auto_watch: Type.Optional(Type.Boolean()),
    /** The access of the creator as a collaborator, if it becomes one. */
    creator_mode: Type.Optional(Type.Integer()),
    /** The initial label set. */
    label_set: Type.Optional(Type.String()),
  }),
  'repo.deleted': Type.Object({
    ...InRepo,
    name: Type.String(),
    owner_id: Id,
    storage: Type.String(),
    /** The repository before its deletion; absent if its owner is deleted too. */
    record: Type.Optional(Type.Unsafe<RepoRecord>(Type.Object({}))),
  }),
  /**
   * The row of the repository is locked and about to be deleted in this transaction. Projections delete or detach rows
   * that no foreign key covers. Not appended for the repositories of a deleted account: see `user.deleting`.
   */
  'repo.deleting': Type.Object(InRepo),
  'repo.edited': Type.Object({
    ...InRepo,
    /** The names of changed columns. */
    changed: Type.Array(Type.String()),
    /** Ids of the repository and of its direct and indirect forks, if it became private. */
    made_private: Type.Optional(Type.Array(Id)),
  }),
  'repo.renamed': Type.Object({ ...InRepo, name: Type.String(), old_name: Type.String() }),
}

/** A repository without its owner, as JSON: undefined members are absent. */
export type RepoRecord = Omit<Repo, 'owner'>

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof repoEvents> {}
}
