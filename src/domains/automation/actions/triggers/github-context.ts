import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import { isMembers, type Members } from '../workflows/reading/problem.ts'

export interface ContextFacts {
  readonly repo: Repo
  readonly on: string
  readonly ref: string
  readonly oid: string
  readonly actor: string
  /** The file name of the workflow. */
  readonly workflow: string
  readonly payload: Members
  /** Texts that stand for the id and the number of the run, which it gets later. */
  readonly runId: string
  readonly runNumber: string
}

const refType = (ref: string): string =>
  ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : ''

/** The context `github` of expressions that the server evaluates (behaviour/actions#task-context). */
export function githubContext(facts: ContextFacts, site: Site): Members {
  const { repo, ref, payload } = facts
  const pull = isMembers(payload['pull_request']) ? payload['pull_request'] : undefined
  const refOf = (side: unknown): unknown => (isMembers(side) ? side['ref'] : '')
  return {
    actor: facts.actor,
    api_url: `${site.rootUrl()}/api/v1`,
    base_ref: pull ? refOf(pull['base']) : '',
    event: payload,
    event_name: facts.on,
    head_ref: pull ? refOf(pull['head']) : '',
    ref,
    ref_name: ref.replace(/^refs\/(?:heads|tags|pull)\//, ''),
    ref_protected: false,
    ref_type: refType(ref),
    repository: repo.fullName,
    repository_owner: repo.owner.name,
    repositoryUrl: repoUrls(repo, site).html,
    run_attempt: '1',
    run_id: facts.runId,
    run_number: facts.runNumber,
    server_url: `${site.rootUrl()}/`,
    sha: facts.oid,
    workflow: facts.workflow,
  }
}
