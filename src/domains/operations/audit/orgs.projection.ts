import { accessName, asAccessMode } from '../../../core/access/access-mode.ts'
import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import { findAccountName, findRepoName } from './audit-names.store.ts'
import { accountTarget, recorded, teamTarget } from './record.ts'

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
