import { accessName, asAccessMode } from '../../../core/access/repo-access.ts'
import type { AppendedEvent, Projections, EventKind } from '../../../core/events/index.ts'
import { findAccountName, findRepoName } from './audit.store.ts'
import { accountTarget, recorded, teamTarget, type AuditFact, SITE, type AuditTarget, repoTarget } from './record.ts'

const onTeam = <Kind extends 'team.created' | 'team.deleted'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => ({
    action,
    target: await teamTarget(tx, payload as AppendedEvent<'team.created'>['payload']),
  }))

const onTeamMember = <Kind extends 'team.member_added' | 'team.member_removed'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...team } = payload as AppendedEvent<'team.member_added'>['payload']
    return {
      action,
      target: await teamTarget(tx, team),
      details: { user: (await findAccountName(tx, id))?.name ?? '' },
    }
  })

const onTeamRepo = <Kind extends 'team.repo_added' | 'team.repo_removed'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { repo_id: id, ...team } = payload as AppendedEvent<'team.repo_added'>['payload']
    return {
      action,
      target: await teamTarget(tx, team),
      details: { repository: (await findRepoName(tx, id))?.name ?? '' },
    }
  })

const onOrgMember = <Kind extends 'org.member_added' | 'org.member_removed'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { org_id: id, user_id: userId } = payload as AppendedEvent<'org.member_added'>['payload']
    return {
      action,
      target: await accountTarget(tx, id),
      details: { user: (await findAccountName(tx, userId))?.name ?? '' },
    }
  })

/** Organizations, their members and teams. */
export const orgProjections: Projections = {
  'org.created': recorded(async (tx, { payload: { org_id: id } }) => ({
    action: 'organization.created',
    target: await accountTarget(tx, id),
  })),
  'org.deleted': recorded(async (_, { payload: { org_id: id, name } }) => ({
    action: 'organization.deleted',
    target: { kind: 'organization', id, name },
  })),
  'org.renamed': recorded(async (tx, { payload: { org_id: id, old_name } }) => ({
    action: 'organization.renamed',
    target: await accountTarget(tx, id),
    details: { old_name },
  })),
  'org.visibility_changed': recorded(async (tx, { payload: { org_id: id, visibility, old_visibility } }) => ({
    action: 'organization.visibility-changed',
    target: await accountTarget(tx, id),
    details: { visibility, old_visibility },
  })),
  'org.member_added': onOrgMember<'org.member_added'>('organization.member-added'),
  'org.member_removed': onOrgMember<'org.member_removed'>('organization.member-removed'),
  'team.created': onTeam<'team.created'>('team.created'),
  'team.deleted': onTeam<'team.deleted'>('team.deleted'),
  'team.edited': recorded(async (tx, { payload }) => {
    const { rights } = payload
    const target = await teamTarget(tx, payload)
    if (rights === undefined) return { action: 'team.edited', target }
    return {
      action: 'team.permission-changed',
      target,
      details: { permission: accessName(asAccessMode(rights.mode)), all_repositories: rights.all_repositories },
    }
  }),
  'team.member_added': onTeamMember<'team.member_added'>('team.member-added'),
  'team.member_removed': onTeamMember<'team.member_removed'>('team.member-removed'),
  'team.repo_added': onTeamRepo<'team.repo_added'>('team.repository-added'),
  'team.repo_removed': onTeamRepo<'team.repo_removed'>('team.repository-removed'),
}

const onSite = <Kind extends EventKind>(
  action: string,
  detailsOf: (payload: AppendedEvent<Kind>['payload']) => AuditFact['details'],
) => recorded<Kind>(async (_, { payload }) => ({ action, target: SITE, details: detailsOf(payload) ?? {} }))

const onMember = <Kind extends 'quota.member_added' | 'quota.member_removed'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, name } = payload as AppendedEvent<'quota.member_added'>['payload']
    return { action, target: await accountTarget(tx, id), details: { group: name } }
  })

/** Quota rules and groups. */
export const quotaProjections: Projections = {
  'quota.rule_created': onSite<'quota.rule_created'>('quota.rule-created', ruleOf),
  'quota.rule_edited': onSite<'quota.rule_edited'>('quota.rule-changed', ruleOf),
  'quota.rule_deleted': onSite<'quota.rule_deleted'>('quota.rule-deleted', ({ name }) => ({ rule: name })),
  'quota.group_created': onSite<'quota.group_created'>('quota.group-created', ({ name, rules }) => ({
    group: name,
    rules,
  })),
  'quota.group_deleted': onSite<'quota.group_deleted'>('quota.group-deleted', ({ name }) => ({ group: name })),
  'quota.group_rule_added': onSite<'quota.group_rule_added'>('quota.group-rule-added', ({ name, rule }) => ({
    group: name,
    rule,
  })),
  'quota.group_rule_removed': onSite<'quota.group_rule_removed'>('quota.group-rule-removed', ({ name, rule }) => ({
    group: name,
    rule,
  })),
  'quota.member_added': onMember<'quota.member_added'>('quota.member-added'),
  'quota.member_removed': onMember<'quota.member_removed'>('quota.member-removed'),
  'quota.groups_set': recorded(async (tx, { payload: { user_id: id, groups } }) => ({
    action: 'quota.groups-set',
    target: await accountTarget(tx, id),
    details: { groups },
  })),
}

function ruleOf({ name, limit, subjects }: AppendedEvent<'quota.rule_created'>['payload']): AuditFact['details'] {
  return { rule: name, limit, subjects }
}

type Payload = { readonly repo_id: number }
type OfRepo = { [Kind in EventKind]: AppendedEvent<Kind>['payload'] extends Payload ? Kind : never }[EventKind]

/** An action on the repository of the payload. */
const onRepo = <Kind extends OfRepo>(
  action: string,
  detailsOf: (payload: AppendedEvent<Kind>['payload']) => AuditFact['details'] = () => ({}),
) =>
  recorded<Kind>(async (tx, { payload }) => ({
    action,
    target: await repoTarget(tx, (payload as Payload).repo_id),
    details: detailsOf(payload) ?? {},
  }))

type RuleKind = `${'branch' | 'tag'}_protection.${'created' | 'deleted' | 'edited'}`
const onRule = <Kind extends RuleKind>(action: string, protects: 'branch' | 'tag') =>
  onRepo<Kind>(action, (payload) => ({ protects, rule: (payload as { readonly name: string }).name }))

type HookKind = `hook.${'created' | 'deleted' | 'edited' | 'redelivered'}`
const onHook = <Kind extends HookKind>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const hook = payload as AppendedEvent<'hook.created'>['payload'] & { readonly uuid?: string }
    const target: AuditTarget =
      hook.repo_id > 0
        ? await repoTarget(tx, hook.repo_id)
        : hook.owner_id > 0
          ? await accountTarget(tx, hook.owner_id)
          : SITE
    return {
      action,
      target,
      details: {
        hook_id: hook.hook_id,
        type: hook.type,
        host: hook.host,
        active: hook.is_active,
        ...(hook.uuid !== undefined && { delivery: hook.uuid }),
      },
    }
  })

/** Project boards. */
export const projectProjections: Projections = {
  'project.deleted': recorded(async (tx, { payload: { repo_id: repoId, owner_id: ownerId, title } }) => ({
    action: 'project.deleted',
    target: repoId > 0 ? await repoTarget(tx, repoId) : await accountTarget(tx, ownerId),
    details: { title },
  })),
}

/** Repositories: access to them, and their protections and webhooks. */
export const repoProjections: Projections = {
  'repo.edited': recorded(async (tx, { repoId, payload: { changed } }) => {
    const repo = await findRepoName(tx, repoId)
    const target: AuditTarget = { kind: 'repository', id: repoId, name: repo?.name ?? '' }
    const facts: AuditFact[] = []
    if (changed.includes('is_private'))
      facts.push({ action: 'repo.visibility-changed', target, details: { private: repo?.isPrivate ?? false } })
    if (changed.includes('is_archived'))
      facts.push({ action: repo?.isArchived === true ? 'repo.archived' : 'repo.unarchived', target })
    return facts
  }),
  'repo.renamed': onRepo<'repo.renamed'>('repo.renamed', ({ old_name }) => ({ old_name })),
  'repo.deleted': onRepo<'repo.deleted'>('repo.deleted'),
  'repo.transfer_started': recorded(async (tx, { payload: { repo_id: id, recipient_id: recipient } }) => ({
    action: 'repo.transfer-started',
    target: await repoTarget(tx, id),
    details: { recipient: (await findAccountName(tx, recipient))?.name ?? '' },
  })),
  'repo.transfer_rejected': onRepo<'repo.transfer_rejected'>('repo.transfer-rejected'),
  'repo.transferred': recorded(async (tx, { payload: { repo_id: id, old_owner_id: from } }) => ({
    action: 'repo.transferred',
    target: await repoTarget(tx, id),
    details: { old_owner: (await findAccountName(tx, from))?.name ?? '' },
  })),
  'repo.collaborator_added': recorded(async (tx, { payload: { repo_id: id, user_id: userId, mode } }) => ({
    action: 'collaborator.changed',
    target: await repoTarget(tx, id),
    details: {
      user: (await findAccountName(tx, userId))?.name ?? '',
      permission: accessName(asAccessMode(mode)),
    },
  })),
  'repo.collaborator_removed': recorded(async (tx, { payload: { repo_id: id, user_id: userId } }) => ({
    action: 'collaborator.removed',
    target: await repoTarget(tx, id),
    details: { user: (await findAccountName(tx, userId))?.name ?? '' },
  })),
  'repo.key_added': onRepo<'repo.key_added'>('deploy-key.added', ({ key_id, fingerprint }) => ({
    key_id,
    fingerprint,
  })),
  'repo.key_deleted': onRepo<'repo.key_deleted'>('deploy-key.deleted', ({ key_id, fingerprint }) => ({
    key_id,
    fingerprint,
  })),
  'branch_protection.created': onRule<'branch_protection.created'>('protection.created', 'branch'),
  'branch_protection.deleted': onRule<'branch_protection.deleted'>('protection.deleted', 'branch'),
  'branch_protection.edited': onRule<'branch_protection.edited'>('protection.changed', 'branch'),
  'branch_protection.reordered': onRepo<'branch_protection.reordered'>('protection.reordered', ({ names }) => ({
    protects: 'branch',
    rules: names,
  })),
  'tag_protection.created': onRule<'tag_protection.created'>('protection.created', 'tag'),
  'tag_protection.deleted': onRule<'tag_protection.deleted'>('protection.deleted', 'tag'),
  'tag_protection.edited': onRule<'tag_protection.edited'>('protection.changed', 'tag'),
  'hook.created': onHook<'hook.created'>('hook.created'),
  'hook.deleted': onHook<'hook.deleted'>('hook.deleted'),
  'hook.edited': onHook<'hook.edited'>('hook.changed'),
  'hook.redelivered': onHook<'hook.redelivered'>('hook.redelivered'),
  'hook.requeued': recorded(async (_, { payload: { uuid, count } }) => ({
    action: 'hook.requeued',
    target: SITE,
    details: { ...(uuid !== '' && { delivery: uuid }), count },
  })),
}
