import type { Clock } from '../../platform/clock.ts'
import type { TemplateCopier } from '../forks/generate-repo.ts'
import { copyBranchRules } from './branch-rule.store.ts'

/** Takes a template's branch rules over into what is made after it. */
export const branchRuleCopier = (clock: Clock): TemplateCopier => ({
  item: 'protected_branch',
  copy: (tx, template, repoId) => copyBranchRules(tx, template.id, repoId, clock.now()),
})
