import type { Tx } from '../../../../core/db/database.ts'
import { TEXT_LENGTH } from '../../../../core/http/body/limits.ts'
import { asId, type LabelId, type MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { type ImportedIssue, issueRules } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceIssue } from '../source.ts'

/** Issues or pull requests of a source as rows of this server. */
export async function importedIssues(
  tx: Tx,
  { author, keys, mapped, source }: PhaseContext,
  issues: readonly SourceIssue[],
  { isPull }: { readonly isPull: boolean },
): Promise<ImportedIssue[]> {
  const labels = await keys.get(tx, 'label', [...new Set(issues.flatMap((issue) => issue.labels))])
  const milestones = await keys.get(tx, 'milestone', [...new Set(issues.flatMap(({ milestone }) => milestone ?? []))])
  return issues.map((issue) => {
    const { userId: posterId, ...columns } = author(issue.author)
    const milestone = issue.milestone === undefined ? undefined : milestones.get(issue.milestone)
    return {
      ...issue,
      isPull,
      posterId,
      author: columns,
      title: issueRules.normalizeTitle(issue.title),
      body: source.rewriteReferences(issue.body).slice(0, TEXT_LENGTH),
      milestoneId: milestone === undefined ? undefined : asId<MilestoneId>(milestone),
      labelIds: [...new Set(issue.labels.flatMap((name) => labels.get(name) ?? []))].map((id) => asId<LabelId>(id)),
      assigneeIds: [...new Set(issue.assignees.flatMap((user) => mapped(user) ?? []))],
    }
  })
}
