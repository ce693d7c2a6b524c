import type { RepoAccess } from '../../../core/access/repo-access.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { canWriteIssue } from '../issues/issue.policy.ts'
import type { Issue } from '../issues/records/issue.store.ts'
import { type Repo, parseRepoSettings } from '../../repositories/index.ts'

export const isTracking = ({ settings }: Pick<Repo, 'settings'>): boolean =>
  parseRepoSettings(settings).internalTracker.timeTracker

interface TrackingFacts {
  readonly repo: Pick<Repo, 'settings'>
  readonly access: RepoAccess
  readonly issue: Issue
  readonly assigneeIds: readonly UserId[]
}

/**
 * Whether a reader may add times to the issue: writers, its author and its assignees may, other accounts if the
 * repository allows it (behaviour/issues#stopwatches-and-tracked-times).
 */
export function mayTrack({ account }: SignedIn, { repo, access, issue, assigneeIds }: TrackingFacts): boolean {
  const { timeTracker, onlyContributorsTrackTime } = parseRepoSettings(repo.settings).internalTracker
  if (!timeTracker) return false
  if (!onlyContributorsTrackTime || canWriteIssue(access, issue)) return true
  return account.id === issue.authorId || assigneeIds.includes(account.id)
}

/** Hours and minutes, seconds below a minute; empty for none (behaviour/issues#timeline). */
export function durationText(seconds: number): string {
  const whole = Math.abs(seconds)
  const parts =
    whole < 60
      ? [counted(whole, 'second')]
      : [counted(Math.floor(whole / 3600), 'hour'), counted(Math.floor(whole / 60) % 60, 'minute')]
  const text = parts.filter((part) => part !== '').join(' ')
  return seconds < 0 && text !== '' ? `-${text}` : text
}

const counted = (count: number, unit: string): string =>
  count === 0 ? '' : count === 1 ? `1 ${unit}` : `${count} ${unit}s`
