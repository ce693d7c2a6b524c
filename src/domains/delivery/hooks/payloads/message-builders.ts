import type { Core } from '../../../../core/module.ts'
import type { EventKind } from '../../../../core/events/index.ts'
import type { CommitViews } from '../../../code/index.ts'
import type { Pulls } from '../../../pulls/index.ts'
import type { Repo, Repos } from '../../../repositories/index.ts'
import type { Workflows } from '../../../automation/index.ts'
import { commentBuilders } from './comments.ts'
import { createEventFacts } from './event-facts.ts'
import { issueBuilders } from './issues.ts'
import { packageBuilders } from './packages.ts'
import type { BuildMessages, HookMessage, MessageBuilders } from './payload.ts'
import { pullBuilders } from './pulls.ts'
import { pushBuilders } from './pushes.ts'
import { releaseBuilders } from './releases.ts'
import { repoBuilders } from './repos.ts'
import { reviewBuilders } from './reviews.ts'
import { statusBuilders } from './statuses.ts'
import { buildTestPush } from './test-push.ts'
import { wikiBuilders } from './wiki.ts'
import { workflowBuilders } from './workflows.ts'

interface MessageBuilderDeps extends Pick<Core, 'database' | 'git' | 'site'> {
  readonly repos: Pick<Repos, 'view' | 'views'>
  readonly commitViews: CommitViews
  readonly pulls: Pick<Pulls, 'view' | 'viewDeleted'>
  readonly workflows: Pick<Workflows, 'findOfRun'>
}

/**
 * The builders of every kind of event that webhooks send. Objects are presented as an anonymous caller sees them, as
 * they are when the message is built; what an event itself says goes before that. The repository of `repo.deleted` has
 * no row any more: its owner is `owner_id` of the payload.
 */
export function createMessageBuilders(deps: MessageBuilderDeps): ReadonlyMap<EventKind, BuildMessages> {
  const all = { ...deps, facts: createEventFacts(deps) }
  const families: readonly MessageBuilders[] = [
    pushBuilders(all),
    repoBuilders(all),
    issueBuilders(all),
    commentBuilders(all),
    pullBuilders(all),
    reviewBuilders(all),
    releaseBuilders(all),
    wikiBuilders(all.facts),
    statusBuilders(all),
    workflowBuilders(all),
    packageBuilders(all),
  ]
  return new Map(families.flatMap((family) => Object.entries(family) as [EventKind, BuildMessages][]))
}

/** Builds the message that tries a webhook out; `actorId` 0 is the owner. Undefined when the ref does not exist. */
export type BuildTestMessage = (repo: Repo, actorId: number, ref?: string) => Promise<HookMessage | undefined>

export function createTestMessages(deps: MessageBuilderDeps): BuildTestMessage {
  const all = { ...deps, facts: createEventFacts(deps) }
  return (repo, actorId, ref) => buildTestPush(all, repo, { actorId, ref })
}
