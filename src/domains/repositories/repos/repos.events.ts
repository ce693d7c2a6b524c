import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'
import type { Repo } from './repo.store.ts'

const Id = Type.Integer()
const InRepo = { repo_id: Id }

export const repoEvents = {
  /**
   * Later modules write what the repository starts with. The actor is its creator. `watchers_count` of the row counts
   * the creator already when `auto_watch` is set.
   */
  'repo.created': Type.Object({
    ...InRepo,
    name: Type.String(),
    /** The organization that owns it; absent for a user. */
    org_id: Type.Optional(Id),
    /** The creator watches it, and so do the organization's teams that have all repositories. */
    auto_watch: Type.Optional(Type.Boolean()),
    /** What the creator may do as a collaborator, when it becomes one. */
    creator_mode: Type.Optional(Type.Integer()),
    /** The label set that it starts with. */
    label_set: Type.Optional(Type.String()),
  }),
  'repo.deleted': Type.Object({
    ...InRepo,
    name: Type.String(),
    owner_id: Id,
    storage: Type.String(),
    /** The repository as it was; absent where its owner is deleted too. */
    record: Type.Optional(Type.Unsafe<RepoRecord>(Type.Object({}))),
  }),
  /**
   * The row of the repository, which is locked, is about to be deleted in this transaction. Projections delete or
   * detach what no foreign key does. Not appended for the repositories of an account that is deleted: see
   * `user.deleting`.
   */
  'repo.deleting': Type.Object(InRepo),
  'repo.edited': Type.Object({
    ...InRepo,
    /** Columns that changed, by name. */
    changed: Type.Array(Type.String()),
    /** When it turned private: it and its forks, and theirs. */
    made_private: Type.Optional(Type.Array(Id)),
  }),
  'repo.renamed': Type.Object({ ...InRepo, name: Type.String(), old_name: Type.String() }),
}

/** A repository without its owner, as JSON keeps it: what is undefined has no member. */
export type RepoRecord = Omit<Repo, 'owner'>

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof repoEvents> {}
}
