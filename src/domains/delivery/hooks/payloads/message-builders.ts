import type { Core, Services } from '../../../../core/module.ts'
import type { EventKind } from '../../../../core/events/index.ts'
import { presentRelease, releaseOf, presentStatus, releaseQueries, statusQueries } from '../../../code/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { commentBuilders } from './comments.ts'
import { createEventFacts, type EventFactsLoader, type EventFacts, deletedRepo } from './event-facts.ts'
import { issueBuilders } from './issues.ts'
import type { BuildMessages, HookMessage, MessageBuilders } from './payload.ts'
import { pullBuilders, reviewBuilders } from './pulls.ts'
import { pushBuilders, type PushBuilderDeps } from './pushes.ts'
import { workflowBuilders } from './workflows.ts'
import { messageOf } from '../hook.present.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { presentOrganization, userPresenters, userQueries } from '../../../accounts/index.ts'
import { asId } from '../../../../core/platform/crypto/ids.ts'
import { branchRef, findCommitOid, findTarget, ignoringMissing } from '../../../../core/git/index.ts'
import { loadPayloadCommits, type PayloadCommitDeps } from './payload-commits.ts'
import type { Database } from '../../../../core/db/database.ts'
import { presentPackage } from '../../../packages/index.ts'

interface MessageBuilderDeps extends Pick<Core, 'database' | 'git' | 'site'> {
  readonly repos: Pick<Services['repos'], 'view' | 'views'>
  readonly commitViews: Services['commitViews']
  readonly pulls: Pick<Services['pulls'], 'view' | 'viewDeleted'>
  readonly workflows: Pick<Services['workflows'], 'findOfRun'>
}

/**
 * The builders for all kinds of events that webhooks send. Objects are presented as anonymous clients see them, in
 * their state at build time; data in the event takes precedence. For `repo.deleted`, whose repository no longer has a
 * row, `owner_id` of the payload is its owner.
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

/** Builds the message of a test delivery; `actorId` 0 is the owner. Undefined when the ref does not exist. */
export type BuildTestMessage = (repo: Repo, actorId: number, ref?: string) => Promise<HookMessage | undefined>

export function createTestMessages(deps: MessageBuilderDeps): BuildTestMessage {
  const all = { ...deps, facts: createEventFacts(deps) }
  return (repo, actorId, ref) => buildTestPush(all, repo, { actorId, ref })
}

/** Changes of wiki pages by the API. A push to the wiki, which may change any number of pages, sends nothing. */
function wikiBuilders(facts: EventFactsLoader): MessageBuilders {
  const build =
    (action: 'created' | 'edited' | 'deleted'): BuildMessages<'wiki.created' | 'wiki.edited' | 'wiki.deleted'> =>
    async (event) => {
      const found = await facts.load(event, 'all')
      if (found === undefined) return []
      const { repository, sender } = found
      const { page, comment } = event.payload
      return [messageOf('wiki', { action, repository, sender, page, comment })]
    }
  return { 'wiki.created': build('created'), 'wiki.edited': build('edited'), 'wiki.deleted': build('deleted') }
}

interface ReleaseBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Published releases; drafts have no events. Texts are those of the event, files the present ones. */
function releaseBuilders({ database, facts, site }: ReleaseBuilderDeps): MessageBuilders {
  const build =
    (
      action: 'published' | 'updated' | 'deleted',
    ): BuildMessages<'release.published' | 'release.updated' | 'release.deleted'> =>
    async (event) => {
      const found = await facts.load(event, 'sender')
      if (found === undefined) return []
      const { repo, repository, sender } = found
      const [view] = await releaseQueries.loadViews(database.read, [releaseOf(event.payload, event.at)])
      const author = view!.author
        ? userPresenters.present(view!.author, ANONYMOUS, site)
        : userPresenters.presentGhost(site)
      const release = { ...presentRelease(view!, repoUrls(repo, site), site), author }
      return [messageOf('release', { action, release, repository, sender })]
    }
  return {
    'release.published': build('published'),
    'release.updated': build('updated'),
    'release.deleted': build('deleted'),
  }
}

interface RepoBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Repositories that are created, deleted and forked; a fork is also a creation. */
function repoBuilders({ database, facts, site }: RepoBuilderDeps): MessageBuilders {
  const describe = (
    { repo, repository, sender }: Omit<EventFacts, 'isDeleted'>,
    action: 'created' | 'deleted',
  ): HookMessage => {
    const organization = userPresenters.present(repo.owner, ANONYMOUS, site)
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
      // NOTE: messages that are built before the deletion is committed still find the repository.
      const there = await repoQueries.findById(database.read, asId(event.repoId))
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

interface TestPush {
  /** 0: the owner. */
  readonly actorId: number
  /** A branch, a tag or a commit; the default branch if absent or empty. */
  readonly ref: string | undefined
}

/**
 * The message of a test delivery: a push of the head of the ref without a change. Undefined when the ref does not
 * exist, as in an empty repository (behaviour/orgs-webhooks-actions#webhooks).
 */
async function buildTestPush(
  deps: PushBuilderDeps,
  repo: Repo,
  { actorId, ref: given }: TestPush,
): Promise<HookMessage | undefined> {
  const git = deps.git.open(repo)
  const oid = await (given?.startsWith('refs/')
    ? findCommitOid(git, given)
    : findTarget(git, repo, given).then((target) => target?.commit))
  if (oid === undefined) return undefined
  const parts = { files: false, verification: true }
  const [head] = await loadPayloadCommits(deps, repo, [await git.objects.commit(oid)], parts)
  const { repository, sender } = await deps.facts.of(repo, actorId, 'none')
  const ref = given || branchRef(repo.defaultBranch)
  const payload = {
    ref,
    before: oid,
    after: oid,
    compare_url: `${repoUrls(repo, deps.site).html}/compare/${oid}...${oid}`,
    commits: [head!],
    total_commits: 1,
    head_commit: head!,
    repository,
    pusher: sender,
    sender,
  }
  return messageOf('push', payload, ref.startsWith('refs/') ? ref : branchRef(ref))
}

interface StatusBuilderDeps extends PayloadCommitDeps {
  readonly database: Database
  readonly facts: EventFactsLoader
}

/** Statuses of commits. */
function statusBuilders(deps: StatusBuilderDeps): MessageBuilders {
  const { database, facts, git, site } = deps
  return {
    async 'commit.status'(event) {
      const found = await facts.load(event, 'all')
      const status = await statusQueries.find(database.read, event.payload.status_id)
      if (found === undefined || status === undefined) return []
      const { repo, repository, sender } = found
      const commit = await ignoringMissing(() => git.open(repo).objects.commit(status.oid))
      if (commit === undefined) return []
      const [shown] = await loadPayloadCommits(deps, repo, [commit], { files: true, verification: false })
      const {
        id,
        context,
        description,
        created_at,
        updated_at,
        target_url,
        status: state,
      } = presentStatus({ status, creator: undefined }, repoUrls(repo, site).api, site)
      return [
        messageOf('status', {
          commit: shown!,
          context,
          created_at,
          description,
          id,
          repository,
          sender,
          sha: status.oid,
          state,
          target_url: target_url.startsWith('/') ? site.rootUrl() + target_url : target_url,
          updated_at,
        }),
      ]
    },
  }
}

interface PackageBuilderDeps extends Pick<Core, 'database' | 'site'> {
  readonly facts: EventFactsLoader
}

/** Versions of packages, one message each; the event contains the data of deleted versions. */
function packageBuilders({ database: { read }, facts, site }: PackageBuilderDeps): MessageBuilders {
  const build =
    (action: 'created' | 'deleted'): BuildMessages<'package.created' | 'package.deleted'> =>
    async ({ id: eventId, actorId, payload: { owner_id, repo_id = 0, type, name, versions = [] } }) => {
      const owner = await userQueries.findById(read, asId(owner_id))
      if (owner === undefined) return []
      const linked = repo_id === 0 ? undefined : await facts.load({ id: eventId, repoId: repo_id, actorId }, 'sender')
      const repository = linked?.repository ?? null
      const sender = await facts.loadSender(actorId, owner)
      const creators = await userQueries.listByIds(
        read,
        versions.map(({ creator_id }) => asId(creator_id)),
      )
      return versions.map(({ id, package_id, version, creator_id, created_at }) => {
        const creatorId = asId<(typeof creators)[number]['id']>(creator_id)
        const shown = presentPackage(
          {
            version: {
              id,
              packageId: package_id,
              ownerId: owner.id,
              type,
              name,
              version,
              repoId: undefined,
              creatorId,
              createdAt: created_at,
            },
            owner,
            creator: creators.find((user) => user.id === creatorId),
            repo: undefined,
          },
          ANONYMOUS,
          site,
        )
        return messageOf('package', {
          action,
          repository,
          package: { ...shown, repository },
          organization: owner.kind === 'organization' ? presentOrganization(owner, ANONYMOUS, site) : null,
          sender,
        })
      })
    }
  return { 'package.created': build('created'), 'package.deleted': build('deleted') }
}
