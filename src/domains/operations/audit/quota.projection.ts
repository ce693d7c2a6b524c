import type { AppendedEvent, EventKind, Projections } from '../../../core/events/index.ts'
import { accountTarget, type AuditFact, recorded, SITE } from './record.ts'

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
