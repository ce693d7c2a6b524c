import type { DomainEvent } from '../../../../core/events/index.ts'
import { branchRef, isZeroOid, tagRef } from '../../../../core/git/index.ts'
import { isMembers, type Members } from '../workflows/reading/problem.ts'
import type { FilterFacts } from '../workflows/reading/filters.ts'

/** A webhook message of an event, of which the payload is what jobs see as `github.event`. */
export interface EventMessage {
  readonly eventType: string
  readonly action?: string
  readonly payload: Members
}

/** The ref and commit of a run, from which its workflow is read, too. */
interface Place {
  readonly ref: string
  /** Undefined: the tip of the ref. */
  readonly oid?: string | undefined
}

/** Something that starts the workflows that have its name below `on`. */
export interface Occurrence {
  readonly on: string
  /** Any of them fits; none: there are no types. */
  readonly types: readonly string[]
  /** Undefined: the default branch. */
  readonly place: Place | undefined
  readonly payload: Members
  readonly facts: FilterFacts
  /** The commits whose differences are compared with filters of paths, or whose merge base is with `isPull`. */
  readonly diff?: { readonly base: string; readonly head: string; readonly isPull: boolean }
  /** The title of a pull request, which may ask to start nothing, as may the commit; undefined: neither may. */
  readonly title?: string
  /** Whether it runs code of somebody who may not write to the repository. */
  readonly isFromFork: boolean
}

const BRANCH = branchRef('')
const TAG = tagRef('')

const members = (value: unknown): Members => (isMembers(value) ? value : {})
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

type Read = (action: string, payload: Members) => Occurrence[]

const onDefault = (on: string, payload: Members, types: readonly string[] = []): Occurrence[] => [
  { on, types, place: undefined, payload, facts: {}, isFromFork: false },
]

const ofIssue: Read = (action, payload) => onDefault('issues', payload, issueTypes(action, payload))
const ofComment: Read = (action, payload) => onDefault('issue_comment', payload, [action])
const ofReview: Read = (_, payload) => ofPull(['pull_request_review'], ['submitted'], payload)
const ofProposal: Read = (action, payload) =>
  ofPull(['pull_request', 'pull_request_target'], issueTypes(action, payload), payload)

/** Readers by the type of the message; the other types start nothing. */
const READERS: ReadonlyMap<string, Read> = new Map([
  ['push', (_, payload) => ofPush(payload)],
  ['create', (_, payload) => ofRef('create', payload)],
  ['delete', (_, payload) => onDefault('delete', payload)],
  ['fork', (_, payload) => onDefault('fork', payload)],
  ['wiki', (_, payload) => onDefault('gollum', payload)],
  ['release', ofRelease],
  ['package', ofPackage],
  ['workflow_run', ofRun],
  ['issues', ofIssue],
  ['issue_assign', ofIssue],
  ['issue_label', ofIssue],
  ['issue_milestone', ofIssue],
  ['issue_comment', ofComment],
  ['pull_request_comment', ofComment],
  ['pull_request', ofProposal],
  ['pull_request_assign', ofProposal],
  ['pull_request_label', ofProposal],
  ['pull_request_milestone', ofProposal],
  ['pull_request_review_request', ofProposal],
  ['pull_request_review_approved', ofReview],
  ['pull_request_review_rejected', ofReview],
  ['pull_request_review_comment', (_, payload) => ofPull(['pull_request_review_comment'], ['created'], payload)],
])

/** The texts of reviews, which are edited like comments, by the kind of their entries. */
const OF_REVIEWS: ReadonlyMap<string, string> = new Map([
  ['review', 'pull_request_review'],
  ['code', 'pull_request_review_comment'],
])

/**
 * The runs that a message of an event starts (behaviour/actions#from-event-to-jobs). `commentKind` is that of an edited
 * comment.
 */
export function occurrencesOf(
  event: Pick<DomainEvent, 'kind' | 'payload'>,
  { eventType, action = '', payload }: EventMessage,
  commentKind = '',
): Occurrence[] {
  if (event.kind === 'review_comment.created') return ofPull(['pull_request_review_comment'], [action], payload)
  const ofReviewText = OF_REVIEWS.get(commentKind)
  if (ofReviewText !== undefined) return ofPull([ofReviewText], [action], payload)
  if (event.kind !== 'pull.synchronized') return READERS.get(eventType)?.(action, payload) ?? []
  const { new_oid: head } = event.payload as { readonly new_oid: string }
  return ofPull(['pull_request', 'pull_request_target'], ['synchronize'], payload, head)
}

/** The types of GitHub for the actions of issues and pull requests. */
function issueTypes(action: string, payload: Members): readonly string[] {
  if (action === 'label_cleared') return ['unlabeled']
  if (action !== 'label_updated') return [action]
  const { added_labels: added, removed_labels: removed } = members(payload['changes'])
  const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0
  return [...(isFilled(added) ? ['labeled'] : []), ...(isFilled(removed) ? ['unlabeled'] : [])]
}

function ofPush(payload: Members): Occurrence[] {
  const [ref, before, after] = [text(payload['ref']), text(payload['before']), text(payload['after'])]
  if (isZeroOid(after)) return []
  const diff = ref.startsWith(TAG) ? {} : { diff: { base: before, head: after, isPull: false } }
  return [
    {
      on: 'push',
      types: [],
      place: { ref, oid: after },
      payload,
      facts: nameOf(ref),
      ...diff,
      title: '',
      isFromFork: false,
    },
  ]
}

function ofRef(on: string, payload: Members): Occurrence[] {
  const ref = payload['ref_type'] === 'tag' ? tagRef(text(payload['ref'])) : branchRef(text(payload['ref']))
  return [{ on, types: [], place: { ref, oid: text(payload['sha']) }, payload, facts: {}, isFromFork: false }]
}

/** The name that filters of branches and tags are compared with. */
const nameOf = (ref: string): FilterFacts =>
  ref.startsWith(TAG)
    ? { tag: ref.slice(TAG.length) }
    : { branch: ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : ref }

function ofRelease(action: string, payload: Members): Occurrence[] {
  const place = { ref: tagRef(text(members(payload['release'])['tag_name'])) }
  const types = [action === 'updated' ? 'edited' : action]
  return [{ on: 'release', types, place, payload, facts: {}, isFromFork: false }]
}

function ofPackage(action: string, payload: Members): Occurrence[] {
  if (!isMembers(payload['repository'])) return []
  return onDefault('registry_package', payload, [action === 'created' ? 'published' : action])
}

function ofRun(action: string, payload: Members): Occurrence[] {
  const [run, workflow] = [members(payload['workflow_run']), members(payload['workflow'])]
  const facts = { workflow: text(workflow['name']), branch: text(run['head_branch']) }
  return [{ on: 'workflow_run', types: [action], place: undefined, payload, facts, isFromFork: false }]
}

/** `head` is the head commit in the event, where it is known. */
function ofPull(names: readonly string[], types: readonly string[], payload: Members, headOid?: string): Occurrence[] {
  const pull = members(payload['pull_request'])
  const [base, head] = [members(pull['base']), members(pull['head'])]
  const oid = headOid ?? text(head['sha'])
  const isMerged = types.includes('closed') && pull['merged'] === true
  const baseRef = branchRef(text(base['ref']))
  const facts = { branch: text(base['ref']) }
  const diff = { base: text(base['sha']) || text(pull['merge_base']), head: oid, isPull: true }
  const isProposal = pull['flow'] === 1
  const isFromFork = isProposal || members(head['repo'])['id'] !== members(base['repo'])['id']
  const isNew = types.some((type) => type === 'opened' || type === 'synchronize')
  return names.map((on) => {
    const isTarget = on === 'pull_request_target'
    const merged = { ref: baseRef, oid: text(pull['merge_commit_sha']) }
    const proposed = isMerged ? merged : { ref: `refs/pull/${String(pull['number'])}/head`, oid }
    return {
      on,
      types,
      place: isTarget ? { ref: baseRef } : proposed,
      payload,
      facts,
      diff,
      ...(on === 'pull_request' && isNew && { title: text(pull['title']) }),
      isFromFork: isFromFork && !isTarget,
    }
  })
}

const SKIP = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/i

export const asksToSkip = (texts: readonly string[]): boolean => texts.some((one) => SKIP.test(one))

const DEFAULT_TYPES = ['opened', 'reopened', 'synchronize']

/** The types of a trigger; undefined: all. */
export const typesOf = (on: string, types: readonly string[] | undefined): readonly string[] | undefined =>
  types ?? (on === 'pull_request' || on === 'pull_request_target' ? DEFAULT_TYPES : undefined)
