import { presentablePermissions } from '../../../../core/access/repo-access.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { type PullView, presentPull } from '../../../pulls/index.ts'
import { type RepoView, type Repository, presentRepo } from '../../../repositories/index.ts'
import { type User, presentUser } from '../../../accounts/index.ts'
import { eventOf } from '../matching.policy.ts'
import type { HookMessage } from './payload.ts'
import type { PayloadOf, PayloadPull, SentEventType } from './payload-types.ts'

/** A message of a type of event, with the coarse name that belongs to it. */
export const messageOf = <Type extends SentEventType>(
  eventType: Type,
  payload: PayloadOf[Type],
  branch?: string,
): HookMessage => ({
  event: eventOf(eventType),
  eventType,
  ...('action' in payload && { action: payload.action }),
  ...(branch !== undefined && { branch }),
  payload: { ...payload },
})

/** A repository as an anonymous caller sees it, the addresses of accounts included, with the permissions given. */
export function presentPayloadRepo(view: RepoView, permissions: Repository['permissions'], site: Site): Repository {
  const shown = presentRepo(view, site)
  const present = (user: User) => presentUser(user, ANONYMOUS, site)
  const { parent, repo_transfer: transfer } = shown
  return {
    ...shown,
    owner: present(view.repo.owner),
    parent: parent && view.parent ? { ...parent, owner: present(view.parent.owner), permissions } : null,
    repo_transfer:
      transfer && view.transfer
        ? { ...transfer, doer: present(view.transfer.doer), recipient: present(view.transfer.recipient) }
        : null,
    permissions,
  }
}

/** A pull request as an anonymous caller sees it, its repositories included. */
export function presentPayloadPull(view: PullView, site: Site): PayloadPull {
  const shown = presentPull(view, ANONYMOUS, site)
  const present = (repo: RepoView) => presentPayloadRepo(repo, presentablePermissions(repo.access), site)
  const head = view.pull.isAgit ? view.base : view.head
  return {
    ...shown,
    base: { ...shown.base, repo: present(view.base) },
    head: { ...shown.head, repo: head === undefined ? null : present(head) },
  }
}
