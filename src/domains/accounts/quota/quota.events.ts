import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Named = { name: Type.String() }
const Rule = { ...Named, limit: Type.Integer(), subjects: Type.Array(Type.String()) }
const RuleOfGroup = { ...Named, rule: Type.String() }
const Member = { ...Named, user_id: Type.Integer() }

export const quotaEvents = {
  'quota.group_created': Type.Object({ ...Named, rules: Type.Array(Type.String()) }),
  'quota.group_deleted': Type.Object(Named),
  'quota.group_rule_added': Type.Object(RuleOfGroup),
  'quota.group_rule_removed': Type.Object(RuleOfGroup),
  'quota.member_added': Type.Object(Member),
  'quota.member_removed': Type.Object(Member),
  /** The groups of an account were replaced. */
  'quota.groups_set': Type.Object({ user_id: Type.Integer(), groups: Type.Array(Type.String()) }),
  'quota.rule_created': Type.Object(Rule),
  'quota.rule_deleted': Type.Object(Named),
  'quota.rule_edited': Type.Object(Rule),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof quotaEvents> {}
}
