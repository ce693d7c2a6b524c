import { sql } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type LabelId, type ProjectId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { compareCodePoints } from '../../../../core/platform/compare-texts.ts'
import { type Label, listLabelsByIds } from '../../labels/label.store.ts'

/** The other entities that belong to an issue. */
export interface IssueLinks {
  /** Ids in no particular order. */
  readonly labelIds: readonly LabelId[]
  /** Ids in display order. */
  readonly assigneeIds: readonly UserId[]
  /** Ascending. */
  readonly projectIds: readonly ProjectId[]
  /** The files of the issue, without those of its comments; in no particular order. */
  readonly fileIds: readonly number[]
}

const NO_LINKS: IssueLinks = { labelIds: [], assigneeIds: [], projectIds: [], fileIds: [] }

/** The links of each issue, with one query. */
export async function loadIssueLinks(db: Db, issueIds: readonly IssueId[]): Promise<(id: IssueId) => IssueLinks> {
  if (issueIds.length === 0) return () => NO_LINKS
  const found = new Map<number, ReturnType<typeof noLinks>>()
  for (const row of (await linksOf(db, { issueIds })).sort((a, b) => a.position - b.position)) {
    const links = found.getOrInsertComputed(row.issue_id, noLinks)
    if (row.kind === KINDS.label) links.labelIds.push(asId(row.id))
    else if (row.kind === KINDS.assignee) links.assigneeIds.push(asId(row.id))
    else if (row.kind === KINDS.project) links.projectIds.push(asId(row.id))
    else links.fileIds.push(row.id)
  }
  return (id) => found.get(id) ?? NO_LINKS
}

const noLinks = () => ({
  labelIds: [] as LabelId[],
  assigneeIds: [] as UserId[],
  projectIds: [] as ProjectId[],
  fileIds: [] as number[],
})

/** NOTE: numbers, since SQLite gives each row a text of its own. */
const KINDS = { label: 0, assignee: 1, project: 2, file: 3 } as const

const linksOf = defineQuery((db, { issueIds }: { issueIds: readonly IssueId[] }) =>
  db
    .selectFrom('issue_label')
    .select(['issue_id', 'label_id as id', sql.lit<number>(KINDS.label).as('kind'), sql.lit(0).as('position')])
    .where('issue_id', 'in', issueIds)
    .unionAll(
      db
        .selectFrom('issue_assignee')
        .select(['issue_id', 'user_id as id', sql.lit<number>(KINDS.assignee).as('kind'), 'position'])
        .where('issue_id', 'in', issueIds),
    )
    .unionAll(
      db
        .selectFrom('project_issue')
        .select(['issue_id', 'project_id as id', sql.lit<number>(KINDS.project).as('kind'), 'project_id as position'])
        .where('issue_id', 'in', issueIds),
    )
    .unionAll(
      db
        .selectFrom('attachment')
        .select(['issue_id', 'id', sql.lit<number>(KINDS.file).as('kind'), sql.lit(0).as('position')])
        .where('issue_id', 'in', issueIds)
        .where('comment_id', '=', 0),
    ),
)

/** The labels of issues: the result maps the links of one to its labels, sorted by name. */
export async function loadLabelsOf(db: Db, links: readonly IssueLinks[]): Promise<(of: IssueLinks) => Label[]> {
  const labels = await listLabelsByIds(
    db,
    links.flatMap(({ labelIds }) => labelIds),
  )
  return ({ labelIds }) => labelIds.flatMap((id) => labels.get(id) ?? []).sort(byName)
}

const byName = (a: Label, b: Label): number => compareCodePoints(a.name, b.name) || a.id - b.id
