import { copyBranchRules } from '../../db/stores/branch-rule.store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { TemplateCopier } from '../repos/index.ts'

/** Takes a template's branch rules over into what is made after it. */
export const branchRuleCopier = (clock: Clock): TemplateCopier => ({
  item: 'protected_branch',
  copy: (tx, template, repoId) => copyBranchRules(tx, template.id, repoId, clock.now()),
})
