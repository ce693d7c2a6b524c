import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import type { ImportedChange } from '../../../issues/index.ts'
import type { PhaseContext } from '../phase.ts'
import type { SourceEvent } from '../source.ts'
import { cleanText, cutTitle } from './clean-values.ts'
import { labelName } from './label-name.ts'

/** The ids here of what events name. */
export interface EventFacts extends Pick<PhaseContext, 'mapped'> {
  /** By name. */
  readonly labels: ReadonlyMap<string, number>
  /** By key. */
  readonly milestones: ReadonlyMap<string, number>
  /** By number. */
  readonly issues: ReadonlyMap<number, IssueId>
}

type Kind = SourceEvent['kind']
type EventOf<K extends Kind> = SourceEvent & { readonly kind: K }
type Change<K extends Kind> = (event: EventOf<K>, facts: EventFacts) => ImportedChange | undefined

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const shortText = (text: string): string => cleanText(text).slice(0, NAME_LENGTH).toWellFormed()

const simple = ({ kind }: EventOf<'close' | 'lock' | 'pin' | 'reopen' | 'unlock' | 'unpin'>): ImportedChange => ({
  kind,
})

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
  close: simple,
  reopen: simple,
  lock: simple,
  unlock: simple,
  pin: simple,
  unpin: simple,
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
  merge_pull: ({ oid }) => ({ kind: 'merge_pull', payload: { commitOid: OID.test(oid) ? oid : '' } }),
}

/** The entry for an event; undefined if it names what is not here. */
export const changeOf = (event: SourceEvent, facts: EventFacts): ImportedChange | undefined =>
  (CHANGES[event.kind] as Change<Kind>)(event, facts)
