import { Type, type Static, type TObject } from '@sinclair/typebox'

const Id = Type.Integer()
const Named = { user_id: Id, name: Type.String() }
const OrgNamed = { org_id: Id, name: Type.String() }
const InTeam = { org_id: Id, team_id: Id }
const TeamNamed = { ...InTeam, name: Type.String() }
const InRepo = { repo_id: Id }
/** `page` is its name in addresses, `comment` the commit's message. */
const OfPage = { ...InRepo, page: Type.String(), comment: Type.String() }
const OfRelease = {
  ...InRepo,
  release_id: Id,
  publisher_id: Id,
  tag_name: Type.String(),
  target: Type.String(),
  title: Type.String(),
  body: Type.String(),
  is_prerelease: Type.Boolean(),
  created_at: Type.Integer(),
}
/** Of a repository or an organization; the other id is 0. */
const LabelNamed = { ...InRepo, org_id: Id, label_id: Id, name: Type.String() }
const RuleNamed = { ...InRepo, rule_id: Id, name: Type.String() }

/**
 * Everything that is announced, by name. Payloads hold ids and what would be gone or changed by the time a subscriber
 * looks; subscribers load the rest. Members are only ever added.
 */
export const events = {
  'branch_protection.created': Type.Object(RuleNamed),
  'branch_protection.deleted': Type.Object(RuleNamed),
  'branch_protection.edited': Type.Object(RuleNamed),
  'commit.status': Type.Object({
    ...InRepo,
    status_id: Id,
    oid: Type.String(),
    context: Type.String(),
    state: Type.String(),
  }),
  'label.created': Type.Object(LabelNamed),
  'label.deleted': Type.Object(LabelNamed),
  'label.edited': Type.Object(LabelNamed),
  'user.blocked': Type.Object({ blocker_id: Id, user_id: Id }),
  'user.created': Type.Object(Named),
  'user.renamed': Type.Object({ ...Named, old_name: Type.String() }),
  'user.deleted': Type.Object(Named),
  'user.email_added': Type.Object({ user_id: Id, email: Type.String() }),
  'user.email_deleted': Type.Object({ user_id: Id, email: Type.String() }),
  'user.followed': Type.Object({ user_id: Id, followed_id: Id }),
  'user.unblocked': Type.Object({ blocker_id: Id, user_id: Id }),
  'user.unfollowed': Type.Object({ user_id: Id, followed_id: Id }),
  'user.key_added': Type.Object({ user_id: Id, key_id: Id, fingerprint: Type.String() }),
  'user.key_deleted': Type.Object({ user_id: Id, key_id: Id, fingerprint: Type.String() }),
  'user.gpg_key_added': Type.Object({ user_id: Id, key_id: Type.String() }),
  'user.gpg_key_deleted': Type.Object({ user_id: Id, key_id: Type.String() }),
  'org.created': Type.Object(OrgNamed),
  'org.renamed': Type.Object({ ...OrgNamed, old_name: Type.String() }),
  'org.visibility_changed': Type.Object({ org_id: Id, visibility: Type.String(), old_visibility: Type.String() }),
  'org.deleted': Type.Object(OrgNamed),
  'org.member_added': Type.Object({ org_id: Id, user_id: Id }),
  'org.member_removed': Type.Object({ org_id: Id, user_id: Id }),
  /** Also when the tag of a release is deleted: the release stays as a draft. Nothing is told of drafts. */
  'release.deleted': Type.Object(OfRelease),
  'release.published': Type.Object(OfRelease),
  'release.updated': Type.Object(OfRelease),
  'repo.collaborator_added': Type.Object({ ...InRepo, user_id: Id, mode: Type.Integer() }),
  /** `has_access` says whether the user still reaches the repository in another way. */
  'repo.collaborator_removed': Type.Object({ ...InRepo, user_id: Id, has_access: Type.Boolean() }),
  'repo.created': Type.Object({ ...InRepo, name: Type.String() }),
  'repo.deleted': Type.Object({ ...InRepo, name: Type.String(), owner_id: Id, storage: Type.String() }),
  'repo.forked': Type.Object({ ...InRepo, fork_id: Id }),
  /** Columns that changed, by name. */
  'repo.edited': Type.Object({ ...InRepo, changed: Type.Array(Type.String()) }),
  'repo.renamed': Type.Object({ ...InRepo, name: Type.String(), old_name: Type.String() }),
  'repo.pushed': Type.Object({
    ...InRepo,
    /** The refs came with a sync of a mirror. */
    is_mirror_sync: Type.Optional(Type.Boolean()),
    /** Refs in the order of the push; an all-zero oid stands for "none". */
    updates: Type.Array(Type.Object({ ref: Type.String(), old_oid: Type.String(), new_oid: Type.String() })),
  }),
  'repo.key_added': Type.Object({ ...InRepo, key_id: Id, fingerprint: Type.String() }),
  'repo.key_deleted': Type.Object({ ...InRepo, key_id: Id, fingerprint: Type.String() }),
  'repo.starred': Type.Object(InRepo),
  'repo.transfer_started': Type.Object({ ...InRepo, recipient_id: Id }),
  'repo.transfer_rejected': Type.Object({ ...InRepo, recipient_id: Id }),
  /** The repository has another owner; its old place leads to it. */
  'repo.transferred': Type.Object({ ...InRepo, name: Type.String(), old_owner_id: Id, owner_id: Id }),
  'repo.topics_changed': Type.Object({ ...InRepo, topics: Type.Array(Type.String()) }),
  'repo.unstarred': Type.Object(InRepo),
  'repo.unwatched': Type.Object(InRepo),
  'repo.watched': Type.Object(InRepo),
  'tag_protection.created': Type.Object(RuleNamed),
  'tag_protection.deleted': Type.Object(RuleNamed),
  'tag_protection.edited': Type.Object(RuleNamed),
  'team.created': Type.Object(TeamNamed),
  'team.deleted': Type.Object(TeamNamed),
  'team.edited': Type.Object(TeamNamed),
  'team.member_added': Type.Object({ ...InTeam, user_id: Id }),
  'team.member_removed': Type.Object({ ...InTeam, user_id: Id }),
  'team.repo_added': Type.Object({ ...InRepo, ...InTeam }),
  'team.repo_removed': Type.Object({ ...InRepo, ...InTeam }),
  'wiki.created': Type.Object(OfPage),
  'wiki.deleted': Type.Object(OfPage),
  'wiki.edited': Type.Object(OfPage),
  /** Pages changed by git: which ones is not told. */
  'wiki.pushed': Type.Object(InRepo),
} as const satisfies Record<string, TObject>

export type EventKind = keyof typeof events
export type EventPayload<Kind extends EventKind> = Static<(typeof events)[Kind]>
