import type { Unit } from '../../../../core/access/repo-access.ts'
import type { JobRights } from '../../../../core/access/viewer.ts'
import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { RunningTask } from './task-token.store.ts'

/** The parts of a repository by the scopes of `permissions` in workflows. */
const UNIT_OF = {
  actions: 'repo.actions',
  contents: 'repo.code',
  issues: 'repo.issues',
  packages: 'repo.packages',
  projects: 'repo.projects',
  'pull-requests': 'repo.pulls',
  releases: 'repo.releases',
  wiki: 'repo.wiki',
} as const satisfies Record<string, Unit>

/**
 * The rights of the token of a job: those that the workflow requests, by default to write everywhere; jobs of other
 * people's code only read (behaviour/actions#job-token).
 */
export function decideJobRights({ runId, repoId, ownerId, permissions, event, isFromFork }: RunningTask): JobRights {
  const asked = permissions === '' ? undefined : members(parseJson(permissions)?.value)
  const mayWrite = !isFromFork || event === 'pull_request_target'
  const units = new Map<Unit, 'read' | 'write'>()
  for (const [scope, unit] of Object.entries(UNIT_OF)) {
    // NOTE: `contents` includes releases, as at other servers, unless they are named.
    const name = scope === 'releases' && asked?.['releases'] === undefined ? 'contents' : scope
    const level = asked === undefined ? 'write' : asked[name]
    if (level === 'write' || level === 'read') units.set(unit, mayWrite ? level : 'read')
  }
  return { runId, repoId, ownerId, units }
}
