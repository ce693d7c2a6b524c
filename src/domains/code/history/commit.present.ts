import type { RepoUrls } from '../../../core/access/repo-urls.ts'
import { ANONYMOUS } from '../../../core/access/viewer.ts'
import type { Identity } from '../../../core/git/index.ts'
import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { type User, userPresenters } from '../../accounts/index.ts'
import type { Verification } from '../verification/verification.ts'
import type { CommitView } from './history.service.ts'
import type {
  Commit,
  CommitMeta,
  CommitUser,
  PayloadCommit,
  PayloadCommitVerification,
  PayloadUser,
} from './commit.model.ts'

/**
 * The time of a commit in RFC 3339, with the UTC offset of the commit (behaviour/git-data-and-transport#common-rules).
 */
export function commitTime({ time, offset }: Identity): string {
  if (!isWireTime(time) || !isWireTime(time + offset * 60)) return ZERO_TIME
  // NOTE: a commit may contain an offset of a hundred hours.
  if (offset === 0 || Math.abs(offset) >= DAY_MINUTES) return wireTime(time * 1000)
  const local = new Date((time + offset * 60) * 1000).toISOString().slice(0, 19)
  const minutes = Math.abs(offset)
  const zone = `${String(Math.trunc(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return `${local}${offset < 0 ? '-' : '+'}${zone}`
}

const DAY_MINUTES = 24 * 60

/** The time of a commit in UTC. */
export const commitUtcTime = ({ time }: Identity): string => (isWireTime(time) ? wireTime(time * 1000) : ZERO_TIME)

/** NOTE: a commit may contain any number, but years in responses have four digits. */
const isWireTime = (seconds: number): boolean => seconds > -62_135_596_800 && seconds <= 253_402_300_799

export const presentCommitUser = (identity: Identity): CommitUser => ({
  name: identity.name,
  email: identity.email,
  date: commitTime(identity),
})

export const presentMeta = (urls: RepoUrls, oid: string): CommitMeta => ({
  url: `${urls.api}/git/commits/${oid}`,
  sha: oid,
  created: ZERO_TIME,
})

export function presentCommit(view: CommitView, urls: RepoUrls, site: Site): Commit {
  const { commit, changes, shows } = view
  const created = commitTime(commit.committer)
  return {
    url: `${urls.api}/git/commits/${commit.oid}`,
    sha: commit.oid,
    created,
    html_url: `${urls.html}/commit/${commit.oid}`,
    commit: {
      url: `${urls.api}/git/commits/${commit.oid}`,
      author: presentCommitUser(commit.author),
      committer: presentCommitUser(commit.committer),
      message: commit.message,
      // COMPAT: the id of the commit, as clients expect; it also names the tree
      // (behaviour/git-data-and-transport#commits; test/code/reads.test.ts).
      tree: { url: `${urls.api}/git/trees/${commit.oid}`, sha: commit.oid, created },
      verification: view.verification ? presentVerification(view.verification) : null,
    },
    author: view.author ? userPresenters.present(view.author, ANONYMOUS, site) : null,
    committer: view.committer ? userPresenters.present(view.committer, ANONYMOUS, site) : null,
    parents: commit.parents.map((parent) => presentMeta(urls, parent)),
    files: shows.files && changes ? changes.files.map(({ path, status }) => ({ filename: path, status })) : null,
    stats:
      shows.stat && changes
        ? { total: changes.additions + changes.deletions, additions: changes.additions, deletions: changes.deletions }
        : null,
  }
}

export function presentVerification(verification: Verification): PayloadCommitVerification {
  const { verified, reason, signature, payload, signer } = verification
  return { verified, reason, signature, signer: signer ?? null, payload }
}

/** The representation of a commit in branches. Webhooks fill in the three lists of paths. */
export function presentPayloadCommit(
  { commit, author, committer, verification }: CommitView,
  urls: RepoUrls,
): PayloadCommit {
  return {
    id: commit.oid,
    message: commit.message,
    url: `${urls.html}/commit/${commit.oid}`,
    author: presentPayloadUser(commit.author, author),
    committer: presentPayloadUser(commit.committer, committer),
    verification: verification ? presentVerification(verification) : null,
    timestamp: commitTime(commit.author),
    added: null,
    removed: null,
    modified: null,
  }
}

const presentPayloadUser = (identity: Identity, user: User | undefined): PayloadUser => ({
  name: identity.name,
  email: identity.email,
  username: user?.name ?? '',
})

/** How answers of later domains show commits. */
export const commitPresenters = {
  present: presentCommit,
  presentPayload: presentPayloadCommit,
  utcTime: commitUtcTime,
} as const
