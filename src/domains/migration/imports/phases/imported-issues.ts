import type { Tx } from '../../../../core/db/database.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { asId, type IssueId, type MilestoneId } from '../../../../core/platform/crypto/ids.ts'
import { type ImportedIssue, issueImports, labelQueries } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceIssue } from '../source.ts'
import { authorOf, boundedText, boundedTitle, cleanText, dueTime, pastTime, warnOfFuture } from './clean-values.ts'
import { copyFiles, type FileDeps } from './copy-files.ts'
import type { CopiedFile } from './fetch-file.ts'
import { labelName } from './label-name.ts'
import { insertFiles, insertReactions, type PreparedReaction, prepareReactions } from './object-parts.ts'

export interface IssueWriterDeps extends FileDeps {
  /** Reactions that this server has. */
  readonly reactions: ReadonlySet<string>
}

/** An issue or pull request that is read completely and not yet written. */
export interface PreparedIssue {
  readonly row: Omit<ImportedIssue, 'labelIds' | 'milestoneId'>
  readonly labels: readonly string[]
  readonly milestone: string | undefined
  readonly files: readonly CopiedFile[]
  readonly reactions: readonly PreparedReaction[]
}

const MAX_NUMBER = 1_000_000_000
const MAX_LABELS = 100
const MAX_ASSIGNEES = 100
/** Hundred years. */
const MAX_ESTIMATE = 3_153_600_000

/**
 * Copies the files of an issue or pull request and bounds its members (behaviour/issues#imported-issues). Undefined,
 * with a warning, without a number.
 */
export async function prepareIssue(
  deps: IssueWriterDeps,
  context: PhaseContext,
  issue: SourceIssue,
  isPull: boolean,
): Promise<PreparedIssue | undefined> {
  const { number } = issue
  const kind = isPull ? 'pull request' : 'issue'
  if (!Number.isInteger(number) || number < 1 || number > MAX_NUMBER) {
    context.warn(`the ${kind} with the number ${number} was not imported: its number is invalid`)
    return undefined
  }
  const what = `${kind} ${number}`
  const now = deps.clock.now()
  warnOfFuture(context, what, [issue.createdAt, issue.updatedAt, issue.closedAt ?? 0], now)
  const createdAt = pastTime(issue.createdAt, now)
  const { body, files } = await copyFiles(deps, context, { what, body: issue.body, assets: issue.assets, createdAt })
  const { userId: authorId, author } = authorOf(context, issue.author)
  const assigneeIds = new Set(issue.assignees.flatMap((user) => context.mapped(user) ?? []))
  return {
    row: {
      number,
      isPull,
      isClosed: issue.isClosed,
      isLocked: issue.isLocked,
      authorId,
      author,
      title: boundedTitle(context, what, issue.title),
      body,
      ref: boundedText(issue.ref, NAME_LENGTH, () => context.warn(`the branch of ${what} was cut`)),
      dueAt: dueTime(issue.dueAt),
      createdAt,
      updatedAt: Math.max(createdAt, pastTime(issue.updatedAt, now, createdAt)),
      closedAt: issue.closedAt === undefined ? undefined : pastTime(issue.closedAt, now, createdAt),
      pinOrder: boundedInteger(issue.pinOrder, MAX_NUMBER),
      timeEstimate: boundedInteger(issue.timeEstimate, MAX_ESTIMATE),
      assigneeIds: [...assigneeIds].slice(0, MAX_ASSIGNEES),
    },
    labels: labelNames(context, what, issue.labels),
    milestone: issue.milestone === undefined ? undefined : cleanText(issue.milestone),
    files,
    reactions: prepareReactions(deps, context, { what, reactions: issue.reactions, createdAt }),
  }
}

const boundedInteger = (value: number, max: number): number =>
  Number.isFinite(value) ? Math.min(Math.max(0, Math.floor(value)), max) : 0

function labelNames({ warn }: PhaseContext, what: string, labels: readonly string[]): readonly string[] {
  const names = [...new Set(labels.map(labelName))]
  if (names.length > MAX_LABELS) warn(`only ${MAX_LABELS} of the ${names.length} labels of ${what} were imported`)
  return names.slice(0, MAX_LABELS)
}

/**
 * Writes at most a hundred issues or pull requests with their labels, milestones, files and reactions; returns their
 * ids by number. Omits numbers that are taken, with a warning.
 */
export async function writeIssues(
  tx: Tx,
  context: PhaseContext,
  prepared: readonly PreparedIssue[],
): Promise<ReadonlyMap<number, IssueId>> {
  const distinct = [...new Map(prepared.toReversed().map((issue) => [issue.row.number, issue])).values()].toReversed()
  const names = [...new Set(distinct.flatMap(({ labels }) => labels))]
  const labelIds = await labelQueries.listIdsByName(tx, context.repoId, names)
  const milestones = await context.keys.get(tx, 'milestone', [
    ...new Set(distinct.flatMap(({ milestone }) => milestone ?? [])),
  ])
  const ids = await issueImports.insertIssues(
    tx,
    context.repoId,
    distinct.map(({ row, labels, milestone }) => ({
      ...row,
      labelIds: labels.flatMap((name) => labelIds.get(name) ?? []),
      milestoneId: milestone === undefined ? undefined : milestoneOf(milestones.get(milestone)),
    })),
  )
  const written = distinct.flatMap((issue) => {
    const issueId = ids.get(issue.row.number)
    return issueId === undefined ? [] : { ...issue, issueId }
  })
  await insertFiles(tx, context, written)
  await insertReactions(tx, written)
  warnOfMissing(context, { prepared, written, labelIds, milestones })
  return ids
}

const milestoneOf = (id: number | undefined): MilestoneId | undefined => (id === undefined ? undefined : asId(id))

interface Outcome {
  readonly prepared: readonly PreparedIssue[]
  readonly written: readonly PreparedIssue[]
  readonly labelIds: ReadonlyMap<string, unknown>
  readonly milestones: ReadonlyMap<string, unknown>
}

/** Labels and milestones that the request does not select are not missing. */
function warnOfMissing({ warn, request }: PhaseContext, { prepared, written, labelIds, milestones }: Outcome): void {
  const rows = new Set(written.map(({ row }) => row))
  for (const { row, labels, milestone } of prepared) {
    const what = `${row.isPull ? 'pull request' : 'issue'} ${row.number}`
    if (!rows.has(row)) {
      warn(`${what} was not imported: there is another one with its number`)
      continue
    }
    const unknown = request.parts.has('labels') ? labels.filter((name) => !labelIds.has(name)) : []
    if (unknown.length > 0) warn(`unknown labels of ${what} were not imported: ${unknown.join(', ')}`)
    if (milestone !== undefined && !milestones.has(milestone) && request.parts.has('milestones'))
      warn(`the unknown milestone of ${what} was not imported`)
  }
}
