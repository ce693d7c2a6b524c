import { members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceChange, SourceDependency, SourceEvent, SourceItem } from '../../source.ts'
import { inOrder } from '../in-order.ts'
import { lineOf, membersOf, parseTime, countOf } from '../read.ts'
import { AT_ONCE, idOf, type Onedev } from './onedev.ts'
import { isClosed } from './onedev-fields.ts'

/**
 * Changes of state, title and target branch, and merges. Others have only a text, or concern fields that are labels
 * here.
 */
export async function* readEvents(onedev: Onedev, of: SourceItem, signal: AbortSignal): Pages<SourceEvent> {
  const path = `/${of.isPull ? 'pulls' : 'issues'}/${await idOf(onedev, of, signal)}`
  const changes = membersOf(await onedev.api.find(`${path}/changes`, signal))
  const isMerged = of.isPull && changes.some(isMerge)
  const preview = isMerged ? members(await onedev.api.find(`${path}/merge-preview`, signal)) : {}
  const oid = lineOf(preview['mergeCommitHash'])
  const known = changes
    .toSorted((one, other) => countOf(one['id']) - countOf(other['id']))
    .flatMap((change) => changesOf(members(change['data']), oid).map((read) => ({ change, read })))
  yield await inOrder(known, { atOnce: AT_ONCE, signal }, async ({ change, read }, both) => ({
    ...read,
    issue: of.number,
    actor: await onedev.user(change['userId'], both),
    createdAt: parseTime(change['date']) ?? onedev.clock.now(),
  }))
}

export const isMerge = ({ data }: Members): boolean => members(data)['@type'] === 'PullRequestMergeData'

function changesOf(data: Members, mergeOid: string): readonly SourceChange[] {
  const changes: SourceChange[] = []
  const pair = (name: string): [old: string, next: string] => [lineOf(data[`old${name}`]), lineOf(data[`new${name}`])]
  const [oldState, state] = pair('State')
  if (isClosed(oldState) !== isClosed(state)) changes.push({ kind: isClosed(state) ? 'close' : 'reopen' })
  const [old, title] = pair('Title')
  if (old !== title) changes.push({ kind: 'change_title', old, new: title })
  const [oldBranch, branch] = pair('Branch')
  if (oldBranch !== branch) changes.push({ kind: 'change_target_branch', old: oldBranch, new: branch })
  if (isMerge({ data })) changes.push({ kind: 'merge_pull', oid: mergeOid })
  if (data['@type'] === 'PullRequestDiscardData') changes.push({ kind: 'close' })
  if (data['@type'] === 'PullRequestReopenData') changes.push({ kind: 'reopen' })
  return changes
}

/** Kinds of links have free names, of which none is known to be a dependency. */
export async function* readLinks(onedev: Onedev, of: SourceItem, signal: AbortSignal): Pages<SourceDependency> {
  if (of.isPull) return
  const links = membersOf(await onedev.api.find(`/issues/${await idOf(onedev, of, signal)}/links`, signal))
  if (links.length > 0)
    onedev.location.warn(`${links.length} links of issue ${of.number} were not imported: their kinds have free names`)
  yield []
}
