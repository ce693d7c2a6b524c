import { ignoringMissing } from '../../../../core/git/index.ts'
import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Database } from '../../../../core/db/database.ts'
import { findCommitStatus, presentStatus } from '../../../code/index.ts'
import type { EventFactsLoader } from './event-facts.ts'
import { loadPayloadCommits, type PayloadCommitDeps } from './payload-commits.ts'
import { messageOf } from '../hook.present.ts'
import type { MessageBuilders } from './payload.ts'

interface StatusBuilderDeps extends PayloadCommitDeps {
  readonly database: Database
  readonly facts: EventFactsLoader
}

/** Results that are reported for commits. */
export function statusBuilders(deps: StatusBuilderDeps): MessageBuilders {
  const { database, facts, git, site } = deps
  return {
    async 'commit.status'(event) {
      const found = await facts.load(event, 'all')
      const status = await findCommitStatus(database.read, event.payload.status_id)
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
