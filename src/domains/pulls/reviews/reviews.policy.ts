import { AccessMode, type RepoAccess, type RepoGrants, unitMode } from '../../../core/access/repo-access.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Team, User } from '../../accounts/index.ts'
import type { Repo } from '../../repositories/index.ts'
import { isSiteAdmin, viewerId, type Viewer } from '../../../core/access/viewer.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Review, ReviewKind } from './records/review.store.ts'

/** The maximum number of rules; further ones are ignored. */
const MAX_RULES = 1000
/** The maximum length of a pattern; rules with longer ones are ignored. */
const MAX_PATTERN = 1000
/** The maximum number of owners of a rule; further ones are ignored. */
const MAX_OWNERS = 100

/** Names in the file, which may not exist. */
interface Owners {
  readonly users: readonly string[]
  readonly teams: readonly TeamName[]
}

interface TeamName {
  readonly org: string
  readonly team: string
}

/** A line of a CODEOWNERS file. */
export interface OwnerRule extends Owners {
  /** A regular expression that must match the whole path. */
  readonly pattern: string
  /** The rule applies to files that the expression does not match. */
  readonly isNegated: boolean
}

/**
 * Parses a CODEOWNERS file in linear time (behaviour/pull-requests#code-owners). Ignores lines without a pattern or an
 * owner.
 */
export function parseCodeOwners(text: string): OwnerRule[] {
  const rules: OwnerRule[] = []
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (rules.length === MAX_RULES) break
    const rule = readRule(line)
    if (rule !== undefined) rules.push(rule)
  }
  return rules
}

function readRule(line: string): OwnerRule | undefined {
  const [first, ...names] = splitWords(line)
  if (first === undefined) return undefined
  const isNegated = first.startsWith('!')
  const source = (isNegated ? first.slice(1) : first).replace(/^\//, '')
  if (source === '' || source.length > MAX_PATTERN) return undefined
  const owners = readOwners(names.slice(0, MAX_OWNERS))
  if (owners.users.length + owners.teams.length === 0) return undefined
  return { pattern: `^(?:${source})$`, isNegated, ...owners }
}

/**
 * The words of a line up to its comment. A backslash escapes a blank or `#`; before any other character it belongs to
 * the expression.
 */
function splitWords(line: string): string[] {
  const words: string[] = []
  let word = ''
  for (let at = 0; at < line.length && line[at] !== '#'; at++) {
    const [here, next] = [line[at]!, line[at + 1]]
    if (isBlank(here)) {
      if (word !== '') words.push(word)
      word = ''
    } else if (here === '\\' && next !== undefined) {
      word += isBlank(next) || next === '#' ? next : here + next
      at++
    } else word += here
  }
  return word === '' ? words : [...words, word]
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t' || character === '\uFEFF'

/** Ignores words that name neither a user nor a team. */
function readOwners(words: readonly string[]): Owners {
  const users: string[] = []
  const teams: TeamName[] = []
  for (const word of words) {
    const [owner, team, ...rest] = word.slice(1).split('/')
    if (!word.startsWith('@') || !owner || rest.length > 0) continue
    if (team === undefined) users.push(owner)
    else if (team !== '') teams.push({ org: owner, team })
  }
  return { users, teams }
}

/** A pull request, or one that is about to be created. */
export interface ReviewTarget {
  readonly repo: Repo
  readonly baseBranch: string
  readonly authorId: UserId
}

/**
 * Whether an account may request reviews and withdraw requests of others: the owner, the author, collaborators, and
 * members of teams that read pull requests. NOTE: this does not include site administrators
 * (behaviour/pull-requests#requested-reviewers).
 */
export function canChooseReviewers(userId: UserId, { repo, authorId }: ReviewTarget, grants: RepoGrants): boolean {
  if (repo.isArchived) return false
  if (userId === repo.ownerId || userId === authorId) return true
  return grants.collaboration >= AccessMode.read || grants.teams.some(readsPulls)
}

/** Why a user cannot be requested to review, in the words of the API; undefined when allowed. */
export function reviewerProblem(user: User, access: RepoAccess, { authorId }: ReviewTarget): string | undefined {
  if (user.kind === 'organization') return "Organization can't be added as reviewer"
  if (user.id === authorId) return "poster of pr can't be reviewer"
  return unitMode(access, 'repo.pulls') < AccessMode.read ? "Reviewer can't read" : undefined
}

/** Why a team of the organization cannot be requested; `hasRepo`: the team has the repository. */
export function teamProblem(team: Team, hasRepo: boolean, { repo }: Pick<ReviewTarget, 'repo'>): string | undefined {
  const canRead = !repo.isPrivate || (hasRepo && readsPulls(team))
  return canRead ? undefined : "Reviewing team can't read repo"
}

const readsPulls = ({ mode, units }: Pick<Team, 'mode' | 'units'>): boolean =>
  mode >= AccessMode.admin || (units.get('repo.pulls') ?? AccessMode.none) >= AccessMode.read

/** The kind of a review; not a request. */
export type Verdict = Exclude<ReviewKind, 'request'>

const VERDICTS: Readonly<Record<string, Verdict>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'rejected',
  COMMENT: 'comment',
}

/** The API's `event`: any value except the three verdicts leaves the review pending. */
export const readVerdict = (event = ''): Verdict => (Object.hasOwn(VERDICTS, event) ? VERDICTS[event]! : 'pending')

/** Only the author and site administrators see pending reviews. */
export const canSeeReview = (viewer: Viewer, { kind, reviewerId }: Review): boolean =>
  kind !== 'pending' || isSiteAdmin(viewer) || (reviewerId !== undefined && viewerId(viewer) === reviewerId)

/** Protection counts approvals and rejections, and only these can be dismissed. */
export const isDecision = (kind: ReviewKind): boolean => kind === 'approved' || kind === 'rejected'

interface Facts {
  readonly verdict: Verdict
  /** Trimmed. */
  readonly body: string
  readonly hasComments: boolean
  readonly reviewerId: UserId
  readonly authorId: UserId
  readonly isClosed: boolean
}

/** Throws Invalid with the API's message for an invalid review (behaviour/pull-requests#reviews). */
export function requireReview({ verdict, body, hasComments, reviewerId, authorId, isClosed }: Facts): void {
  if (reviewerId === authorId && verdict === 'approved') throw errors.selfApproval()
  if (reviewerId === authorId && verdict === 'rejected') throw errors.selfRejection()
  if (body === '') {
    if (verdict === 'rejected') throw invalid('review event REQUEST_CHANGES requires a body')
    if (verdict === 'pending') throw invalid('review event PENDING requires a body')
    if (verdict === 'comment' && !hasComments) throw invalid('review event COMMENT requires a body or a comment')
  }
  if (isClosed && isDecision(verdict)) throw invalid("can't submit review for a closed or merged PR")
}
