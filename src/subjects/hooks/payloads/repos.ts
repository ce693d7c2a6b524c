import { ANONYMOUS } from '../../../access/viewer.ts'
import type { Database } from '../../../db/database.ts'
import type { DomainEvent } from '../../../events/index.ts'
import { asId } from '../../../platform/crypto/ids.ts'
import type { Site } from '../../../platform/site.ts'
import type { Repo } from '../../repos/index.ts'
import { findUserById, presentUser } from '../../users/index.ts'
import type { EventFacts, EventFactsLoader } from './event-facts.ts'
import type { BuildMessages, HookMessage, MessageBuilders } from './payload.ts'
import { messageOf } from './payload.present.ts'

interface RepoBuilderDeps {
  readonly database: Database
  readonly facts: EventFactsLoader
  readonly site: Site
}

/** Repositories that are created, deleted and forked; a fork is created too. */
export function repoBuilders({ database, facts, site }: RepoBuilderDeps): MessageBuilders {
  const describe = ({ repo, repository, sender }: EventFacts, action: 'created' | 'deleted'): HookMessage => {
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
      const repo = await deletedRepo(database, event)
      return repo === undefined ? [] : [describe(await facts.of(repo, event.actorId, 'all'), 'deleted')]
    },
    async 'repo.forked'(event) {
      const base = await facts.load(event, 'sender')
      const fork = await facts.load({ repoId: event.payload.fork_id, actorId: event.actorId }, 'sender')
      if (base === undefined || fork === undefined) return []
      return [messageOf('fork', { forkee: base.repository, repository: fork.repository, sender: fork.sender })]
    },
  }
}

/** Undefined when its owner was deleted too. */
async function deletedRepo(
  { read }: Database,
  { payload: { record, owner_id: ownerId } }: DomainEvent<'repo.deleted'>,
): Promise<Repo | undefined> {
  const owner = await findUserById(read, asId(ownerId))
  return record && owner && { ...record, owner }
}
