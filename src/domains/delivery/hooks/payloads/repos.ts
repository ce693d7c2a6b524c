import type { Core } from '../../../../core/module.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { presentUser } from '../../../accounts/index.ts'
import { findRepoById } from '../../../repositories/index.ts'
import type { EventFacts, EventFactsLoader } from './event-facts.ts'
import { deletedRepo } from './find-deletion.ts'
import type { BuildMessages, HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from './payload.present.ts'

interface RepoBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Repositories that are created, deleted and forked; a fork is created too. */
export function repoBuilders({ database, facts, site }: RepoBuilderDeps): MessageBuilders {
  const describe = (
    { repo, repository, sender }: Omit<EventFacts, 'isDeleted'>,
    action: 'created' | 'deleted',
  ): HookMessage => {
    const organization = presentUser(repo.owner, ANONYMOUS, site)
    return messageOf('repository', { action, repository, organization, sender })
  }
  const created: BuildMessages<'repo.created' | 'fork.created'> = async (event) => {
    const found = await facts.load(event, 'all')
    return found === undefined ? [] : [describe(found, 'created')]
  }
  return {
    'repo.created': created,
    'fork.created': created,
    async 'repo.deleted'(event) {
      // NOTE: messages that are built before the deletion is committed find the repository.
      const there = await findRepoById(database.read, asId(event.repoId))
      const repo = there ?? (await deletedRepo(database.read, event.payload))
      return repo === undefined ? [] : [describe(await facts.of(repo, event.actorId, 'all'), 'deleted')]
    },
    async 'repo.forked'(event) {
      const base = await facts.load(event, 'sender')
      const fork = await facts.load({ ...event, repoId: event.payload.fork_id }, 'sender')
      if (base === undefined || fork === undefined) return []
      return [messageOf('fork', { forkee: base.repository, repository: fork.repository, sender: fork.sender })]
    },
  }
}
