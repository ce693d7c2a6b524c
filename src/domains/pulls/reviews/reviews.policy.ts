import { AccessMode, type RepoAccess, type RepoGrants, unitMode } from '../../../core/access/repo-access.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import type { Team, User } from '../../accounts/index.ts'
import type { Repo } from '../../repositories/index.ts'
import { isSiteAdmin, viewerId, type Viewer } from '../../../core/access/viewer.ts'
import { invalid } from '../../../core/platform/errors.ts'
import type { Review, ReviewKind } from './records/review.store.ts'

/** Rules that count: the first ones. */
const MAX_RULES = 1000
/** Characters of a pattern: a longer one is no rule. */
const MAX_PATTERN = 1000
/** Owners of a rule that count: the first ones. */
const MAX_OWNERS = 100

/** Names as the file has them: nobody may have them. */
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
  /** A regular expression for the whole path. */
  readonly pattern: string
  /** The owners are those of the files that the expression does not match. */
  readonly isNegated: boolean
}

/**
 * Reads a CODEOWNERS file in time linear in its length (behaviour/pull-requests#code-owners). Lines without a pattern
 * or an owner are no rules.
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
 * The words of a line up to its comment. A backslash makes a blank or `#` a part of the word; before any other
 * character it belongs to the expression.
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

/** Words that name neither a user nor a team are ignored. */
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

/** A pull request, or one that is about to be made. */
export interface RequestPlace {
  readonly repo: Repo
  readonly baseBranch: string
  readonly posterId: UserId
}

/**
 * Who may ask for reviews and withdraw what others asked: the owner, the poster, collaborators, and members of teams
 * that read pull requests. NOTE: administrators of the site are no exception
 * (behaviour/pull-requests#requested-reviewers).
 */
export function canChooseReviewers(userId: UserId, { repo, posterId }: RequestPlace, grants: RepoGrants): boolean {
  if (repo.isArchived) return false
  if (userId === repo.ownerId || userId === posterId) return true
  return grants.collaboration >= AccessMode.read || grants.teams.some(readsPulls)
}

/** Why a person cannot be asked for a review, in the contract's words; undefined if he can. */
export function reviewerProblem(user: User, access: RepoAccess, { posterId }: RequestPlace): string | undefined {
  if (user.kind === 'organization') return "Organization can't be added as reviewer"
  if (user.id === posterId) return "poster of pr can't be reviewer"
  return unitMode(access, 'repo.pulls') < AccessMode.read ? "Reviewer can't read" : undefined
}

/** The same for a team of the organization; `hasRepo`: the repository is one of the team's. */
export function teamProblem(team: Team, hasRepo: boolean, { repo }: Pick<RequestPlace, 'repo'>): string | undefined {
  const canRead = !repo.isPrivate || (hasRepo && readsPulls(team))
  return canRead ? undefined : "Reviewing team can't read repo"
}

const readsPulls = ({ mode, units }: Pick<Team, 'mode' | 'units'>): boolean =>
  mode >= AccessMode.admin || (units.get('repo.pulls') ?? AccessMode.none) >= AccessMode.read

/** What a reviewer says; not a request. */
export type Verdict = Exclude<ReviewKind, 'request'>

const VERDICTS: Readonly<Record<string, Verdict>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'rejected',
  COMMENT: 'comment',
}

/** The contract's `event`: everything but the three verdicts leaves the review pending. */
export const readVerdict = (event = ''): Verdict => (Object.hasOwn(VERDICTS, event) ? VERDICTS[event]! : 'pending')

/** Pending reviews are shown to their author and to site administrators. */
export const canSeeReview = (viewer: Viewer, { kind, reviewerId }: Review): boolean =>
  kind !== 'pending' || isSiteAdmin(viewer) || (reviewerId !== undefined && viewerId(viewer) === reviewerId)

/** Approvals and rejections are what protection counts, and what can be dismissed. */
export const isDecision = (kind: ReviewKind): boolean => kind === 'approved' || kind === 'rejected'

interface Facts {
  readonly verdict: Verdict
  /** Trimmed. */
  readonly body: string
  readonly hasComments: boolean
  readonly reviewerId: UserId
  readonly posterId: UserId
  readonly isClosed: boolean
}

/** Throws Invalid with the contract's text for a review that may not be (behaviour/pull-requests#reviews). */
export function requireReview({ verdict, body, hasComments, reviewerId, posterId, isClosed }: Facts): void {
  if (reviewerId === posterId && verdict === 'approved') throw invalid('approve your own pull is not allowed')
  if (reviewerId === posterId && verdict === 'rejected') throw invalid('reject your own pull is not allowed')
  if (body === '') {
    if (verdict === 'rejected') throw invalid('review event REQUEST_CHANGES requires a body')
    if (verdict === 'pending') throw invalid('review event PENDING requires a body')
    if (verdict === 'comment' && !hasComments) throw invalid('review event COMMENT requires a body or a comment')
  }
  if (isClosed && isDecision(verdict)) throw invalid("can't submit review for a closed or merged PR")
}
