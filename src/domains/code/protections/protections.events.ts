import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const RuleNamed = { repo_id: Type.Integer(), rule_id: Type.Integer(), name: Type.String() }

export const protectionEvents = {
  'branch_protection.created': Type.Object(RuleNamed),
  'branch_protection.deleted': Type.Object(RuleNamed),
  'branch_protection.edited': Type.Object(RuleNamed),
  /** Rules of the repository in their new order, those that the request named. */
  'branch_protection.reordered': Type.Object({ repo_id: Type.Integer(), names: Type.Array(Type.String()) }),
  'tag_protection.created': Type.Object(RuleNamed),
  'tag_protection.deleted': Type.Object(RuleNamed),
  'tag_protection.edited': Type.Object(RuleNamed),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof protectionEvents> {}
}
