import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const RuleNamed = { repo_id: Type.Integer(), rule_id: Type.Integer(), name: Type.String() }

export const protectionEvents = {
  'branch_protection.created': Type.Object(RuleNamed),
  'branch_protection.deleted': Type.Object(RuleNamed),
  'branch_protection.edited': Type.Object(RuleNamed),
  /** The named rules in their new order. */
  'branch_protection.reordered': Type.Object({ repo_id: Type.Integer(), names: Type.Array(Type.String()) }),
  'tag_protection.created': Type.Object(RuleNamed),
  'tag_protection.deleted': Type.Object(RuleNamed),
  'tag_protection.edited': Type.Object(RuleNamed),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof protectionEvents> {}
}
