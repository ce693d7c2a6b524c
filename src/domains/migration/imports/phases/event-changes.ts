import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import type { IssueId, RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type ImportedChange, issueImports } from '../../../issues/index.ts'
import { pullImports } from '../../../pulls/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceEvent } from '../source.ts'
import { cleanText, cutTitle } from './clean-values.ts'
import { labelName } from './label-name.ts'

/** Ids on this server of objects that events name. */
export interface EventFacts extends Pick<PhaseContext, 'mapped'> {
  /** Ids by name. */
  readonly labels: ReadonlyMap<string, number>
  /** Ids by key. */
  readonly milestones: ReadonlyMap<string, number>
  /** Ids by number. */
  readonly issues: ReadonlyMap<number, IssueId>
  /** Texts by `issueImports.textKey`. */
  readonly texts: Awaited<ReturnType<typeof issueImports.listTexts>>
  readonly repoId: RepoId
  /** Bodies of the entries of commits, by id; of those that the repository has. */
  readonly commits: ReadonlyMap<string, string>
}

type Kind = SourceEvent['kind']
type EventOf<K extends Kind> = SourceEvent & { readonly kind: K }
type TextKind = 'added_deadline' | 'change_time_estimate' | 'lock' | 'modified_deadline' | 'removed_deadline'
type Change<K extends Kind> = (event: EventOf<K>, facts: EventFacts) => ImportedChange | undefined

/** Maximum number of commits of one push. */
const MAX_COMMITS = 1000
const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const shortText = (text: string): string => cleanText(text).slice(0, NAME_LENGTH).toWellFormed()

const oidOf = (oid: string): string => (OID.test(oid) ? oid : '')

const simple = ({ kind }: EventOf<'pin' | 'unlock' | 'unpin'>): ImportedChange => ({ kind })

const ofState = ({ kind, oid = '' }: EventOf<'close' | 'reopen'>): ImportedChange =>
  oidOf(oid) === '' ? { kind } : { kind, payload: { commitOid: oid } }

const withText = ({ kind, text = '' }: EventOf<TextKind>): ImportedChange => ({ kind, body: shortText(text) })

const ACTIONS = ['closes', 'neutered', 'reopens'] as const

/** Entries about texts that are not here show the issue alone. */
function ofText(
  event: EventOf<'comment_ref' | 'issue_ref' | 'pull_ref'>,
  facts: EventFacts,
): ImportedChange | undefined {
  const { kind, from } = event
  const targetId = facts.issues.get(from)
  if (targetId === undefined) return undefined
  const action = ACTIONS.find((each) => each === event.action) ?? 'none'
  if (kind !== 'comment_ref') return { kind, targetId, payload: { action } }
  const key = issueImports.textKey({ issueId: targetId, at: event.writtenAt })
  return {
    kind,
    targetId,
    payload: { action, commentId: issueImports.findText(facts.texts.get(key), cleanText(event.text)) },
  }
}

const ofRefs = (event: EventOf<'change_issue_ref' | 'change_target_branch'>): ImportedChange => ({
  kind: event.kind,
  payload: { oldRef: shortText(event.old), newRef: shortText(event.new) },
})

function ofDependency(
  { kind, other }: EventOf<'add_dependency' | 'remove_dependency'>,
  { issues }: EventFacts,
): ImportedChange | undefined {
  const targetId = issues.get(other)
  return targetId === undefined ? undefined : { kind, targetId }
}

const CHANGES: { readonly [K in Kind]: Change<K> } = {
  close: ofState,
  reopen: ofState,
  lock: withText,
  unlock: simple,
  pin: simple,
  unpin: simple,
  added_deadline: withText,
  modified_deadline: withText,
  removed_deadline: withText,
  change_time_estimate: withText,
  label({ label, isAdded }, { labels }) {
    const targetId = labels.get(labelName(label))
    if (targetId === undefined) return undefined
    return { kind: 'label', targetId, body: isAdded ? '1' : '', payload: { isAdded } }
  },
  milestone(event, { milestones }) {
    const idOf = (key: string | undefined): number => (key === undefined ? 0 : (milestones.get(cleanText(key)) ?? 0))
    const payload = { oldId: idOf(event.old), newId: idOf(event.new) }
    return payload.oldId === payload.newId ? undefined : { kind: 'milestone', targetId: payload.newId, payload }
  },
  assignees({ assignee, isRemoved }, { mapped }) {
    const targetId = mapped(assignee)
    return targetId === undefined ? undefined : { kind: 'assignees', targetId, payload: { isRemoved } }
  },
  change_title: (event) => ({
    kind: 'change_title',
    payload: { oldTitle: cutTitle(event.old), newTitle: cutTitle(event.new) },
  }),
  change_issue_ref: ofRefs,
  change_target_branch: ofRefs,
  delete_branch: ({ branch }) => ({ kind: 'delete_branch', payload: { oldRef: shortText(branch) } }),
  add_dependency: ofDependency,
  remove_dependency: ofDependency,
  merge_pull: ({ oid }) => ({ kind: 'merge_pull', payload: { commitOid: oidOf(oid) } }),
  pull_push({ oids, isForced }) {
    const known = oids.filter((oid) => OID.test(oid)).slice(0, MAX_COMMITS)
    return known.length === 0 ? undefined : { kind: 'pull_push', body: pullImports.pushText(known, isForced) }
  },
  issue_ref: ofText,
  pull_ref: ofText,
  comment_ref: ofText,
  commit_ref({ oid }, { repoId, commits }) {
    const body = commits.get(oid)
    return body === undefined
      ? undefined
      : { kind: 'commit_ref', targetId: repoId, body, payload: { action: 'none', oid } }
  },
}

/** The entry for an event; undefined if it names an object that was not imported. */
export const changeOf = (event: SourceEvent, facts: EventFacts): ImportedChange | undefined =>
  (CHANGES[event.kind] as Change<Kind>)(event, facts)
